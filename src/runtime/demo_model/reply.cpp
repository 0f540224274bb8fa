// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/demo_model/reply.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/utf8.h"
#include "runtime/model/context.h"

namespace parley::demo_model {
namespace {

using model::Message;
using model::Role;
using re2::RE2;

constexpr std::size_t kShownResult = 2'000;  // bytes
constexpr std::size_t kShownCall = 160;

constexpr Phrase kIntroduction = {
    "I am Parley's built-in offline demonstration, no language model. I know simple requests such "
    "as “list the files” or “read the file a.txt”, joined by “then”, and any call as TOOL "
    "{\"argument\": \"value\"}. Tools here: $0. For real answers, choose a model (`parley "
    "models list`).",
    "我是 Parley 内置的离线演示，不是语言模型。我能执行“列出文件”“读取文件 a.txt”这样的简单请求，"
    "用“然后”连接几步；也可以直接写出调用：TOOL {\"参数\": "
    "\"值\"}。可用的工具：$0。要得到真正的回答，"
    "请选择一个模型（`parley models list`）。"};
constexpr Phrase kHello = {"Hello! ", "你好！"};
constexpr Phrase kUnknown = {"I do not understand “$0”. ", "我不明白“$0”。"};
constexpr Phrase kFailed = {" failed", " 失败"};
constexpr Phrase kNothing = {"(nothing)", "（没有内容）"};
constexpr Phrase kLeftOut = {"Not done after that: $0 step(s).", "后面的 $0 步没有执行。"};
constexpr Phrase kNextStep = {"(Demonstration.) Step $0: $1", "（演示。）第 $0 步：$1"};

// The last message with a request; null if there is none.
const Message* last_request(const std::vector<Message>& messages) {
  const auto found = std::find_if(messages.rbegin(), messages.rend(), [](const Message& message) {
    return message.role == Role::user && !core::trimmed(model::request_in(message)).empty();
  });
  return found == messages.rend() ? nullptr : &*found;
}

// A tool's result without the line with the tool's name, and without line numbers.
std::string plain_result(std::string_view result) {
  static const RE2 kHeading(R"(Tool [^\n]* (?:result|error):(?:\n|$))");
  static const RE2 kNumbered(R"((?: *\d+\t[^\n]*(?:\n|$)|\n)+(?:\([^\n]*\n?)?)");
  static const RE2 kNumber(R"((?m)^ *\d+\t)");
  re2::StringPiece rest(result);
  RE2::Consume(&rest, kHeading);
  std::string out(rest);
  if (RE2::FullMatch(out, kNumbered)) RE2::GlobalReplace(&out, kNumber, "");
  return out;
}

// The messages with calls after the last request, each with the results of its calls.
std::vector<Outcome> calls_in(const std::vector<Message>& messages) {
  const Message* request = last_request(messages);
  const std::vector<model::ToolCall>* calls = nullptr;
  std::vector<Outcome> out;
  for (const Message& message : messages) {
    if (request != nullptr && &message <= request) continue;
    if (!message.tool_calls.empty()) {
      calls = &message.tool_calls;
      out.push_back({calls->front().name, {}, false});
    } else if (message.role == Role::tool && calls != nullptr) {
      std::vector<Result>& results = out.back().results;
      const model::ToolCall& call = (*calls)[std::min(results.size(), calls->size() - 1)];
      results.push_back(
          {call.name + " " + call.arguments, plain_result(message.content), message.is_error});
      out.back().failed = out.back().failed || message.is_error;
    }
  }
  return out;
}

std::string introduction(const std::vector<model::ToolSpec>& tools, Language language) {
  std::string names;
  for (const auto& tool : tools) names += (names.empty() ? "`" : ", `") + tool.name + "`";
  return kIntroduction.in(language, {names});
}

// A call, and its result as a code block.
std::string block(const Result& result, Language language) {
  const std::string text = cut(core::trimmed(result.text, "\n"), kShownResult);
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return "`" + cut(result.call, kShownCall) + "`" + (result.failed ? kFailed.in(language) : "") +
         ":\n\n" + (text.empty() ? kNothing.in(language) : fence + "\n" + text + "\n" + fence);
}

std::string report(const Progress& progress, const std::vector<model::ToolSpec>& tools) {
  const Language language = progress.request.language;
  const std::vector<Step>& steps = progress.request.steps;
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "\n\n") + text; };
  for (std::size_t i = 0; i < progress.outcomes.size(); ++i) {
    for (const Result& one : progress.outcomes[i].results) add(block(one, language));
    const auto text_slot = steps[i].slots.find("text");
    if (steps[i].is_talk() && text_slot != steps[i].slots.end()) add(text_slot->second.front());
    if (steps[i].is_talk() || !progress.outcomes[i].results.empty()) continue;
    add(kUnknown.in(language, {cut(steps[i].text, kShownCall)}) + introduction(tools, language));
  }
  const std::size_t left = steps.size() - progress.outcomes.size();
  if (left > 0) add(kLeftOut.in(language, {std::to_string(left)}));
  return out.empty() ? kHello.in(language) + introduction(tools, language) : out;
}

}  // namespace

std::string Phrase::in(Language language, const std::vector<std::string>& values) const {
  std::string out = language == Language::chinese ? chinese : english;
  // Last placeholder first: a value may contain a placeholder itself.
  for (std::size_t i = values.size(); i-- > 0;) {
    out.replace(out.find("$" + std::to_string(i)), 2, values[i]);
  }
  return out;
}

std::string cut(std::string_view text, std::size_t limit) {
  const std::string cut(core::utf8_truncate(text, limit));
  return cut.size() < text.size() ? cut + "..." : cut;
}

std::string_view asked_in(const model::ModelRequest& request) {
  const Message* message = last_request(request.messages);
  return message == nullptr ? std::string_view() : model::request_in(*message);
}

Progress walk(std::string_view text, const model::ModelRequest& conversation, std::string before) {
  Progress out{read_request(text), {}, {}};
  const std::vector<Outcome> created = calls_in(conversation.messages);
  auto at = created.begin();
  for (const Step& step : out.request.steps) {
    out.next = calls_for(step, conversation.tools, before);
    Outcome outcome;
    if (!out.next.empty()) {
      at = std::find_if(at, created.end(),
                        [&out](const Outcome& one) { return one.tool == out.next.front().name; });
      if (at == created.end()) return out;
      outcome = *at++;
      if (!outcome.results.empty()) before = outcome.results.back().text;
    }
    out.next.clear();
    out.outcomes.push_back(std::move(outcome));
    if (out.outcomes.back().failed) break;
  }
  return out;
}

Answer answer_of(const Progress& progress, const std::vector<model::ToolSpec>& tools) {
  if (progress.next.empty()) return {{}, report(progress, tools), {}};
  const std::size_t step = progress.outcomes.size();
  const std::string text = cut(progress.request.steps[step].text, kShownCall);
  return {
      kNextStep.in(progress.request.language, {std::to_string(step + 1), text}), {}, progress.next};
}

Answer answer_to(const model::ModelRequest& request) {
  if (std::optional<Answer> task = answer_task(request)) return std::move(*task);
  return answer_of(walk(asked_in(request), request), request.tools);
}

}  // namespace parley::demo_model
