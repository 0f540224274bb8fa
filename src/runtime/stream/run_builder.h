// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/stream/run_tree.h"
#include "runtime/stream/state_fold.h"

namespace parley::runtime {

// How deep runs of sub-agents may lie within each other.
inline constexpr int kMaxAgentDepth = 16;

// Makes the tree of one run of its frames, given in order, and tells what is wrong with them.
class RunBuilder {
 public:
  using Tell = std::function<void(FindingCode code, std::string message)>;

  // `tell` is called during take() and finish() only.
  RunBuilder(std::string session, int depth, Tell tell);
  ~RunBuilder();
  RunBuilder(const RunBuilder&) = delete;
  RunBuilder& operator=(const RunBuilder&) = delete;

  // Whether a frame that follows belongs to this run still.
  bool continues(const StreamLine& line) const;
  void take(const StreamLine& line);
  // After the last frame.
  RunTree finish();

 private:
  struct SubAgent;
  struct Visit;

  void tell(FindingCode code, std::string message) { tell_(code, std::move(message)); }
  void take_event(const StreamLine& line, const runtime::RunEvent& event);
  void take_reply(const StreamLine& line, const Reply& reply);
  void note_event(const StreamLine& line);

  void start(const runtime::RunStart& it);
  void enter(const StreamLine& line, const runtime::NodeEnter& it);
  void check_number(std::string_view node_id, std::string_view name);
  void exit(const StreamLine& line, const runtime::NodeExit& it);
  // The node run that a frame belongs to; null: to none.
  NodeRun* node_of(const StreamLine& line);
  NodeRun& node_for(const StreamLine& line);
  void check_name(const NodeRun* node, std::string_view id);

  // run_builder_tools.cpp
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
  void sub_agent(const StreamLine& line, std::string name, std::string call_id,
                 std::string_view event);
  void place_agents();

  // run_builder_thoughts.cpp
  void expand(const runtime::TotExpand& it);
  void evaluate(const runtime::TotEvaluate& it);
  void backtrack(const runtime::TotBacktrack& it);
  void plan(const runtime::GotPlan& it);
  GotTask* task(const std::string& id);
  void task_start(const runtime::GotNodeStart& it);
  void task_complete(const runtime::GotNodeComplete& it);
  void task_failed(const runtime::GotNodeFailed& it);
  void task_expand(const runtime::GotExpand& it);
  void take_graph();

  RunTree run_;
  Tell tell_;
  StateFold state_;
  EventParser parser_;  // of the frames of sub-agents
  std::vector<std::unique_ptr<SubAgent>> agents_;
  std::uint64_t entered_ = 0;                 // nodes
  std::optional<std::uint64_t> last_number_;  // of node_id
  bool just_resumed_ = false;                 // node numbers may begin at its checkpoint's
  std::uint64_t may_add_ = 0;  // tasks that got_expand announced and that were not seen yet
  std::uint64_t depth_ = 0;    // of the tree of thoughts
};

}  // namespace parley::runtime
