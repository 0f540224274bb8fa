// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/stream/run_summary.h"

namespace parley::runtime {

// Checks the frames of one run, given in order, reports faults, and summarises the run.
class RunChecker {
 public:
  using Tell = std::function<void(FindingCode code, std::string message)>;

  // Calls `tell` during take() and finish() only. `depth`: nesting of a sub-agent's run in its
  // parents.
  RunChecker(int depth, Tell tell);
  ~RunChecker();
  RunChecker(const RunChecker&) = delete;
  RunChecker& operator=(const RunChecker&) = delete;

  // True if `line`, the next frame, still belongs to this run.
  bool continues(const StreamLine& line) const;
  void take(const StreamLine& line);
  // Call after the last frame.
  RunSummary finish();

 private:
  struct Visit;
  enum class RunEnd : std::uint8_t { open, well, early };  // early: cancelled, or by an error

  // One call of a tool.
  struct ToolUse {
    std::optional<std::string> call_id;
    std::string name;
    bool arguments_whole = false;
    bool started = false;
    bool ended = false;
    bool interrupted = false;  // was running when the process ended
  };
  // One node run: from its node_enter to its node_exit, with the frames after it until the next
  // one.
  struct NodeRun {
    std::string name;
    std::string node_id;  // empty: the frames had none
    bool open = true;
    std::uint64_t entered_when_closed = 0;  // number of nodes entered at that time
    std::vector<ToolUse> tools;
  };
  // One task of a graph of thoughts.
  struct Task {
    enum class State : std::uint8_t { pending, running, done, failed };
    std::string id;
    State state = State::pending;
  };
  // A run of a sub-agent, from its frames in the parent's run.
  struct SubAgent {
    std::string name;
    std::string call_id;
    std::uint64_t index = 0;  // among the sub-agents of the call
    std::unique_ptr<RunChecker> checker;
  };

  // A sub-agent's frames have no reply: its run ends as that of its caller does.
  RunSummary finish(std::optional<RunEnd> of_caller);
  void tell(FindingCode code, std::string message) { tell_(code, std::move(message)); }
  void note_event(const StreamLine& line);

  void start(const runtime::RunStart& it);
  void enter(const StreamLine& line, const runtime::NodeEnter& it);
  void check_number(std::string_view node_id, std::string_view name);
  void exit(const StreamLine& line, const runtime::NodeExit& it);
  // The node run of a frame; null if it belongs to none.
  NodeRun* node_of(const StreamLine& line);
  NodeRun& node_for(const StreamLine& line);
  bool runs(std::string_view name) const;
  void check_name(const StreamLine& line, const NodeRun* node, std::string_view id);

  // run_checker_tools.cpp
  ToolUse* find_tool(const std::optional<std::string>& call_id, std::string_view name);
  ToolUse& tool_for(const StreamLine& line, const std::optional<std::string>& call_id,
                    std::string_view name);
  void chunk(const StreamLine& line, const runtime::ToolCallChunk& it);
  void call(const StreamLine& line, const runtime::ToolCallMade& it);
  void tool_start(const StreamLine& line, const runtime::ToolStart& it);
  void tool_output(const StreamLine& line, const runtime::ToolOutput& it);
  void tool_end(const StreamLine& line, const runtime::ToolEnd& it);
  void approval(const StreamLine& line, const runtime::ToolApproval& it);
  void custom(const StreamLine& line, const runtime::Custom& it);
  void resume();
  void sub_agent(const SubAgentFrame& frame);
  void finish_agents(RunEnd of_this);

  // run_checker_thoughts.cpp
  void evaluate(const runtime::TotEvaluate& it);
  void backtrack();
  void plan(const runtime::GotPlan& it);
  Task* task(std::string_view id);
  Task& add_task(const std::string& id);
  void task_start(const runtime::GotNodeStart& it);
  void task_complete(const runtime::GotNodeComplete& it);
  void task_failed(const runtime::GotNodeFailed& it);
  void task_expand(const runtime::GotExpand& it);

  const int depth_;
  RunSummary run_;
  Tell tell_;
  EventParser parser_;  // of the frames of sub-agents
  std::vector<NodeRun> nodes_;
  std::vector<SubAgent> agents_;
  std::optional<std::uint64_t> last_number_;  // of node_id
  bool just_resumed_ = false;              // ids and numbers of nodes are those of its checkpoint
  bool expanded_ = false;                  // a tot_expand was seen
  std::optional<std::size_t> candidates_;  // of the last tot_expand, until one is chosen
  bool has_plan_ = false;
  std::vector<Task> tasks_;
  std::uint64_t may_add_ = 0;  // tasks that got_expand announced and that were not seen yet
};

}  // namespace parley::runtime
