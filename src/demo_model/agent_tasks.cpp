// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/agent_tasks.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ascii.h"
#include "core/utf8.h"
#include "demo_model/expression.h"
#include "demo_model/tool_choice.h"
#include "runtime/model/context.h"

namespace parley::demo_model {
namespace {

namespace json = boost::json;
using model::Message;
using model::ModelRequest;

std::string_view system_text(const ModelRequest& request) {
  const auto found =
      std::find_if(request.messages.rbegin(), request.messages.rend(),
                   [](const Message& one) { return one.role == model::Role::system; });
  return found == request.messages.rend() ? std::string_view() : found->content;
}

std::string_view asked_text(const ModelRequest& request) {
  const Message* message = last_request(request.messages);
  return message == nullptr ? std::string_view() : model::request_in(*message);
}

std::string shortened(std::string_view text, std::size_t limit) {
  std::string out(core::utf8_truncate(text, limit));
  return out.size() < text.size() ? out + "..." : out;
}

// --- tot -------------------------------------------------------------------------------------

json::object candidate(const std::string& thought, const std::vector<model::ToolCall>& calls = {}) {
  json::array written;
  for (const model::ToolCall& call : calls) {
    boost::system::error_code failure;
    written.push_back({{"name", call.name}, {"arguments", json::parse(call.arguments, failure)}});
  }
  return {{"thought", thought}, {"tool_calls", std::move(written)}};
}

// Another way to something when the first did not work: look what there is.
std::optional<json::object> look_around(const Progress& progress, const ModelRequest& request) {
  const std::string path = progress.request.steps[progress.next_step].first("path");
  const std::size_t slash = path.rfind('/');
  Step step;
  step.intent = Intent::list;
  step.slots["folder"] = {slash == std::string::npos || slash == 0 ? "." : path.substr(0, slash)};
  const model::ToolSpec* tool = tool_for(step, request.tools);
  if (tool == nullptr || tool->name == progress.next.front().name) return std::nullopt;
  const ToolPlan plan = plan_calls(step, *tool, std::nullopt);
  if (plan.calls.empty()) return std::nullopt;
  return candidate(
      either(progress.request.language, "First look what there is in ", "先看看目录里有什么：") +
          step.first("folder"),
      plan.calls);
}

// The results of all calls since the request, as they are.
std::string all_results(const ModelRequest& request, Language language) {
  std::string out;
  const Message* asked = last_request(request.messages);
  for (const Message& message : request.messages) {
    if (&message <= asked || message.role != model::Role::tool) continue;
    out += "\n\n" + block(plain_result(message.content), language);
  }
  return out.empty() ? either(language, " nothing.", "没有。") : out;
}

Answer expand(const ModelRequest& request) {
  const std::string_view system = system_text(request);
  const Progress progress = walk(asked_text(request), request);
  const Language language = progress.request.language;
  const auto say = [language](const std::string& english, const std::string& chinese) {
    return either(language, english, chinese);
  };
  json::array candidates;
  if (progress.next.empty()) {
    candidates.push_back(candidate(report(progress, request.tools)));
    candidates.push_back(candidate(say("It is done.", "完成了。")));
  } else {
    const std::string& step = progress.request.steps[progress.next_step].text;
    const std::string thought = say("Do it directly: " + step, "直接去做：" + step);
    const bool must_answer = system.find("This is the last level") != std::string_view::npos;
    const bool was_tried = system.find("\n- " + std::string(core::utf8_truncate(thought, 60))) !=
                           std::string_view::npos;
    if (must_answer || was_tried) {
      candidates.push_back(
          candidate(say("I could not do this: " + step + ". What I have in its place:",
                        "没能做到：" + step + "。目前找到的是：") +
                    all_results(request, language)));
    } else {
      candidates.push_back(candidate(thought, progress.next));
      if (auto around = look_around(progress, request)) candidates.push_back(std::move(*around));
      candidates.push_back(candidate(say("Say, without looking, that this is only a demonstration.",
                                         "什么都不查，直接说明这只是演示。")));
    }
  }
  return {say("(Demonstration.) I write down the ways that the patterns know.",
              "（演示。）写出所知道的几种做法。"),
          json::serialize(json::object{{"candidates", std::move(candidates)}}),
          {}};
}

// In the order in which expand() gives them.
Answer evaluate(const ModelRequest& request) {
  constexpr std::array<const char*, 4> kByPlace = {"0.9", "0.6", "0.3", "0.25"};
  const std::string_view system = system_text(request);
  std::string scores;
  std::size_t count = 0;
  for (std::size_t at = system.find("\nCandidate "); at != std::string_view::npos;
       at = system.find("\nCandidate ", at + 1)) {
    scores += std::string(count == 0 ? "" : ",") + kByPlace[std::min(count, kByPlace.size() - 1)];
    ++count;
  }
  return {{}, "{\"scores\":[" + scores + "]}", {}};
}

// --- got -------------------------------------------------------------------------------------

// Tasks that this model gives itself in plans: both sides of what it says to itself.
struct OwnTask {
  const char* english;
  const char* chinese;
};
constexpr OwnTask kMerge = {"Put the earlier results together.", "汇总前面的结果。"};
constexpr OwnTask kCompare = {"Compare the earlier results.", "比较前面的结果。"};
constexpr OwnTask kCount = {"Count the lines of the earlier results.", "统计前面结果的行数。"};
constexpr OwnTask kBegin = {"Quote the beginning of the earlier results.", "摘出前面结果的开头。"};

class Plan {
 public:
  // Behind the tasks `needs`.
  void add(const std::string& description, const std::set<std::string>& needs) {
    const std::string id = "task_" + std::to_string(nodes_.size() + 1);
    nodes_.push_back({{"id", id}, {"description", description}});
    for (const std::string& need : needs) {
      edges_.push_back(json::array{need, id});
      ends.erase(need);
    }
    ends.insert(id);
  }
  std::string text() const {
    return json::serialize(json::object{{"nodes", nodes_}, {"edges", edges_}});
  }

