// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "run_script.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace parley::tests {
namespace {

using model::ScriptedTurn;
using model::ToolCall;

constexpr std::string_view kLabelEnd = " >> trace";

std::string bash_arguments(std::string command) {
  const boost::json::object arguments = {{"command", std::move(command)}};
  return boost::json::serialize(arguments);
}

ToolCall bash(const std::string& label) {
  return {label, "bash", bash_arguments(traced_command(label))};
}

ToolCall slow_bash(const std::string& label, const std::string& seconds) {
  return {label, "bash", bash_arguments(slow_traced_command(label, seconds))};
}

// The file's content is only the label.
ToolCall written(const std::string& label) {
  const boost::json::object arguments = {
      {"path", "trace"}, {"content", label + "\n"}, {"append", true}};
  return {label, "write_file", boost::json::serialize(arguments)};
}

ScriptedTurn turn_for(std::string when, std::string text, std::vector<ToolCall> calls = {}) {
  ScriptedTurn turn;
  turn.when = std::move(when);
  turn.text = std::move(text);
  turn.tool_calls = std::move(calls);
  return turn;
}

std::string task(const std::string& name) { return "[parley:task " + name + "]"; }
std::string answered(const std::string& call) { return R"("tool_call_id":")" + call + "\""; }

// Candidates of a tree in the form that the prompt asks for.
std::string candidates(const std::vector<std::pair<std::string, std::vector<ToolCall>>>& all) {
  std::string out;
  for (const auto& [thought, calls] : all) {
    std::string list;
    for (const ToolCall& call : calls) {
      list += list.empty() ? "" : ",";
      list.append(R"({"name":")").append(call.name).append(R"(","arguments":)");
      list.append(call.arguments).append("}");
    }
    out += out.empty() ? "" : ",";
    out.append(R"({"thought":")").append(thought).append(R"(","tool_calls":[)");
    out.append(list).append("]}");
  }
  return R"({"candidates":[)" + out + "]}";
}

void add_tree(std::vector<ScriptedTurn>& turns, const std::string& slow) {
  const std::string first = "Look, then wait.";
  turns.push_back(turn_for(task("tot_evaluate"), R"({"scores":[0.9,0.6]})"));
  turns.push_back(
      turn_for(first, candidates({{"The tree is explored, all of it.", {}}, {"Nothing.", {}}})));
  turns.push_back(
      turn_for(task("tot_expand"), candidates({{first, {bash("t1"), slow_bash("t2", slow)}}})));
}

void add_tasks(std::vector<ScriptedTurn>& turns, const std::string& slow) {
  turns.push_back(
      turn_for(task("got_plan"),
               R"({"nodes":[{"id":"a","description":"Do A"},{"id":"b","description":"Do B"},)"
               R"({"id":"c","description":"Do C"}],"edges":[["a","c"]]})"));
  turns.push_back(turn_for(task("got_decompose"), R"({"nodes":["Part 1","Part 2"]})"));
  turns.push_back(turn_for("Task: Do A\\nResult", "complex"));
  turns.push_back(turn_for(task("got_complexity"), "simple"));
  turns.push_back(turn_for(task("summary"), "All tasks are done, here is what came of them."));
  turns.push_back(turn_for(answered("a2"), "A is done."));
  turns.push_back(turn_for(answered("b1"), "B is done."));
  turns.push_back(turn_for("Sub-task: Do A", "First a look.", {bash("a1"), slow_bash("a2", slow)}));
  turns.push_back(turn_for("Sub-task: Do B", "", {slow_bash("b1", slow)}));
  turns.push_back(turn_for("Sub-task: ", "That is done, too."));
}

void add_steps(std::vector<ScriptedTurn>& turns, const std::string& slow) {
  turns.push_back(turn_for(task("dup_understand"),
                           R"({"core_goal":"The work","key_constraints":[],)"
                           R"("relevant_context":""})"));
  ScriptedTurn reply =
      turn_for(answered("c6"),
               "Everything that was asked for is done. \xE5\xAE\x8C\xE6\x88\x90\xE3\x80\x82");
  reply.reasoning = "Nothing is left to do.";
  turns.push_back(std::move(reply));
  turns.push_back(turn_for(answered("c3"), "Three more, and one of them takes its time.",
                           {written("c4"), slow_bash("c5", slow), bash("c6")}));
  ScriptedTurn first =
      turn_for("", "I begin with three commands.", {bash("c1"), slow_bash("c2", slow), bash("c3")});
  first.reasoning = "There are several things to do.";
  turns.push_back(std::move(first));
}

}  // namespace

model::Script WorkScript::script() const {
  model::Script out;
  // The first matching turn is used.
  add_tree(out.turns, slow);
  add_tasks(out.turns, slow);
  add_steps(out.turns, slow);
  for (ScriptedTurn& turn : out.turns) {
    turn.repeat = -1;
    turn.delay = delay;
  }
  return out;
}

std::string traced_command(const std::string& label) {
  return "echo " + label + std::string(kLabelEnd) + "; echo did " + label;
}

std::string slow_traced_command(const std::string& label, const std::string& seconds) {
  return "echo " + label + std::string(kLabelEnd) +
         "; sleep 300 & echo $! >> pids; (sleep 301 & echo $! >> pids; wait) & echo waiting; "
         "sleep " +
         seconds + "; echo did " + label;
}

std::string label_of(const std::string& arguments) {
  std::size_t end = arguments.find(kLabelEnd);
  std::size_t begin = 0;
  if (end != std::string::npos) {
    begin = arguments.rfind(' ', end - 1) + 1;
  } else {
    constexpr std::string_view kContent = R"("content":")";
    begin = arguments.find(kContent);
    if (begin == std::string::npos) return {};
    begin += kContent.size();
    end = arguments.find('\\', begin);
  }
  return arguments.substr(begin, end - begin);
}

}  // namespace parley::tests
