// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/agent_tasks.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iterator>
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
  const auto& all = request.messages;
  const auto found = std::find_if(all.rbegin(), all.rend(), [](const Message& message) {
    return message.role == model::Role::system;
  });
  return found == all.rend() ? std::string_view() : found->content;
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

// The next step; another way, to look what there is; and none at all.
void propose(json::array& out, const std::string& thought, const Progress& progress,
             const ModelRequest& request) {
  const Language language = progress.request.language;
  out.push_back(candidate(thought, progress.next));
  const std::string path = progress.request.steps[progress.next_step].first("path");
  const std::size_t slash = path.rfind('/');
  const bool is_nested = slash != std::string::npos && slash > 0;
  const Progress look =
      walk("list the folder \"" + (is_nested ? path.substr(0, slash) : ".") + "\"",
           {{}, request.tools, {}, {}, false, {}});
  if (!look.next.empty() && look.next.front().name != progress.next.front().name) {
    out.push_back(
        candidate(either(language, "First look what there is.", "先看看有什么。"), look.next));
  }
  out.push_back(candidate(either(language, "Say, without looking, that this is a demonstration.",
                                 "什么都不查，直接说明这只是演示。")));
}

// What the calls since the request brought, as it is.
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
  json::array candidates;
  if (progress.next.empty()) {
    candidates.push_back(candidate(report(progress, request.tools)));
    candidates.push_back(candidate(either(language, "It is done.", "完成了。")));
  } else {
    const std::string& step = progress.request.steps[progress.next_step].text;
    const std::string thought = either(language, "Do it directly: ", "直接去做：") + step;
    const std::string tried = "\n- " + std::string(core::utf8_truncate(thought, 60));
    if (system.find("This is the last level") == system.npos && system.find(tried) == system.npos) {
      propose(candidates, thought, progress, request);
    } else {
      const std::string could_not =
          either(language, "I could not do this: " + step + ". What I have in its place:",
                 "没能做到：" + step + "。目前找到的是：");
      candidates.push_back(candidate(could_not + all_results(request, language)));
    }
  }
  return {either(language, "(Demonstration.) I write down the ways that the patterns know.",
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
  for (std::size_t at = system.find("\nCandidate "); at != system.npos;
       at = system.find("\nCandidate ", at + 1)) {
    scores += (count == 0 ? "" : ",") + std::string(kByPlace[std::min<std::size_t>(count, 3)]);
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
  // A task behind those of `needs`; its id.
  std::string add(const std::string& description, const std::set<std::string>& needs) {
    std::string id = "task_" + std::to_string(nodes_.size() + 1);
    nodes_.push_back({{"id", id}, {"description", description}});
    for (const std::string& need : needs) {
      edges_.push_back(json::array{need, id});
      ends_.erase(need);
    }
    ends_.insert(id);
    return id;
  }
  std::set<std::string> ends() const { return ends_; }  // the tasks that none needs yet
  std::string text() const {
    return json::serialize(json::object{{"nodes", nodes_}, {"edges", edges_}});
  }

 private:
  std::set<std::string> ends_;
  json::array nodes_;
  json::array edges_;
};

bool only_looks(const Step& step) {
  constexpr std::array kLooks = {Intent::read,   Intent::list,  Intent::glob,
                                 Intent::search, Intent::fetch, Intent::recall};
  return step.tool.empty() && std::count(kLooks.begin(), kLooks.end(), step.intent) > 0;
}

Answer make_plan(const ModelRequest& request) {
  const Request read = read_request(asked_text(request));
  const auto say = [&read](const OwnTask& own) {
    return either(read.language, own.english, own.chinese);
  };
  Plan plan;
  bool has_changed = false;  // something, by the steps so far
  for (const Step& step : read.steps) {
    const auto named = step.slots.find("path");
    const auto paths = named == step.slots.end() ? std::vector<std::string>() : named->second;
    if (step.intent == Intent::tell && !plan.ends().empty()) continue;
    if (step.intent == Intent::read && paths.size() > 1) {
      std::set<std::string> parts;
      for (const std::string& path : paths) {
        parts.insert(plan.add(either(read.language, "Read the file ", "读取文件 ") + path, {}));
      }
      if (step.judges) plan.add(say(kCompare), parts);
      continue;
    }
    const std::string path = step.first("path");
    const bool is_free = only_looks(step) && !has_changed;
    const bool is_said = step.text.find(path) != std::string::npos;
    plan.add(is_said ? step.text : step.text + " (" + path + ")",
             is_free ? std::set<std::string>() : plan.ends());
    has_changed = has_changed || !only_looks(step);
  }
  if (read.steps.empty()) plan.add(shortened(asked_text(request), 500), {});
  if (plan.ends().size() > 1) plan.add(say(kMerge), plan.ends());
  return {either(read.language, "(Demonstration.) Each step of the request is a task.",
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
    const std::string_view body = text.substr(hit->end, next ? next->begin - hit->end : text.npos);
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
  for (std::size_t at = 0; at < text.size(); at += out.back().size() + 1) {
    out.emplace_back(text.substr(at, text.find('\n', at) - at));
  }
  return out;
}

std::string compared(const std::vector<std::string>& results, Language language) {
  std::vector<std::string> first = lines_of(raw_of(results.front()));
  std::vector<std::string> second = lines_of(raw_of(results.back()));
  const std::string counts = std::to_string(first.size()) +
                             either(language, ", in the second: ", " 行，第二个 ") +
                             std::to_string(second.size());
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  std::vector<std::string> both;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(both));
  const std::string shared = std::to_string(both.size());
  return either(
      language,
      "Compared line by line. Lines in the first: " + counts + ", lines in both: " + shared + ".",
      "逐行比较：第一个 " + counts + " 行，两者都有 " + shared + " 行。");
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
    if (is(kCount)) out += either(language, "Lines: ", "行数：") + std::to_string(lines.size());
    if (is(kBegin)) out += "> " + shortened(lines.empty() ? "" : lines.front(), 200);
  }
  return out;
}

Answer work_on_task(const ModelRequest& request) {
  constexpr std::string_view kMark = "\n\nSub-task: ";
  const std::string_view text = asked_text(request);
  const std::size_t at = text.rfind(kMark);
  const auto task = core::trimmed(at == text.npos ? text : text.substr(at + kMark.size()));
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
  static const Expression kDeep("analy[sz]e|compare|evaluate|investigate|分析|比较|评估|调查");
  return {{}, kDeep.in(task_in(request)) ? "complex" : "simple", {}};
}

Answer decompose(const ModelRequest& request) {
  const Language language = language_of(task_in(request));
  Plan plan;
  plan.add(either(language, kCount.english, kCount.chinese), {});
  plan.add(either(language, kBegin.english, kBegin.chinese), {});
  return {{}, plan.text(), {}};
}

// --- dup, summaries --------------------------------------------------------------------------

Answer understand(const ModelRequest& request) {
  static const Expression kLimits(
      R"(\b(?:only|must|don't|do not|without|at most|never)\b|只|必须|不要|不能|不得|最多)");
  const Request read = read_request(asked_text(request));
  json::array constraints;
  std::string context =
      std::to_string(read.steps.size()) + either(read.language, " step(s)", " 步");
  for (const Step& step : read.steps) {
    if (kLimits.in(step.text)) constraints.emplace_back(shortened(step.text, 200));
    for (const char* slot : {"path", "url"}) {
      context += step.slots.contains(slot) ? ", " + step.first(slot) : "";
    }
  }
  const std::string goal = shortened(core::trimmed(asked_text(request)), 300);
  return {
      either(read.language, "(Demonstration.) I take the request apart.", "（演示。）拆解请求。"),
      json::serialize(json::object{{"core_goal", goal},
                                   {"key_constraints", std::move(constraints)},
                                   {"relevant_context", context}}),
      {}};
}

// Of the results of tasks: all of them. Of a transcript: its requests and calls.
Answer summarise(const ModelRequest& request) {
  constexpr std::size_t kMaxSummary = 3'000;
  static const Expression kFailed(R"(\n\n'[^'\n]*' could not be done: )");
  static const Expression kKept("(?:Person|Call|Error): .*");
  const std::string_view text = asked_text(request);
  std::string out;
  for (const std::string& result : earlier_results(text)) {
    out += (out.empty() ? "" : "\n\n") + result;
  }
  if (const auto failed = kFailed.find(text); failed && !kFailed.in(out)) {
    out += text.substr(failed->begin);
  }
  if (text.starts_with("The request: ") && !out.empty()) return {{}, out, {}};
  out = either(language_of(text), "(Summary of the demonstration: requests and calls.)",
               "（演示模型的摘要：请求和调用。）");
  for (const std::string& line : lines_of(text)) {
    if (kKept.is(line) && out.size() < kMaxSummary) out += "\n- " + shortened(line, 160);
  }
  return {{}, out, {}};
}

struct NamedTask {
  std::string_view name;
  Answer (*work)(const ModelRequest&);
};
constexpr NamedTask kTasks[] = {
    {"tot_expand]", expand},         {"tot_evaluate]", evaluate},
    {"got_plan]", make_plan},        {"got_complexity]", judge_complexity},
    {"got_decompose]", decompose},   {"got_task]", work_on_task},
    {"dup_understand]", understand}, {"summary]", summarise}};

}  // namespace

std::optional<Answer> answer_task(const ModelRequest& request) {
  constexpr std::string_view kMark = "[parley:task ";
  const std::string_view text = system_text(request);
  const std::size_t at = text.rfind(kMark);
  if (at == text.npos || (at > 0 && text[at - 1] != '\n')) return std::nullopt;
  for (const NamedTask& task : kTasks) {
    if (text.substr(at + kMark.size()).starts_with(task.name)) return task.work(request);
  }
  return std::nullopt;
}

}  // namespace parley::demo_model
