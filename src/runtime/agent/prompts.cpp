// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/prompts.h"

#include "runtime/agent/tool_step.h"

namespace parley::agent {
namespace {

constexpr std::size_t kMaxResultInPrompt = 4'000;  // bytes of another task's result

std::string task_line(std::string_view name) { return "[parley:task " + std::string(name) + "]\n"; }

}  // namespace

std::string understand_prompt() {
  return task_line("dup_understand") +
         "Before the work begins, say what is asked for in the last message of the person. Do not "
         "do the work yet and call no tool. Reply with one JSON object and nothing else:\n"
         R"({"core_goal":"what is to be reached, one sentence",)"
         R"("key_constraints":["what must hold"],)"
         R"("relevant_context":"what of the conversation matters for it"})";
}

std::string expand_prompt(std::size_t candidates,
                          const std::vector<std::vector<std::string>>& failed, bool must_answer) {
  const std::string count = std::to_string(candidates);
  std::string text =
      task_line("tot_expand") + "You explore a tree of thoughts. Propose " + count +
      " different candidates for the next step. Do not call tools now: write the calls that a "
      "candidate would make. Reply with one JSON object and nothing else:\n"
      R"({"candidates":[{"thought":"...","tool_calls":[{"name":"TOOL","arguments":{}}]}]})"
      "\nA candidate without tool calls is the final answer; its thought is then the whole answer, "
      "as the person shall read it.";
  if (must_answer) {
    text +=
        "\nThis is the last level of the tree: every candidate must be a final answer, from "
        "what is known by now, without tool calls.";
  }
  if (failed.empty()) return text;
  text += "\nThese were tried from here and did not lead on; propose something else:";
  for (const std::vector<std::string>& path : failed) {
    std::string route;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (i > 0) route += i + 1 < path.size() ? " -> " : " ";
      route += path[i];
    }
    text += "\n- " + shortened(route, kMaxShownResult);
  }
  return text;
}

std::string evaluate_prompt(const std::vector<std::string>& candidates) {
  std::string text = task_line("tot_evaluate") +
                     "These are the candidates for the next step. Judge how likely each is to lead "
                     "to a right and complete answer, from 0 (useless) to 1 (certain). Reply with "
                     "one JSON object and nothing else, a score for each candidate in this order:\n"
                     R"({"scores":[0.5]})";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    text += "\nCandidate " + std::to_string(i + 1) + ": " +
            shortened(candidates[i], kMaxResultInPrompt);
  }
  return text;
}

std::string plan_prompt(std::string_view fault) {
  std::string text =
      task_line("got_plan") +
      "Divide what the person asks for into tasks that make a graph without cycles. Tasks that do "
      "not need each other's results stand beside each other and are worked on at the same time. "
      "Make 2 to 8 tasks, or a single one if there is nothing to divide. Each description must be "
      "understood without the conversation. An edge [\"a\",\"b\"] says that b needs the result of "
      "a. Do not do the work and call no tool. Reply with one JSON object and nothing else:\n"
      R"({"nodes":[{"id":"a","description":"..."},{"id":"b","description":"..."}],)"
      R"("edges":[["a","b"]]})";
  if (!fault.empty()) {
    text += "\nThe plan that you made before cannot be used: ";
    text += fault;
    text += " Make another one.";
  }
  return text;
}

std::string task_prompt() {
  return task_line("got_task") +
         "You work on one task of a plan; others work on the other tasks. Do only this task, with "
         "the tools if they help, and end with its result: a text that stands by itself.";
}

std::string task_message(std::string_view request, std::string_view task,
                         const std::vector<std::pair<std::string, std::string>>& earlier) {
  std::string text = "Task: " + std::string(request);
  for (const auto& [id, result] : earlier) {
    text += "\n\nResult of '" + id + "':\n" + head_and_tail(result, kMaxResultInPrompt);
  }
  return text + "\n\nSub-task: " + std::string(task);
}

std::string complexity_prompt(std::string_view task, std::string_view result) {
  return task_line("got_complexity") +
         "A task of a plan has been worked on. Say whether its result is enough (simple) or "
         "whether further tasks must go deeper before others build on it (complex). Reply with one "
         "word: simple or complex.\nTask: " +
         std::string(task) + "\nResult: " + head_and_tail(result, kMaxResultInPrompt);
}

std::string decompose_prompt(std::string_view task, std::string_view result, std::size_t room) {
  return task_line("got_decompose") +
         "The result of this task must be gone into more deeply. Divide what is left to do into 2 "
         "to " +
         std::to_string(room) +
         " tasks, a graph without cycles, each described so that it is understood by itself. Reply "
         "with one JSON object and nothing else:\n"
         R"({"nodes":[{"id":"1","description":"..."},{"id":"2","description":"..."}],"edges":[]})"
         "\nTask: " +
         std::string(task) + "\nResult: " + head_and_tail(result, kMaxResultInPrompt);
}

std::string merge_prompt() {
  return task_line("summary") +
         "Several tasks were worked on to answer the person. Write the answer from their results: "
         "complete, in one piece, in the person's language, without telling of tasks.";
}

std::string merge_message(std::string_view request,
                          const std::vector<std::pair<std::string, std::string>>& results,
                          const std::vector<std::pair<std::string, std::string>>& failures) {
  std::string text = "The request: " + std::string(request);
  for (const auto& [id, result] : results) {
    text.append("\n\nResult of '").append(id).append("':\n").append(result);
  }
  for (const auto& [id, error] : failures) {
    text.append("\n\n'").append(id).append("' could not be done: ").append(error);
  }
  return text;
}

}  // namespace parley::agent