  std::set<std::string> ends;  // tasks that none needs yet

 private:
  json::array nodes_;
  json::array edges_;
};

// What only looks, and at nothing that a step before may have changed.
bool stands_alone(const Step& step, const std::set<std::string>& changed) {
  const bool looks = step.intent == Intent::read || step.intent == Intent::list ||
                     step.intent == Intent::glob || step.intent == Intent::search ||
                     step.intent == Intent::fetch || step.intent == Intent::recall;
  return looks && step.tool.empty() && !changed.contains(step.first("path"));
}

Answer make_plan(const ModelRequest& request) {
  const Request read = read_request(asked_text(request));
  const Language language = read.language;
  Plan plan;
  std::set<std::string> changed;  // paths, by the steps so far
  for (const Step& step : read.steps) {
    const auto named = step.slots.find("path");
    const std::vector<std::string> paths =
        named == step.slots.end() ? std::vector<std::string>() : named->second;
    const std::set<std::string> needs =
        stands_alone(step, changed) ? std::set<std::string>() : plan.ends;
    if (step.intent == Intent::tell && !plan.ends.empty()) continue;
    if (step.intent == Intent::read && paths.size() > 1) {
      Plan& all = plan;
      std::set<std::string> parts = all.ends;
      for (const std::string& path : paths)
        all.add(either(language, "Read the file ", "读取文件 ") + path, {});
      std::erase_if(parts, [&](const std::string& end) { return !all.ends.contains(end); });
      std::set<std::string> read_now = all.ends;
      for (const std::string& end : parts) read_now.erase(end);
      if (step.judges) all.add(either(language, kCompare.english, kCompare.chinese), read_now);
      continue;
    }
    std::string text = step.text;
    for (const std::string& path : paths) {
      if (text.find(path) == std::string::npos) text += " (" + path + ")";
    }
    plan.add(text, needs);
    if (!stands_alone(step, {})) changed.insert(paths.begin(), paths.end());
  }
  if (read.steps.empty()) plan.add(shortened(asked_text(request), 500), {});
  if (plan.ends.size() > 1) plan.add(either(language, kMerge.english, kMerge.chinese), plan.ends);
  return {either(language, "(Demonstration.) Each step of the request is a task.",
                 "（演示。）请求的每一步是一个任务。"),
          plan.text(),
          {}};
}

// The texts of the blocks "Result of 'ID':" of a message.
std::vector<std::string> earlier_results(std::string_view text) {
  static const Expression kMark(R"(\n\nResult of '[^'\n]*':\n)");
  std::vector<std::string> out;
  for (auto hit = kMark.find(text); hit;) {
    const auto next = kMark.find(text, hit->end);
    std::string_view body = text.substr(hit->end, next ? next->begin - hit->end : text.npos);
    out.emplace_back(body.substr(0, body.rfind("\n\nSub-task: ")));
    hit = next;
  }
  return out;
}

// What is in the first block of code, or all of it.
std::string raw_of(const std::string& result) {
  static const Expression kBlock(R"(```\n(?P<code>.*?)\n```)");
  const auto hit = kBlock.find(result);
  return hit ? std::string(hit->slots.at("code")) : result;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string compared(const std::vector<std::string>& results, Language language) {
  const std::vector<std::string> first = lines_of(raw_of(results.front()));
  const std::vector<std::string> second = lines_of(raw_of(results.back()));
  const std::set<std::string> in_second(second.begin(), second.end());
  const std::string both =
      std::to_string(std::count_if(first.begin(), first.end(), [&](const std::string& line) {
        return in_second.contains(line);
      }));
  const std::string one = std::to_string(first.size());
  const std::string two = std::to_string(second.size());
  return either(
      language,
      "Compared line by line. Lines in the first: " + one + ", in the second: " + two +
          ", lines in both: " + both + ".",
      "逐行比较：第一个有 " + one + " 行，第二个有 " + two + " 行，其中 " + both + " 行两者都有。");
}

// Empty: the task is none of its own.
std::string own_task(std::string_view task, const std::vector<std::string>& results,
                     Language language) {
  const auto is = [task](const OwnTask& own) { return task == own.english || task == own.chinese; };
  if (is(kCompare) && !results.empty()) return compared(results, language);
  if (!is(kMerge) && !is(kCount) && !is(kBegin)) return {};
  std::string out;
  for (const std::string& result : results) {
    const std::vector<std::string> lines = lines_of(raw_of(result));
    out += out.empty() ? "" : "\n\n";
    if (is(kMerge)) out += result;
    if (is(kCount)) out += std::to_string(lines.size()) + either(language, " lines.", " 行。");
    if (is(kBegin))
      out += either(language, "It begins: ", "开头是：") +
             (lines.empty() ? "" : shortened(lines.front(), 200));
  }
  return out;
}

Answer work_on_task(const ModelRequest& request) {
  constexpr std::string_view kMark = "\n\nSub-task: ";
  const std::string_view text = asked_text(request);
  const std::size_t at = text.rfind(kMark);
  const std::string_view task =
      core::trimmed(at == text.npos ? text : text.substr(at + kMark.size()));
  const std::vector<std::string> results = earlier_results(text);
  const Language language = language_of(task);
  if (std::string own = own_task(task, results, language); !own.empty()) {
    return {either(language, "(Demonstration.) Nothing has to be called for this.",
                   "（演示。）这一步不需要调用工具。"),
            own,
            {}};
  }
  const auto given = results.empty() ? std::nullopt : std::optional(raw_of(results.back()));
  return answer_of(walk(task, request, given), request.tools);
}

// The task of a question about its result.
std::string_view task_in(const ModelRequest& request) {
  static const Expression kTask(R"(\nTask: (?P<task>.*?)(?:\nResult: |$))");
  const auto hit = kTask.find(system_text(request));
  return hit ? hit->slots.at("task") : std::string_view();
}

Answer judge_complexity(const ModelRequest& request) {
  static const Expression kDeep(
      R"(analy[sz]e|compare|evaluate|investigate|分析|比较|评估|研究|调查)");
  return {{}, kDeep.in(task_in(request)) ? "complex" : "simple", {}};
}

Answer decompose(const ModelRequest& request) {
  const Language language = language_of(task_in(request));
  Plan plan;
  for (const OwnTask& task : {kCount, kBegin})
    plan.add(either(language, task.english, task.chinese), {});
  return {{}, plan.text(), {}};
}

// --- dup, summaries --------------------------------------------------------------------------

Answer understand(const ModelRequest& request) {
  static const Expression kLimits(
      R"(\b(?:only|must|don't|do not|without|at most|never)\b|只|必须|不要|不能|不得|最多)");
  const Request read = read_request(asked_text(request));
  json::array constraints;
  std::string context =
      either(read.language, "Steps: ", "步骤数：") + std::to_string(read.steps.size());
  for (const Step& step : read.steps) {
    if (kLimits.in(step.text)) constraints.emplace_back(shortened(step.text, 200));
    for (const char* slot : {"path", "url"})
      context += step.first(slot).empty() ? "" : ", " + step.first(slot);
  }
  return {
      either(read.language, "(Demonstration.) I take the request apart.", "（演示。）拆解请求。"),
      json::serialize(
          json::object{{"core_goal", shortened(core::trimmed(asked_text(request)), 300)},
                       {"key_constraints", std::move(constraints)},
                       {"relevant_context", context}}),
      {}};
}

// Of the results of tasks: all of them. Of a transcript: its requests and calls.
Answer summarise(const ModelRequest& request) {
  constexpr std::size_t kMaxSummary = 3'000;
  const std::string_view text = asked_text(request);
  if (text.starts_with("The request: ")) {
    std::string out;
    for (const std::string& result : earlier_results(text))
      out += (out.empty() ? "" : "\n\n") + result;
    static const Expression kFailed(R"(\n\n'[^'\n]*' could not be done: )");
    const auto failed = kFailed.find(text);
    const bool is_told = out.find("' could not be done: ") != std::string::npos;
    if (failed && !is_told) out += text.substr(failed->begin);
    if (!out.empty()) return {{}, out, {}};
  }
  std::string out = either(language_of(text), "(Summary of the demonstration: requests and calls.)",
                           "（演示模型的摘要：请求和调用。）");
  static const Expression kKept("(?:Person|Call|Error): .*");
  for (const std::string& line : lines_of(text)) {
    if (kKept.is(line) && out.size() < kMaxSummary) out += "\n- " + shortened(line, 160);
  }
  return {{}, out, {}};
}

struct NamedTask {
  std::string_view name;
  Answer (*work)(const ModelRequest&);
};
constexpr std::array<NamedTask, 8> kTasks = {{{"tot_expand", expand},
                                              {"tot_evaluate", evaluate},
                                              {"got_plan", make_plan},
                                              {"got_complexity", judge_complexity},
                                              {"got_decompose", decompose},
                                              {"got_task", work_on_task},
                                              {"dup_understand", understand},
                                              {"summary", summarise}}};

}  // namespace

std::optional<Answer> answer_task(const ModelRequest& request) {
  constexpr std::string_view kMark = "[parley:task ";
  const std::string_view text = system_text(request);
  const std::size_t at = text.rfind(kMark);
  if (at == text.npos || (at > 0 && text[at - 1] != '\n')) return std::nullopt;
  for (const NamedTask& task : kTasks) {
    const std::string_view rest = text.substr(at + kMark.size());
    if (rest.starts_with(task.name) && rest.substr(task.name.size()).starts_with(']'))
      return task.work(request);
  }
  return std::nullopt;
}

}  // namespace parley::demo_model
