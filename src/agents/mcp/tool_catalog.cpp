// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/tool_catalog.h"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <charconv>
#include <cmath>

#include "base/core/json_member.h"
#include "base/core/json_parts.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/core/utf8.h"

namespace parley::mcp {
namespace {

using Kind = AssistantCall::Kind;
using boost::json::object;
using boost::json::value;

// Limit (agentassistant-mcp and parley ask): `questions` of a call. Reached: an error as the call's
// result.
constexpr std::size_t kMaxQuestions = 20;
// Limit (agentassistant-mcp and parley ask): options of one of the `questions`. Reached: an error
// as the call's result.
constexpr std::size_t kMaxOptions = 100;
constexpr std::size_t kMaxHeaderBytes = 120;  // 30 characters of 4 bytes

struct Tool {
  Kind kind;
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view text_name;  // name of the argument with the text
  std::string_view text_description;
};

constexpr std::array<Tool, 4> kTools = {{
    {Kind::ask_question, "ask_question", "Ask the user",
     "Ask the person you work for a question and wait for the answer. Use it whenever you need a "
     "decision, a missing fact, or approval. The question appears in the person's browser or phone "
     "at once; if nobody is there it stays open until the timeout. Returns the answer as text, "
     "images, audio or embedded files.",
     "question",
     "What you want to know, in Markdown. Say what you need it for and what the choices are."},
    {Kind::task_finish, "task_finish", "Report a finished task",
     "Tell the person you work for that the task is finished and wait for feedback. Call it before "
     "you end your work: the answer may confirm, correct, or hand you the next task. Returns the "
     "feedback as text, images, audio or embedded files.",
     "summary", "What was done and what is left, in Markdown."},
    {Kind::work_report, "work_report", "Send a work report",
     "Send the person you work for a report of your work for approval and wait for feedback, "
     "before "
     "you finish. Returns the feedback as text, images, audio or embedded files.",
     "summary", "What was done, how it was checked, and what is left, in Markdown."},
    {Kind::await_answer, "await_answer", "Go on waiting for an answer",
     "Go on waiting for the answer to a question or report that another call has said is still "
     "waiting. Call it at once, and again as long as it says so: the question is withdrawn if "
     "nobody "
     "calls for 120 seconds. Returns the answer.",
     "id", "The id that the other call has named."},
}};

const Tool& tool_of(Kind kind) { return kTools[static_cast<std::size_t>(kind)]; }

bool is_on(const Tool& tool, const ToolChoice& choice) {
  if (tool.kind == Kind::await_answer) return choice.has_await_answer;
  return tool.kind == Kind::ask_question ? choice.ask_question : choice.reports;
}

void write_string_property(core::JsonWriter& json, std::string_view name,
                           std::string_view description) {
  json.key(name).begin_object().key("type").string("string");
  json.key("description").string(description).end_object();
}

void write_questions_property(core::JsonWriter& json) {
  json.key("questions").begin_object().key("type").string("array");
  json.key("description")
      .string(
          "Structured form of the question: one or more questions with ready answers to choose "
          "from. "
          "The person can also write a free answer unless custom is false.");
  json.key("maxItems").number(static_cast<std::int64_t>(kMaxQuestions));
  json.key("items").begin_object().key("type").string("object");
  json.key("properties").begin_object();
  write_string_property(json, "question", "The whole question");
  write_string_property(json, "header", "A very short label, at most 30 characters");
  json.key("options").begin_object().key("type").string("array");
  json.key("items").begin_object().key("type").string("object");
  json.key("properties").begin_object();
  write_string_property(json, "label", "The answer that is chosen: a few words");
  write_string_property(json, "description", "What choosing it means");
  json.end_object();
  json.key("required").begin_array().string("label").end_array().end_object();
  json.end_object();
  json.key("multiple").begin_object().key("type").string("boolean");
  json.key("description").string("Whether several options may be chosen");
  json.key("default").boolean(false).end_object();
  json.key("custom").begin_object().key("type").string("boolean");
  json.key("description").string("Whether a free answer is allowed, too");
  json.key("default").boolean(true).end_object();
  json.end_object();
  json.key("required").begin_array().string("question").end_array().end_object();
  json.end_object();
}

void write_input_schema(core::JsonWriter& json, const Tool& tool) {
  json.begin_object().key("type").string("object");
  json.key("properties").begin_object();
  if (tool.kind == Kind::await_answer) {
    write_string_property(json, tool.text_name, tool.text_description);
    json.end_object().key("required").begin_array().string(tool.text_name);
    json.end_array().end_object();
    return;
  }
  write_string_property(json, "project_directory",
                        "Absolute path of the project that you work in; tells the person which "
                        "project the question belongs to");
  write_string_property(json, tool.text_name, tool.text_description);
  json.key("timeout").begin_object().key("type").string("number");
  json.key("description").string("How many seconds to wait for the answer: 5 to 86400");
  json.key("default").number(600).end_object();
  write_string_property(json, "agent_name", "Your name as an agent, shown to the person");
  write_string_property(json, "reasoning_model_name",
                        "The exact id of the model that you run on, not the agent's name");
  if (tool.kind == Kind::ask_question) write_questions_property(json);
  json.end_object();
  json.key("required").begin_array().string("project_directory").string(tool.text_name);
  json.end_array().end_object();
}

core::Result<std::string> read_string(const object& arguments, std::string_view name,
                                      bool required) {
  const value* found = arguments.if_contains(name);
  const std::string quoted = "\"" + std::string(name) + "\"";
  if (found == nullptr || found->is_null()) {
    if (!required) return std::string();
    return core::fail(core::Code::invalid_argument, "required argument " + quoted + " not found",
                      std::string(name));
  }
  if (!found->is_string()) {
    return core::fail(core::Code::invalid_argument, "argument " + quoted + " must be a string",
                      std::string(name));
  }
  return std::string(found->get_string());
}

// Parses a number, or a string that is a number as a whole.
std::optional<double> read_number(const value& found) {
  if (found.is_int64()) return static_cast<double>(found.get_int64());
  if (found.is_uint64()) return static_cast<double>(found.get_uint64());
  if (found.is_double()) return found.get_double();
  if (!found.is_string()) return std::nullopt;
  std::string_view text = found.get_string();
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void read_timeout(const object& arguments, ToolArguments& out) {
  out.call.timeout = core::limits::kDefaultWait;
  const value* found = arguments.if_contains("timeout");
  if (found == nullptr || found->is_null()) return;
  const std::optional<double> seconds = read_number(*found);
  if (!seconds || std::isnan(*seconds)) {
    out.notes.emplace_back(
        "Note: the timeout is not a number of seconds, so the default of 600 seconds was used.");
    return;
  }
  const double shortest = std::chrono::duration<double>(kShortestWait).count();
  const double longest = std::chrono::duration<double>(core::limits::kMaxWait).count();
  if (*seconds < shortest) {
    out.call.timeout = kShortestWait;
    out.notes.emplace_back(
        "Note: the timeout was raised to 5 seconds, the shortest one that a person could meet.");
  } else if (*seconds > longest) {
    out.call.timeout = core::limits::kMaxWait;
    out.notes.emplace_back(
        "Note: the timeout was lowered to 86400 seconds (24 hours), the longest one allowed.");
  } else {
    out.call.timeout = std::chrono::seconds(static_cast<std::int64_t>(std::ceil(*seconds)));
  }
}

tl::unexpected<core::Error> bad_questions(const std::string& what) {
  return core::fail(core::Code::invalid_argument, "argument \"questions\": " + what, "questions");
}

// An option is an object with a label; a bare string counts as its label.
core::Result<bool> read_options(const object& from, core::Question& question) {
  const value* options = from.if_contains("options");
  if (options == nullptr || options->is_null()) return true;
  if (!options->is_array()) return bad_questions("options must be an array");
  if (options->get_array().size() > kMaxOptions) return bad_questions("more than 100 options");
  for (const value& option : options->get_array()) {
    core::Choice& added = question.choices.emplace_back();
    if (option.is_string()) added.label = option.get_string();
    if (option.is_object()) {
      added.label = core::string_member(option.get_object(), "label");
      added.description = core::string_member(option.get_object(), "description");
    }
    if (added.label.empty()) return bad_questions("each option needs a label");
  }
  return true;
}

core::Result<bool> read_questions(const object& arguments, AssistantCall& call) {
  const value* found = arguments.if_contains("questions");
  if (found == nullptr || found->is_null()) return true;
  value parsed = *found;
  if (found->is_string()) {  // some models send nested arguments as JSON text
    boost::system::error_code failed;
    parsed = boost::json::parse(found->get_string(), failed);
    if (failed.failed()) return bad_questions("must be an array of objects");
  }
  if (!parsed.is_array()) return bad_questions("must be an array of objects");
  if (parsed.get_array().size() > kMaxQuestions) return bad_questions("more than 20 questions");
  for (const value& each : parsed.get_array()) {
    if (!each.is_object()) return bad_questions("must be an array of objects");
    core::Question question;
    question.text = core::string_member(each.get_object(), "question");
    if (question.text.empty()) return bad_questions("each question needs a text");
    question.header =
        core::utf8_truncate(core::text_member(each.get_object(), "header"), kMaxHeaderBytes);
    question.multiple = core::bool_member(each.get_object(), "multiple", false);
    question.custom = core::bool_member(each.get_object(), "custom", true);
    core::Result<bool> options = read_options(each.get_object(), question);
    if (!options) return options;
    call.questions.push_back(std::move(question));
  }
  return true;
}

}  // namespace

std::optional<Kind> find_tool(std::string_view name, const ToolChoice& choice) {
  for (const Tool& tool : kTools) {
    if (tool.name == name && is_on(tool, choice)) return tool.kind;
  }
  return std::nullopt;
}

void write_tools(core::JsonWriter& json, const ToolChoice& choice, bool tasks) {
  json.begin_array();
  for (const Tool& tool : kTools) {
    if (!is_on(tool, choice)) continue;
    json.begin_object().key("name").string(tool.name).key("title").string(tool.title);
    json.key("description").string(tool.description).key("inputSchema");
    write_input_schema(json, tool);
    json.key("annotations").begin_object().key("title").string(tool.title);
    json.key("readOnlyHint").boolean(true).key("destructiveHint").boolean(false);
    json.key("idempotentHint").boolean(false).key("openWorldHint").boolean(true).end_object();
    if (tasks) json.key("execution").raw(R"({"taskSupport":"optional"})");
    json.end_object();
  }
  json.end_array();
}

core::Result<ToolArguments> read_arguments(Kind kind, const value& arguments) {
  static const object kNone;
  const object& given = arguments.is_object() ? arguments.get_object() : kNone;
  ToolArguments out;
  AssistantCall& call = out.call;
  call.kind = kind;
  if (kind == Kind::ask_question) {
    PARLEY_TRY_VOID(read_questions(given, call));
  }
  const std::string_view text_name = tool_of(kind).text_name;
  if (kind == Kind::await_answer) {
    call.timeout = core::limits::kDefaultWait;
    PARLEY_TRY(call.text, read_string(given, text_name, true));
    return out;
  }
  const auto take = [&](std::string_view name, bool required,
                        std::string& into) -> std::optional<core::Error> {
    core::Result<std::string> read = read_string(given, name, required);
    if (!read) return read.error();
    into = *std::move(read);
    return std::nullopt;
  };
  if (auto error = take("project_directory", true, call.project_directory)) {
    return core::fail(*std::move(error));
  }
  if (auto error = take(text_name, call.questions.empty(), call.text)) {
    return core::fail(*std::move(error));
  }
  if (call.text.empty() && !call.questions.empty()) call.text = call.questions.front().text;
  if (call.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return core::fail(core::Code::invalid_argument,
                      "argument \"" + std::string(text_name) + "\" must not be empty",
                      std::string(text_name));
  }
  if (auto error = take("agent_name", false, call.agent_name)) return core::fail(*std::move(error));
  if (auto error = take("reasoning_model_name", false, call.reasoning_model_name)) {
    return core::fail(*std::move(error));
  }
  read_timeout(given, out);
  return out;
}

}  // namespace parley::mcp
