// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_reply.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/utf8.h"
#include "runtime/model/context.h"
#include "runtime/model/offline_tasks.h"

namespace parley::model::offline {
namespace {

constexpr std::size_t kShownLines = 40;
constexpr std::size_t kShownBytes = 2'000;
constexpr std::size_t kNamedTools = 24;

std::size_t lines_in(std::string_view text) {
  if (text.empty()) return 0;
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return breaks + (text.ends_with('\n') ? 0 : 1);
}

std::string ticked(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string counted(std::size_t count, std::string_view one) {
  return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

std::string tool_names(const std::vector<ToolSpec>& tools) {
  std::string out;
  for (std::size_t i = 0; i < tools.size() && i < kNamedTools; ++i) {
    if (i > 0) out += ", ";
    out += ticked(tools[i].name);
  }
  if (tools.size() > kNamedTools) out += ", ...";
  return out;
}

// Writes down what a request has come to.
class Reporter {
 public:
  Reporter(const Progress& progress, const std::vector<ToolSpec>& tools)
      : progress_(progress), tools_(tools), language_(progress.request.language) {}

  std::string report() const {
    std::string out;
    for (const Outcome& outcome : progress_.outcomes) {
      if (!out.empty()) out += "\n\n";
      out += described(outcome);
    }
    if (progress_.left_out > 0) {
      const std::string count = std::to_string(progress_.left_out);
      out += "\n\n" + say("I left out what was to come after it (" +
                              counted(progress_.left_out, "step") + ").",
                          "因此后面的 " + count + " 步没有执行。");
    }
    return out.empty() ? introduction(language_, tools_) : out;
  }

 private:
  std::string say(const std::string& english, const std::string& chinese) const {
    return either(language_, english, chinese);
  }
  const Step& step_of(const Outcome& outcome) const {
    return progress_.request.steps[outcome.step];
  }

  std::string described(const Outcome& outcome) const {
    switch (outcome.kind) {
      case Outcome::Kind::done:
        return done(outcome);
      case Outcome::Kind::failed:
        return failed(outcome);
      case Outcome::Kind::missing:
        return missing(outcome);
      case Outcome::Kind::impossible:
        return impossible(outcome);
      case Outcome::Kind::talk:
        break;
    }
    const Step& step = step_of(outcome);
    if (step.intent == Intent::say) return step.slots.subject.value_or("");
    if (step.intent == Intent::greet) {
      const bool thanks = has_any(step.text.plain, {"thanks", "thank you", "谢谢"});
      if (thanks) return say("You are welcome.", "不客气。");
      return say("Hello! ", "你好！") + introduction(language_, tools_);
    }
    return introduction(language_, tools_);
  }

  std::string failed(const Outcome& outcome) const {
    std::string why;
    for (const std::string& result : outcome.results) why = plain_result(result);
    return say("Calling " + ticked(outcome.tool) + " failed:",
               "调用 " + ticked(outcome.tool) + " 失败：") +
           "\n\n" + block(why, language_);
  }

  std::string missing(const Outcome& outcome) const {
    std::string names;
    for (const std::string& name : outcome.missing) {
      if (!names.empty()) names += say(", ", "、");
      names += ticked(name);
    }
    return say("For “" + quoted_step(outcome) + "” I would call " + ticked(outcome.tool) +
                   ", but I cannot find this in the request: " + names +
                   ". I am a demonstration and no language model: please say it plainly, for "
                   "example in quotes.",
               "“" + quoted_step(outcome) + "”需要调用 " + ticked(outcome.tool) +
                   "，但请求里找不到这些参数：" + names +
                   "。我只是演示，不是语言模型：请写得明确一些，例如加上引号。");
  }

  std::string quoted_step(const Outcome& outcome) const {
    const std::string& text = step_of(outcome).text.text;
    std::string out(core::utf8_truncate(text, 120));
    if (out.size() < text.size()) out += "...";
    return out;
  }

  std::string impossible(const Outcome& outcome) const {
    std::string out =
        say("“" + quoted_step(outcome) +
                "”: this I cannot do. I am Parley's built-in offline demonstration and no language "
                "model; I only call tools for simple requests.",
            "“" + quoted_step(outcome) +
                "”：这个我做不到。我是 Parley "
                "内置的离线演示，不是语言模型，只会为简单的请求调用工具。");
    if (tools_.empty()) return out + say(" No tools are offered here.", "这里没有可用的工具。");
    out += say(" The tools here: ", "这里的工具：") + tool_names(tools_) + say(".", "。");
    return out + say(" For answers, choose a model of a provider (`parley models`).",
                     "要得到真正的回答，请选择一个模型（`parley models`）。");
  }

  // --- what tools brought --------------------------------------------------------------------

  std::string done(const Outcome& outcome) const {
    std::string out;
    for (std::size_t i = 0; i < outcome.results.size(); ++i) {
      if (!out.empty()) out += "\n\n";
      out += result_of(outcome, i, plain_result(outcome.results[i]));
    }
    const Step& step = step_of(outcome);
    const bool thinks = has_any(step.text.plain, {"summarise", "summarize", "explain", "compare",
                                                  "describe", "总结", "概括", "解释", "比较"});
    if (thinks) {
      out += "\n\n" + say("(I am a demonstration and no language model: I can show this, but not "
                          "summarise, explain or compare it.)",
                          "（我只是演示，不是语言模型：只能展示内容，不能总结、解释或比较。）");
    }
    return out;
  }

  std::string path_of(const Step& step, std::size_t index) const {
    if (step.slots.paths.empty()) return ".";
    return step.slots.paths[std::min(index, step.slots.paths.size() - 1)];
  }

  std::string result_of(const Outcome& outcome, std::size_t index,
                        const std::string& result) const {
    const Step& step = step_of(outcome);
    const std::size_t lines = lines_in(result);
    switch (step.intent) {
      case Intent::read: {
        const std::string path = ticked(path_of(step, index));
        if (result.empty()) return say(path + " is empty.", path + " 是空的。");
        std::string head = say(path + " has " + counted(lines, "line"),
                               path + " 共 " + std::to_string(lines) + " 行");
        if (step.slots.counts) {
          return head + say(", " + counted(words_of(result).size(), "word") + ", " +
                                counted(result.size(), "byte") + ".",
                            "，" + std::to_string(result.size()) + " 字节。");
        }
        return head + say(":", "：") + "\n\n" + block(result, language_);
      }
      case Intent::list:
      case Intent::glob:
      case Intent::search:
        return found(step, result, lines);
      case Intent::write: {
        const std::string path = ticked(path_of(step, 0));
        const std::string note = brief(result);
        return say("Wrote " + path + "." + note, "已写入 " + path + "。" + note);
      }
      case Intent::ask_person:
        return say("The answer: ", "回答：") +
               (lines > 1 ? "\n\n" + block(result, language_) : result);
      case Intent::remember:
        return say("I will remember it.", "记住了。") + brief(result);
      default:
        break;
    }
    const std::string name =
        index < outcome.calls.size() ? outcome.calls[index].name : outcome.tool;
    if (result.empty()) return say(ticked(name) + " is done.", ticked(name) + " 已完成。");
    return say(ticked(name) + " gave:", ticked(name) + " 的结果：") + "\n\n" +
           block(result, language_);
  }

  // What a tool said, where that is more than that all is well.
  std::string brief(const std::string& result) const {
    const bool is_short = result.size() <= 200 && result.find('\n') == std::string::npos;
    if (result.empty() || result == "ok" || !is_short) return {};
    return say(" (", "（") + result + say(")", "）");
  }

  std::string found(const Step& step, const std::string& result, std::size_t lines) const {
    std::string what;
    if (step.intent == Intent::list) {
      what = say("In " + ticked(path_of(step, 0)) + ": ", ticked(path_of(step, 0)) + " 中：");
    } else {
      const std::string pattern = ticked(step.slots.pattern.value_or("*"));
      what = say("For " + pattern + ": ", pattern + "：");
    }
    if (trimmed(result).empty()) return what + say("nothing.", "没有找到。");
    what += say(counted(lines, "line"), std::to_string(lines) + " 行");
    if (step.slots.counts) return what + say(".", "。");
    return what + "\n\n" + block(result, language_);
  }

  const Progress& progress_;
  const std::vector<ToolSpec>& tools_;
  const Language language_;
};

std::string shown_arguments(const std::vector<ToolCall>& calls) {
  std::string out;
  for (const ToolCall& call : calls) {
    if (!out.empty()) out += "; ";
    out += call.name + " " + std::string(core::utf8_truncate(call.arguments, 200));
  }
  return out;
}

bool has_media(const Message& message) {
  return std::any_of(message.parts.begin(), message.parts.end(),
                     [](const Part& part) { return part.type != Part::Type::text; });
}

}  // namespace

std::string either(Language language, std::string_view english, std::string_view chinese) {
  return std::string(language == Language::chinese ? chinese : english);
}

std::string block(std::string_view text, Language language) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t end = 0;
  std::size_t lines = 0;
  while (end < text.size() && lines < kShownLines) {
    const std::size_t next = text.find('\n', end);
    end = next == std::string_view::npos ? text.size() : next + 1;
    ++lines;
  }
  std::string_view shown = core::utf8_truncate(text, std::min(end, kShownBytes));
  const std::size_t left = text.size() - shown.size();
  if (shown.ends_with('\n')) shown.remove_suffix(1);
  const std::string fence = shown.find("```") == std::string_view::npos ? "```" : "`````";
  std::string out = fence + "\n" + std::string(shown) + "\n" + fence;
  if (left > 0) {
    out += "\n" + either(language, "(and " + std::to_string(left) + " more bytes)",
                         "（还有 " + std::to_string(left) + " 字节）");
  }
  return out;
}

std::string introduction(Language language, const std::vector<ToolSpec>& tools) {
  std::string out = either(
      language,
      "I am Parley's built-in offline demonstration: no language model, but a set of rules that "
      "calls tools for simple "
      "requests in English or Chinese.",
      "我是 Parley 内置的离线演示：不是语言模型，而是一组规则，能为简单的中文或英文请求调用工具。");
  if (tools.empty())
    return out + either(language, " No tools are offered here.", "这里没有可用的工具。");
  out += either(language, " The tools here: ", "这里的工具：") + tool_names(tools);
  return out + either(language,
                      ". Try “list the files”, “read the file README.md”, or several steps joined "
                      "by “then”. For real answers, choose a "
                      "model of a provider (`parley models`).",
                      "。可以试试“列出文件”“读取文件 "
                      "README.md”，或者用“然后”连接几个步骤。要得到真正的回答，请选择一个模型（`"
                      "parley models`）。");
}

std::string report(const Progress& progress, const std::vector<ToolSpec>& tools) {
  return Reporter(progress, tools).report();
}

Answer answer_of(const Progress& progress, const std::vector<ToolSpec>& tools) {
  const Language language = progress.request.language;
  const std::string count = std::to_string(progress.request.steps.size());
  Answer answer;
  if (progress.next) {
    const std::string number = std::to_string(progress.next_step + 1);
    const std::string step(
        core::utf8_truncate(progress.request.steps[progress.next_step].text.text, 160));
    answer.calls = *progress.next;
    const std::string calls = shown_arguments(answer.calls);
    answer.reasoning = either(language,
                              "(Demonstration.) Step " + number + " of " + count + ": “" + step +
                                  "”. I call " + calls + ".",
                              "（演示。）第 " + number + " 步，共 " + count + " 步：“" + step +
                                  "”。调用 " + calls + "。");
    return answer;
  }
  answer.reasoning =
      either(language, "(Demonstration.) Nothing is left to call; I say what came of it.",
             "（演示。）没有要调用的工具了，下面说明结果。");
  answer.text = report(progress, tools);
  return answer;
}

Answer answer_to(const ModelRequest& request) {
  if (std::optional<Answer> task = answer_task(request)) return std::move(*task);
  const Message* asked = last_request(request.messages);
  if (asked == nullptr) return {{}, introduction(Language::english, request.tools), {}};
  const std::string_view text = request_in(*asked);
  Answer answer = answer_of(walk(text, request.messages, request.tools), request.tools);
  if (answer.calls.empty() && has_media(*asked)) {
    answer.text +=
        "\n\n" + either(language_of(read_text(core::utf8_truncate(text, kMaxRequestBytes))),
                        "(Something besides text came along; a demonstration cannot look at it.)",
                        "（除文字外还有附件；演示模型看不了。）");
  }
  return answer;
}

}  // namespace parley::model::offline
