// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Answers of the demonstration to the prompts of agents: candidates and scores (tot), plans and
// tasks (got), understandings (dup), summaries.
#include <re2/re2.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/core/ascii.h"
#include "runtime/demo_model/reply.h"

namespace parley::demo_model {
namespace {

namespace json = boost::json;
using model::Message;
using model::ModelRequest;
using re2::RE2;

constexpr std::size_t kMaxQuoted = 1'000;  // bytes of a request or a conversation
constexpr const char* kCompared = "\nTask: (?i)compare (.*)\nResult: ";

// Texts of candidates and plans, which this model parses again.
constexpr Phrase kDirectly = {"Do it directly: $0", "直接去做：$0"};
constexpr Phrase kLook = {"list the files", "列出文件"};
constexpr Phrase kNoLook = {"Say, without looking, that this is a demonstration.",
                            "什么都不查，直接说明这只是演示。"};
constexpr Phrase kInstead = {"I could not do this: $0. What I have in its place:\n\n$1",
                             "没能做到：$0。目前找到的是：\n\n$1"};
constexpr Phrase kReadFile = {"read the file \"$0\"", "读取文件 \"$0\""};

std::string_view system_text(const ModelRequest& request) {
  std::string_view out;
  for (const Message& message : request.messages) {
    if (message.role == model::Role::system) out = message.content;
  }
  return out;
}

Answer in_json(const json::object& value) { return {{}, json::serialize(value), {}}; }

json::object candidate(const std::string& thought, const std::vector<model::ToolCall>& calls) {
  json::array written;
  for (const model::ToolCall& call : calls) {
    boost::system::error_code failure;
    written.push_back({{"name", call.name}, {"arguments", json::parse(call.arguments, failure)}});
  }
  return {{"thought", thought}, {"tool_calls", std::move(written)}};
}

// Candidates: the next step, another way, and an answer without any step. An answer alone if no
// step is left, the prompt only allows answers, or earlier paths failed.
Answer expand(const ModelRequest& request) {
  static const RE2 kOnlyAnswers("This is the last level|These were tried");
  const Progress progress = walk(asked_in(request), request);
  const Progress look = walk(kLook.english, request);
  const Language language = progress.request.language;
  const std::size_t at = progress.outcomes.size();
  const std::string step = progress.next.empty() ? "" : progress.request.steps[at].text;
  json::array out;
  if (progress.next.empty()) {
    out.push_back(candidate(answer_of(progress, request.tools).text, {}));
  } else if (RE2::PartialMatch(system_text(request), kOnlyAnswers)) {
    const std::string found = answer_of(look, request.tools).text;
    out.push_back(candidate(kInstead.in(language, {step, found}), {}));
  } else {
    out.push_back(candidate(kDirectly.in(language, {step}), progress.next));
    if (!look.next.empty()) out.push_back(candidate(kLook.in(language), look.next));
    out.push_back(candidate(kNoLook.in(language), {}));
  }
  return in_json({{"candidates", std::move(out)}});
}

// Scores that decrease in the order of expand().
Answer evaluate(const ModelRequest& request) {
  static const RE2 kCandidate("\nCandidate ");
  json::array scores;
  re2::StringPiece rest(system_text(request));
  for (double score = 0.9; RE2::FindAndConsume(&rest, kCandidate); score /= 2) {
    scores.push_back(score);
  }
  return in_json({{"scores", std::move(scores)}});
}

// True for a step that only reads files or lists folders: it needs no step before it, and no later
// step holds its result.
bool only_looks(const Step& step) {
  return step.intent != nullptr && RE2::PartialMatch(step.intent->tools, "^(?:read|ls)[|]") &&
         !RE2::PartialMatch(step.text, "(?i)^compare");
}

// One task per step, each depending on the previous one; files are read, and folders listed, in
// parallel tasks. A comparison stays one task.
Answer plan_of(std::string_view text) {
  const Request read = read_request(text);
  json::array nodes;
  json::array edges;
  std::vector<std::string> needed;
  std::vector<std::string> added;  // they need `needed`
  bool looking = false;
  const auto add = [&](const std::vector<std::string>& tasks, bool looks) {
    const bool beside = looks && looking;
    if (!beside) needed = std::exchange(added, {});
    looking = looks;
    for (const std::string& task : tasks) {
      added.push_back("task_" + std::to_string(nodes.size() + 1));
      nodes.push_back({{"id", added.back()}, {"description", task}});
      for (const std::string& need : needed) edges.push_back({need, added.back()});
    }
  };
  for (const Step& step : read.steps) {
    if (step.is_talk() && !step.slots.contains("text")) continue;
    std::vector<std::string> tasks = {step.text};
    const bool reads = step.intent != nullptr && RE2::PartialMatch(step.intent->tools, "^read[|]");
    if (reads && !RE2::PartialMatch(step.text, "(?i)^compare")) {
      tasks = step.slots.at("path");
      for (std::string& path : tasks) path = kReadFile.in(read.language, {path});
    }
    add(tasks, only_looks(step));
  }
  if (nodes.empty()) add({std::string(text)}, false);
  return in_json({{"nodes", std::move(nodes)}, {"edges", std::move(edges)}});
}

Answer make_plan(const ModelRequest& request) { return plan_of(asked_in(request)); }

Answer judge_complexity(const ModelRequest& request) {
  return {{}, RE2::PartialMatch(system_text(request), kCompared) ? "complex" : "simple", {}};
}

// Expands a comparison: one task per file.
Answer decompose(const ModelRequest& request) {
  std::string files;
  RE2::PartialMatch(system_text(request), kCompared, &files);
  return plan_of("read " + files);
}

// "It" means the last block of code in the results that the task gets.
Answer work_on_task(const ModelRequest& request) {
  static const RE2 kTask(R"((?s)(?:.*```\n(.*?)\n```)?.*\n\nSub-task: (.*))");
  std::string before;
  std::string task(asked_in(request));
  RE2::FullMatch(asked_in(request), kTask, &before, &task);
  return answer_of(walk(task, request, before), request.tools);
}

Answer understand(const ModelRequest& request) {
  return in_json({{"core_goal", cut(core::trimmed(asked_in(request)), kMaxQuoted)},
                  {"key_constraints", json::array()},
                  {"relevant_context", ""}});
}

// The results of tasks unchanged; the beginning of a transcript.
Answer summarise(const ModelRequest& request) {
  static const RE2 kHeading(R"(\n\nResult of '[^'\n]*':\n)");
  const std::string_view text = asked_in(request);
  const std::size_t at = text.find("\n\nResult of '");
  if (text.starts_with("The request: ") && at != text.npos) {
    std::string results(text.substr(at));
    RE2::GlobalReplace(&results, kHeading, "\n\n");
    return {{}, std::string(core::trimmed(results)), {}};
  }
  return {{}, cut(text, kMaxQuoted), {}};
}

constexpr std::pair<std::string_view, Answer (*)(const ModelRequest&)> kTasks[] = {
    {"tot_expand", expand},         {"tot_evaluate", evaluate},
    {"got_plan", make_plan},        {"got_complexity", judge_complexity},
    {"got_decompose", decompose},   {"got_task", work_on_task},
    {"dup_understand", understand}, {"summary", summarise}};

}  // namespace

std::optional<Answer> answer_task(const ModelRequest& request) {
  static const RE2 kMark(R"((?s)^(?:.*\n)?\[parley:task (\w+)\])");
  std::string asked;
  RE2::PartialMatch(system_text(request), kMark, &asked);
  for (const auto& [name, work] : kTasks) {
    if (name == asked) return work(request);
  }
  return std::nullopt;
}

}  // namespace parley::demo_model
