// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_tasks.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/json_writer.h"
#include "core/utf8.h"
#include "runtime/model/context.h"

namespace parley::model::offline {
namespace {

namespace json = boost::json;

// Tasks that this model gives itself in plans: both sides of what it says to itself.
struct OwnTask {
  std::string_view english;
  std::string_view chinese;
};
constexpr OwnTask kMerge = {"Put the earlier results together.", "汇总前面的结果。"};
constexpr OwnTask kCompare = {"Compare the earlier results.", "比较前面的结果。"};
constexpr OwnTask kCount = {"Count the lines and words of the earlier results.",
                            "统计前面结果的行数和词数。"};
constexpr OwnTask kBegin = {"Quote the beginning of the earlier results.", "摘出前面结果的开头。"};

const std::string& system_text(const ModelRequest& request) {
  static const std::string kNone;
  for (std::size_t i = request.messages.size(); i-- > 0;) {
    if (request.messages[i].role == Role::system) return request.messages[i].content;
  }
  return kNone;
}

std::string last_text(const ModelRequest& request) {
  const Message* message = last_request(request.messages);
  return message == nullptr ? std::string() : std::string(request_in(*message));
}

std::string shortened(std::string_view text, std::size_t limit) {
  std::string out(core::utf8_truncate(text, limit));
  if (out.size() < text.size()) out += "...";
  return out;
}

std::string one_line(std::string_view text, std::size_t limit) {
  std::string out = shortened(trimmed(text), limit);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

// What follows the last `label` of a text, to the next `until`.
std::string_view labelled(std::string_view text, std::string_view label, std::string_view until) {
  const std::size_t at = text.rfind(label);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + label.size());
  return trimmed(until.empty() ? text : text.substr(0, text.find(until)));
}

bool wants_analysis(std::string_view text) {
  const Text read = read_text(core::utf8_truncate(text, kMaxRequestBytes));
  return has_any(read.plain, {"analyse", "analyze", "compare", "evaluate", "investigate", "prove",
                              "compute", "分析", "比较", "评估", "研究", "调查"});
}

// --- tot -------------------------------------------------------------------------------------

struct Candidate {
  std::string thought;
  std::vector<ToolCall> calls;
};

json::value calls_value(const std::vector<ToolCall>& calls) {
  json::array out;
  for (const ToolCall& call : calls) {
    json::object one;
    one["name"] = call.name;
    boost::system::error_code failure;
    one["arguments"] = json::parse(call.arguments, failure);
    out.emplace_back(std::move(one));
  }
  return out;
}

std::string written(const std::vector<Candidate>& candidates, bool as_lines) {
  std::string lines;
  json::array list;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const json::value calls = calls_value(candidates[i].calls);
    lines += "CANDIDATE " + std::to_string(i + 1) +
             ": THOUGHT: " + one_line(candidates[i].thought, 2'000) +
             " | TOOL_CALLS: " + json::serialize(calls) + "\n";
    json::object one;
    one["thought"] = json::string(candidates[i].thought);
    one["tool_calls"] = calls;
    list.emplace_back(std::move(one));
  }
  if (as_lines) return lines;
  json::object root;
  root["candidates"] = std::move(list);
  return json::serialize(root);
}

// Another way to something when the first did not work: look what there is.
std::optional<Candidate> look_around(const Progress& progress, const ModelRequest& request) {
  Step step;
  step.intent = Intent::list;
  const Step& failed = progress.request.steps[progress.next_step];
  const std::string path = failed.slots.paths.empty() ? "." : failed.slots.paths.front();
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos || slash == 0 ? "." : path.substr(0, slash);
  step.slots.paths = {folder};
  const ToolSpec* tool = tool_for(step, request.tools);
  if (tool == nullptr || tool->name == progress.next->front().name) return std::nullopt;
  ToolPlan plan = plan_calls(step, *tool, request.tools, {});
  if (plan.calls.empty()) return std::nullopt;
  const Language language = progress.request.language;
  return Candidate{either(language, "First look what the folder `" + folder + "` holds.",
                          "先看看目录 `" + folder + "` 里有什么。"),
                   std::move(plan.calls)};
}

// The results of all calls since the request, as they are.
std::string all_results(const ModelRequest& request, Language language) {
  std::string out;
  const Message* asked = last_request(request.messages);
  for (const Message& message : request.messages) {
    if (&message <= asked || message.role != Role::tool) continue;
    out += "\n\n" + block(plain_result(message.content), language);
  }
  return out;
}

Answer expand(const ModelRequest& request) {
  const std::string& system = system_text(request);
  const Progress progress = walk(last_text(request), request.messages, request.tools);
  const Language language = progress.request.language;
  std::vector<Candidate> candidates;
  const bool must_answer = system.find("This is the last level") != std::string::npos;
  if (progress.next && !must_answer) {
    const std::string step = progress.request.steps[progress.next_step].text.text;
    const std::string thought = either(language, "Do it directly: " + step, "直接去做：" + step);
    const bool was_tried = system.find("\n- " + shortened(thought, 60)) != std::string::npos;
    if (!was_tried) {
      candidates.push_back({thought, *progress.next});
      if (auto around = look_around(progress, request)) candidates.push_back(std::move(*around));
      candidates.push_back(
          {either(language, "Say, without looking, that this is only a demonstration.",
                  "什么都不查，直接说明这只是演示。"),
           {}});
    } else {
      const std::string found = all_results(request, language);
      candidates.push_back(
          {either(language, "I could not do this: " + step + ". What I found in its place:",
                  "没能做到：" + step + "。找到的是：") +
               (found.empty() ? either(language, " nothing.", "没有。") : found),
           {}});
    }
  } else {
    candidates.push_back({progress.next
                              ? either(language, "There was no more room to look; what I have:",
                                       "没有余地再查了，目前的结果：") +
                                    all_results(request, language)
                              : report(progress, request.tools),
                          {}});
    candidates.push_back({either(language, "It is done.", "完成了。"), {}});
  }
  Answer answer;
  answer.reasoning = either(language, "(Demonstration.) I write down the ways that the rules know.",
                            "（演示。）写出规则所知道的几种做法。");
  answer.text = written(candidates, system.find("CANDIDATE") != std::string::npos);
  return answer;
}

// In the order in which expand() gives them, unless their texts say otherwise.
Answer evaluate(const ModelRequest& request) {
  constexpr std::array<double, 4> kByPlace = {0.9, 0.6, 0.3, 0.25};
  const std::string& system = system_text(request);
  std::string reply;
  core::JsonWriter scores(reply);
  scores.begin_object().key("scores").begin_array();
  std::size_t count = 0;
  for (std::size_t at = system.find("\nCandidate "); at != std::string::npos;
       at = system.find("\nCandidate ", at + 1)) {
    scores.number(kByPlace[std::min(count++, kByPlace.size() - 1)]);
  }
  if (count == 0) {
    for (const double score : {0.9, 0.6, 0.3}) scores.number(score);
  }
  scores.end_array().end_object();
  return {{}, std::move(reply), {}};
}

// --- got -------------------------------------------------------------------------------------

class Plan {
 public:
  explicit Plan(Language language) : language_(language) {}

