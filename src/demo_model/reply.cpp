// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/reply.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/ascii.h"
#include "core/utf8.h"
#include "demo_model/agent_tasks.h"
#include "runtime/model/context.h"

namespace parley::demo_model {
namespace {

using model::ToolSpec;

constexpr std::size_t kShownLines = 40;
constexpr std::size_t kShownBytes = 2'000;
constexpr std::size_t kNamedTools = 24;

std::string ticked(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string counted(std::size_t count, std::string_view one) {
  return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kNamedTools; ++i) {
    out += (i == 0 ? "" : ", ") + ticked(names[i]);
  }
  return names.size() > kNamedTools ? out + ", ..." : out;
}

std::size_t lines_in(std::string_view text) {
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return breaks + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

// Writes down what a request has come to.
class Reporter {
 public:
  Reporter(const Progress& progress, const std::vector<ToolSpec>& tools)
      : progress_(progress), tools_(tools), language_(progress.request.language) {}

  std::string report() const {
    std::string out;
    for (const Outcome& outcome : progress_.outcomes) {
      out += (out.empty() ? "" : "\n\n") + described(outcome);
    }
    if (progress_.left_out > 0) {
      out += "\n\n" + say("I left out what was to come after it (" +
                              counted(progress_.left_out, "step") + ").",
                          "因此后面的 " + std::to_string(progress_.left_out) + " 步没有执行。");
    }
    return out.empty() ? introduction() : out;
  }

 private:
  std::string say(std::string_view english, std::string_view chinese) const {
    return either(language_, english, chinese);
  }

  std::string introduction() const {
    return say("I am Parley's built-in offline demonstration: no language model, but a table of "
               "patterns for simple requests in English or Chinese.",
               "我是 Parley "
               "内置的离线演示：不是语言模型，而是一张模式表，能执行简单的中文或英文请求。") +
           offered() +
           say(" Try “list the files”, “read the file README.md”, several steps joined by “then”, "
               "or a call as it is: TOOL {\"argument\": \"value\"}. For real answers, choose a "
               "model of a provider (`parley models`).",
               "可以试试“列出文件”“读取文件 "
               "README.md”，用“然后”连接几个步骤，或者直接写出调用：TOOL "
               "{\"参数\": \"值\"}。要得到真正的回答，请选择一个模型（`parley models`）。");
  }

  std::string offered() const {
    if (tools_.empty()) return say(" No tools are offered here.", "这里没有可用的工具。");
    std::vector<std::string> names;
    for (const ToolSpec& tool : tools_) names.push_back(tool.name);
    return say(" The tools here: ", "这里的工具：") + joined(names) + say(".", "。");
  }

  std::string described(const Outcome& outcome) const {
    const Step& step = outcome.step;
    std::string quoted(core::utf8_truncate(step.text, 120));
    quoted = "“" + quoted + (quoted.size() < step.text.size() ? "...”" : "”");
    switch (outcome.kind) {
      case Outcome::Kind::done:
        return done(outcome);
      case Outcome::Kind::failed:
        return say("Calling " + ticked(outcome.tool) + " failed:",
                   "调用 " + ticked(outcome.tool) + " 失败：") +
               "\n\n" + block(plain_result(outcome.results.back()), language_);
      case Outcome::Kind::missing:
        return say("For " + quoted + " I would call " + ticked(outcome.tool) +
                       ", but I cannot find this in the request, or a parameter for it: " +
                       joined(outcome.missing) +
                       ". Please say it plainly, for example in quotes, or write " +
                       ticked(outcome.tool + " {...}") + " with the arguments as JSON.",
                   quoted + "需要调用 " + ticked(outcome.tool) + "，但请求里找不到这些参数：" +
                       joined(outcome.missing) + "。请写得明确一些，例如加上引号，或者写 " +
                       ticked(outcome.tool + " {...}") + "，用 JSON 给出参数。");
      case Outcome::Kind::impossible:
        return say(quoted + ": this I cannot do. ", quoted + "：这个我做不到。") + introduction();
      case Outcome::Kind::talk:
        break;
    }
    if (step.intent == Intent::say) return step.first("text");
    if (step.slots.contains("thanks")) return say("You are welcome.", "不客气。");
    return (step.intent == Intent::greet ? say("Hello! ", "你好！") : "") + introduction();
  }

  // --- what tools brought --------------------------------------------------------------------

  std::string done(const Outcome& outcome) const {
    std::string out;
    for (std::size_t i = 0; i < outcome.results.size(); ++i) {
      out += (i == 0 ? "" : "\n\n") + result_of(outcome, i, plain_result(outcome.results[i]));
    }
    if (!outcome.step.judges) return out;
    return out + "\n\n" +
           say("(I am a demonstration and no language model: I can show this, but not summarise, "
               "explain or compare it.)",
               "（我只是演示，不是语言模型：只能展示内容，不能总结、解释或比较。）");
  }

  std::string result_of(const Outcome& outcome, std::size_t index,
                        const std::string& result) const {
    const Step& step = outcome.step;
    const Intent intent = step.tool.empty() ? step.intent : Intent::unknown;
    const std::size_t lines = lines_in(result);
    const auto paths = step.slots.find("path");
    const std::size_t last = paths == step.slots.end() ? 0 : paths->second.size() - 1;
    const std::string path = last == 0 ? step.first("path") : paths->second[std::min(index, last)];
    const std::string line_count = say(counted(lines, "line"), std::to_string(lines) + " 行");
    std::string head = ticked(outcome.tool) + say(" gave", " 的结果");
    switch (intent) {
      case Intent::ask_person:
        return say("The answer: ", "回答：") + (lines > 1 ? block(result, language_) : result);
      case Intent::write:
        return say("Wrote " + ticked(path) + ".", "已写入 " + ticked(path) + "。") +
               (result == "ok" || lines != 1 ? "" : " (" + result + ")");
      case Intent::read:
        head = ticked(path) + say(" has ", " 共 ") + line_count;
        break;
      case Intent::list:
      case Intent::glob:
      case Intent::search: {
        const std::string what = step.first(intent == Intent::list ? "folder" : "pattern");
        head = ticked(what.empty() ? "." : what) + say(": ", "：") + line_count;
        break;
      }
      default:
        break;
    }
    if (step.counts && intent != Intent::unknown) return head + say(".", "。");
    if (core::trimmed(result).empty()) return head + say(", nothing more.", "，没有内容。");
    return head + say(":", "：") + "\n\n" + block(result, language_);
  }

  const Progress& progress_;
  const std::vector<ToolSpec>& tools_;
  const Language language_;
};

}  // namespace

std::string either(Language language, std::string_view english, std::string_view chinese) {
  return std::string(language == Language::chinese ? chinese : english);
}

std::string block(std::string_view text, Language language) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t end = 0;
  for (std::size_t lines = 0; end < text.size() && lines < kShownLines; ++lines) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  std::string_view shown = core::utf8_truncate(text, std::min(end, kShownBytes));
  const std::string left = std::to_string(text.size() - shown.size());
  const std::string fence = shown.find("```") == std::string_view::npos ? "```" : "`````";
  const std::string rest =
      shown.size() == text.size()
          ? std::string()
          : either(language, "\n(and " + left + " more bytes)", "\n（还有 " + left + " 字节）");
  if (shown.ends_with('\n')) shown.remove_suffix(1);
  return fence + "\n" + std::string(shown) + "\n" + fence + rest;
}

std::string report(const Progress& progress, const std::vector<ToolSpec>& tools) {
  return Reporter(progress, tools).report();
}

Answer answer_of(const Progress& progress, const std::vector<ToolSpec>& tools) {
  const Language language = progress.request.language;
  if (progress.next.empty()) {
    return {either(language, "(Demonstration.) Nothing is left to call; I say what came of it.",
                   "（演示。）没有要调用的工具了，下面说明结果。"),
            report(progress, tools),
            {}};
  }
  const std::string count = std::to_string(progress.request.steps.size());
  const std::string number = std::to_string(progress.next_step + 1);
  const std::string& said = progress.request.steps[progress.next_step].text;
  const std::string step(core::utf8_truncate(said, 160));
  std::string calls;
  for (const model::ToolCall& call : progress.next) {
    calls += (calls.empty() ? "" : "; ") + call.name + " ";
    calls += core::utf8_truncate(call.arguments, 200);
  }
  return {either(language,
                 "(Demonstration.) Step " + number + " of " + count + ": “" + step + "”. I call " +
                     calls + ".",
                 "（演示。）第 " + number + " 步，共 " + count + " 步：“" + step + "”。调用 " +
                     calls + "。"),
          {},
          progress.next};
}

Answer answer_to(const model::ModelRequest& request) {
  if (std::optional<Answer> task = answer_task(request)) return std::move(*task);
  const model::Message* asked = last_request(request.messages);
  const std::string_view text = asked == nullptr ? "" : model::request_in(*asked);
  Answer answer = answer_of(walk(text, request), request.tools);
  const bool has_media =
      asked != nullptr &&
      std::any_of(asked->parts.begin(), asked->parts.end(),
                  [](const model::Part& part) { return part.type != model::Part::Type::text; });
  if (answer.calls.empty() && has_media) {
    answer.text +=
        "\n\n" + either(language_of(text),
                        "(Something besides text came along; a demonstration cannot look at it.)",
                        "（除文字外还有附件；演示模型看不了。）");
  }
  return answer;
}

}  // namespace parley::demo_model
