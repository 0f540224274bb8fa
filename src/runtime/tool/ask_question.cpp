// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/ask_question.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/core/ask.h"
#include "base/core/json_member.h"
#include "base/core/json_parts.h"
#include "base/core/limits.h"
#include "base/core/utf8.h"

namespace parley::tool {
namespace {

constexpr std::string_view kQuestionParameters = R"json({
  "type": "object",
  "properties": {
    "question": {"type": "string", "description": "What to ask, in Markdown. Say what the person needs to know to answer."},
    "header": {"type": "string", "description": "A few words that name the question."},
    "choices": {
      "type": "array",
      "maxItems": 20,
      "description": "Answers to choose from.",
      "items": {
        "type": "object",
        "properties": {"label": {"type": "string"}, "description": {"type": "string"}},
        "required": ["label"]
      }
    },
    "multiple": {"type": "boolean", "description": "Whether several choices may be taken. Default: false."},
    "custom": {"type": "boolean", "description": "Whether own words may be written in place of a choice. Default: true."}
  },
  "required": ["question"]
})json";

constexpr std::size_t kMaxChoices = 20;

// Parses the choices; returns the fault, or an empty text.
std::string read_choices(const boost::json::object& arguments, session::Question& out) {
  const boost::json::value* choices = arguments.if_contains("choices");
  if (choices == nullptr || choices->is_null()) return {};
  if (!choices->is_array()) return "choices: must be a list.";
  for (const boost::json::value& item : choices->get_array()) {
    session::Choice choice;
    if (item.is_string()) {
      choice.label = std::string(item.get_string());
    } else if (item.is_object()) {
      choice.label = core::string_member(item.get_object(), "label");
      choice.description = core::string_member(item.get_object(), "description");
    }
    if (choice.label.empty()) return "choices: each must have a label.";
    out.choices.push_back(std::move(choice));
  }
  if (out.choices.size() > kMaxChoices) return "choices: at most 20 are allowed.";
  return {};
}

core::Result<session::Prompt> prompt_of(const boost::json::object& arguments) {
  session::Prompt prompt;
  prompt.text = core::string_member(arguments, "question");
  if (prompt.text.empty()) {
    return core::fail(core::Code::invalid_argument, "question: must be a non-empty string.");
  }
  session::Question question;
  question.text = prompt.text;
  question.header = core::string_member(arguments, "header");
  question.multiple = core::bool_member(arguments, "multiple", false);
  question.custom = core::bool_member(arguments, "custom", true);
  std::string fault = read_choices(arguments, question);
  if (!fault.empty()) return core::fail(core::Code::invalid_argument, std::move(fault));
  if (!question.choices.empty() || !question.header.empty()) {
    if (question.choices.empty()) question.custom = true;
    prompt.questions.push_back(std::move(question));
  }
  return prompt;
}

std::string key_of(const ToolContext& context, const session::Prompt& prompt) {
  const std::string print = session::fingerprint(session::InteractionKind::question, prompt);
  const std::string tail = "/" + print.substr(0, 12);
  const std::string head = question_prefix(context.run_id) + context.call_id;
  return std::string(core::utf8_truncate(head, core::limits::kMaxKeyBytes - tail.size())) + tail;
}

std::string described(const session::Content& content) {
  switch (content.type) {
    case session::Content::Type::text:
      return content.text;
    case session::Content::Type::resource:
      return "[attached: " + content.uri + ", " + content.mime_type + ", " +
             std::to_string(content.data.size()) + " bytes]";
    case session::Content::Type::image:
    case session::Content::Type::audio:
      break;
  }
  return "[attached: " + content.mime_type + ", " + std::to_string(content.data.size()) +
         " bytes; it cannot be shown to you]";
}

ToolResult result_of(const session::Answer& answer) {
  std::string text;
  for (const session::Content& content : answer.contents) {
    if (!text.empty()) text += '\n';
    text += described(content);
  }
  if (text.empty()) {
    const auto message = answer.meta.find("message");
    text = message != answer.meta.end() ? message->second : "(an answer without words)";
  }
  return {std::move(text), answer.is_error};
}

std::string in_words(const core::Error& error) {
  if (error.code == core::Code::deadline_exceeded) {
    return "Nobody answered the question in time. Go on without the answer, or say what you need.";
  }
  if (error.code == core::Code::cancelled) return "The question was cancelled: " + error.message;
  return "The question could not be asked: " + error.message;
}

class AskQuestion final : public Tool {
 public:
  AskQuestion(Inbox& inbox, AskQuestionOptions options) : inbox_(inbox), options_(options) {
    spec_.name = "ask_question";
    spec_.description =
        "Asks the person for whom you work and waits for the answer, which may take long. Use it "
        "when you cannot go on without a decision or a fact that only they have. Offer choices "
        "where there are some.";
    spec_.parameters = kQuestionParameters;
  }

  const model::ToolSpec& spec() const override { return spec_; }
  void run(ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    core::Result<session::Prompt> prompt = prompt_of(arguments);
    if (!prompt) {
      return core::reply(scheduler, std::move(done), ToolResult::error(prompt.error().message));
    }
    prompt->project_directory = context.working_folder;
    prompt->agent_name = context.agent;
    prompt->model_name = context.model;
    prompt->client_name = "parley";
    prompt->timeout_s = options_.timeout_s;
    std::string key = key_of(context, *prompt);
    Inbox::Done answered = [done = std::move(done)](core::Result<session::Answer> answer) mutable {
      done(answer ? result_of(*answer) : ToolResult::error(in_words(answer.error())));
    };
    if (!context.ask_owner) {
      return inbox_.ask(context.owner, std::move(key), session::InteractionKind::question,
                        std::move(*prompt), scheduler, context.cancel, std::move(answered));
    }
    session::AskRequest request{session::Authority::of_run()};
    request.key = std::move(key);
    request.kind = session::InteractionKind::question;
    request.prompt = std::move(*prompt);
    scheduler.post([ask = std::move(context.ask_owner), request = std::move(request),
                    cancel = context.cancel, answered = std::move(answered)]() mutable {
      ask(std::move(request), cancel, std::move(answered));
    });
  }

 private:
  Inbox& inbox_;
  AskQuestionOptions options_;
  model::ToolSpec spec_;
};

}  // namespace

ToolPtr make_ask_question(Inbox& inbox, AskQuestionOptions options) {
  return std::make_shared<AskQuestion>(inbox, options);
}

}  // namespace parley::tool