  std::string add(const std::string& description, const std::vector<std::string>& needs) {
    std::string id = "task_" + std::to_string(nodes_.size() + 1);
    json::object node;
    node["id"] = id;
    node["description"] = description;
    nodes_.emplace_back(std::move(node));
    for (const std::string& need : needs) {
      json::array edge;
      edge.emplace_back(json::string(need));
      edge.emplace_back(json::string(id));
      edges_.emplace_back(std::move(edge));
      ends_.erase(need);
    }
    ends_.insert(id);
    return id;
  }
  std::string add(const OwnTask& task, const std::vector<std::string>& needs) {
    return add(either(language_, task.english, task.chinese), needs);
  }
  std::vector<std::string> ends() const { return {ends_.begin(), ends_.end()}; }
  std::string text() const {
    json::object root;
    root["nodes"] = nodes_;
    root["edges"] = edges_;
    return json::serialize(root);
  }

 private:
  Language language_;
  json::array nodes_;
  json::array edges_;
  std::set<std::string> ends_;
};

bool only_looks(Intent intent) {
  return intent == Intent::read || intent == Intent::list || intent == Intent::glob ||
         intent == Intent::search || intent == Intent::fetch || intent == Intent::recall;
}

// A step so that it is understood without those before it.
std::string alone(const Step& step) {
  std::string text = step.text.text;
  for (const std::string& path : step.slots.paths) {
    if (text.find(path) == std::string::npos) text += " (" + path + ")";
  }
  return text;
}

Answer make_plan(const ModelRequest& request) {
  const std::string text = last_text(request);
  const Request read = read_request(text);
  Plan plan(read.language);
  std::set<std::string> changed;  // paths, by the steps so far
  for (const Step& step : read.steps) {
    const std::vector<std::string>& paths = step.slots.paths;
    if (step.intent == Intent::read && paths.size() > 1) {
      std::vector<std::string> parts;
      parts.reserve(paths.size());
      for (const std::string& path : paths) {
        parts.push_back(
            plan.add(either(read.language, "Read the file " + path, "读取文件 " + path), {}));
      }
      if (wants_analysis(step.text.text)) plan.add(kCompare, parts);
      continue;
    }
    const bool is_fresh =
        std::none_of(paths.begin(), paths.end(),
                     [&changed](const std::string& path) { return changed.contains(path); });
    const bool stands_alone = only_looks(step.intent) && !step.slots.of_result && is_fresh;
    plan.add(alone(step), stands_alone ? std::vector<std::string>() : plan.ends());
    if (!only_looks(step.intent)) changed.insert(paths.begin(), paths.end());
  }
  if (read.steps.empty()) plan.add(shortened(text, 500), {});
  if (plan.ends().size() > 1) plan.add(kMerge, plan.ends());
  return {either(read.language, "(Demonstration.) Each step of the request is a task.",
                 "（演示。）请求的每一步是一个任务。"),
          plan.text(),
          {}};
}

// "Result of 'a':" blocks of a task's message.
struct Earlier {
  std::string id;
  std::string text;
};

std::vector<Earlier> earlier_results(std::string_view text) {
  constexpr std::string_view kMark = "\n\nResult of '";
  std::vector<Earlier> out;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos;) {
    const std::size_t begin = at + kMark.size();
    const std::size_t quote = text.find("':\n", begin);
    if (quote == std::string_view::npos) break;
    at = text.find(kMark, quote);
    std::string_view body =
        text.substr(quote + 3, at == std::string_view::npos ? at : at - quote - 3);
    body = body.substr(0, body.rfind("\n\nSub-task: "));
    out.push_back({std::string(text.substr(begin, quote - begin)), std::string(body)});
  }
  return out;
}

// What is in the first block of code, or all of it.
std::string raw_of(std::string_view result) {
  const std::size_t open = result.find("```\n");
  const std::size_t close = open == std::string_view::npos ? open : result.find("\n```", open + 4);
  if (close == std::string_view::npos) return std::string(result);
  return std::string(result.substr(open + 4, close - open - 4));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string compared(const std::vector<Earlier>& results, Language language) {
  if (results.size() < 2) return results.empty() ? std::string() : results.front().text;
  const std::vector<std::string> first = lines_of(raw_of(results[0].text));
  const std::vector<std::string> second = lines_of(raw_of(results[1].text));
  const std::set<std::string> in_second(second.begin(), second.end());
  const auto shared = std::count_if(first.begin(), first.end(), [&](const std::string& line) {
    return in_second.contains(line);
  });
  const std::string one = std::to_string(first.size());
  const std::string two = std::to_string(second.size());
  const std::string both = std::to_string(shared);
  return either(
      language,
      "Compared line by line. Lines in the first: " + one + ", in the second: " + two +
          ", lines in both: " + both + ".",
      "逐行比较：第一个有 " + one + " 行，第二个有 " + two + " 行，其中 " + both + " 行两者都有。");
}

std::string sizes_of(const std::string& raw, Language language) {
  const std::string lines = std::to_string(lines_of(raw).size());
  const std::string words = std::to_string(words_of(raw).size());
  return either(language, lines + " lines, " + words + " words.",
                lines + " 行，" + words + " 个词。");
}

std::string own_task(const std::string& task, const std::vector<Earlier>& results,
                     Language language) {
  const auto is = [&task](const OwnTask& own) {
    return task == own.english || task == own.chinese;
  };
  if (is(kCompare)) return compared(results, language);
  std::string out;
  for (const Earlier& result : results) {
    if (!out.empty()) out += "\n\n";
    if (is(kMerge)) {
      out += result.text;
    } else if (is(kCount)) {
      out += sizes_of(raw_of(result.text), language);
    } else if (is(kBegin)) {
      const std::vector<std::string> lines = lines_of(raw_of(result.text));
      out += either(language, "It begins: ", "开头是：") +
             (lines.empty() ? std::string() : shortened(lines.front(), 200));
    } else {
      return {};
    }
  }
  return out;
}

Answer work_on_task(const ModelRequest& request) {
  const std::string text = last_text(request);
  std::string task(labelled(text, "\n\nSub-task: ", ""));
  if (task.empty()) task = text;
  const std::vector<Earlier> results = earlier_results(text);
  const Language language = language_of(read_text(core::utf8_truncate(task, kMaxRequestBytes)));
  if (std::string own = own_task(task, results, language); !own.empty()) {
    return {either(language, "(Demonstration.) Nothing has to be called for this.",
                   "（演示。）这一步不需要调用工具。"),
            own,
            {}};
  }
  std::optional<std::string> given;
  if (!results.empty()) given = raw_of(results.back().text);
  return answer_of(walk(task, request.messages, request.tools, given), request.tools);
}

Answer judge_complexity(const ModelRequest& request) {
  const std::string_view task = labelled(system_text(request), "\nTask: ", "\nResult: ");
  return {{}, wants_analysis(task) ? "complex" : "simple", {}};
}

Answer decompose(const ModelRequest& request) {
  const std::string_view task = labelled(system_text(request), "\nTask: ", "\nResult: ");
  Plan plan(language_of(read_text(core::utf8_truncate(task, kMaxRequestBytes))));
  plan.add(kCount, {});
  plan.add(kBegin, {});
  return {{}, plan.text(), {}};
}

// --- dup, summaries, titles ------------------------------------------------------------------

Answer understand(const ModelRequest& request) {
  const std::string text = last_text(request);
  const Request read = read_request(text);
  json::array constraints;
  json::array files;
  for (const Step& step : read.steps) {
    const bool limits = has_any(
        step.text.plain, {"only", "must", "must not", "don't", "do not", "without", "at most",
                          "never", "只", "必须", "不要", "不能", "不得", "最多"});
    if (limits) constraints.emplace_back(json::string(one_line(step.text.text, 200)));
  }
  std::string context;
  for (const Value& value : read_text(core::utf8_truncate(text, kMaxRequestBytes)).values) {
    if (value.kind != Value::Kind::path && value.kind != Value::Kind::url) continue;
    context += (context.empty() ? "" : ", ") + value.text;
  }
  if (!context.empty())
    context = either(read.language, "Named in the request: ", "请求中提到：") + context;
  const std::string steps = std::to_string(read.steps.size());
  context += (context.empty() ? "" : ". ") +
             either(read.language, "Steps: " + steps + ".", "共 " + steps + " 步。");
  json::object root;
  root["core_goal"] = json::string(one_line(text, 300));
  root["key_constraints"] = std::move(constraints);
  root["relevant_context"] = json::string(context);
  return {
      either(read.language, "(Demonstration.) I take the request apart.", "（演示。）拆解请求。"),
      json::serialize(root),
      {}};
}

// From the transcript that context.cpp makes.
Answer summarise(const ModelRequest& request) {
  const std::string text = last_text(request);
  if (text.starts_with("The request: ")) {
    std::string out;
    for (const Earlier& result : earlier_results(text))
      out += (out.empty() ? "" : "\n\n") + result.text;
    const std::size_t failure = text.find("\n\n'");
    if (failure != std::string::npos &&
        text.find("' could not be done: ", failure) != std::string::npos) {
      out += std::string(text.substr(failure));
    }
    if (!out.empty()) return {{}, out, {}};
  }
  const Language language = language_of(read_text(core::utf8_truncate(text, kMaxRequestBytes)));
  std::string out = either(language, "(Summary of the demonstration model: requests and calls.)",
                           "（演示模型的摘要：请求和调用。）");
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("Person: ") && !line.starts_with("Call: ") &&
        !line.starts_with("Error: "))
      continue;
    out += "\n- " + shortened(line, 160);
    if (out.size() > 3'000) break;
  }
  return {{}, out, {}};
}

Answer title(const ModelRequest& request) {
  const std::string text = last_text(request);
  const std::vector<std::string> lines = lines_of(trimmed(text));
  return {{},
          lines.empty() ? std::string() : std::string(bare(core::utf8_truncate(lines.front(), 48))),
          {}};
}

using Worker = Answer (*)(const ModelRequest&);
struct NamedWorker {
  std::string_view name;
  Worker work;
};
constexpr std::array<NamedWorker, 9> kWorkers = {{{"tot_expand", expand},
                                                  {"tot_evaluate", evaluate},
                                                  {"got_plan", make_plan},
                                                  {"got_complexity", judge_complexity},
                                                  {"got_decompose", decompose},
                                                  {"got_task", work_on_task},
                                                  {"dup_understand", understand},
                                                  {"summary", summarise},
                                                  {"title", title}}};

}  // namespace

std::string_view task_name(const ModelRequest& request) {
  constexpr std::string_view kMark = "[parley:task ";
  std::string_view text = system_text(request);
  const std::size_t at = text.rfind(kMark);
  if (at == std::string_view::npos || (at > 0 && text[at - 1] != '\n')) return {};
  text.remove_prefix(at + kMark.size());
  const std::size_t end = text.find(']');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

std::optional<Answer> answer_task(const ModelRequest& request) {
  const std::string_view name = task_name(request);
  for (const NamedWorker& worker : kWorkers) {
    if (worker.name == name) return worker.work(request);
  }
  return std::nullopt;
}

}  // namespace parley::model::offline
