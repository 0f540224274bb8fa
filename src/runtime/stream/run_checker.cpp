// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_checker.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace parley::runtime {
namespace {

using namespace runtime;

constexpr std::string_view kBeforeNodes = "run-0";

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// The number in "run-NODE-NUMBER"; std::nullopt if the id has another form.
std::optional<std::uint64_t> number_of(std::string_view node_id, std::string_view name) {
  const std::string head = "run-" + std::string(name) + '-';
  if (!node_id.starts_with(head)) return std::nullopt;
  const std::string_view digits = node_id.substr(head.size());
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

bool ended_well(const Reply& reply) {
  return !reply.error && (!reply.stop_reason || *reply.stop_reason == "end_turn");
}

}  // namespace

RunChecker::RunChecker(int depth, Tell tell) : depth_(depth), tell_(std::move(tell)) {}

RunChecker::~RunChecker() = default;

bool RunChecker::continues(const StreamLine& line) const {
  if (run_.events == 0) return true;
  const RunEvent* event = line.event();
  if (event != nullptr && std::holds_alternative<RunStart>(*event)) {
    const auto& id = std::get<RunStart>(*event).run_id;
    // A late run_start, but of this run.
    if (!run_.reply && !run_.complete && run_.nodes == 0) return true;
    return id && !run_.id.empty() && *id == run_.id;
  }
  if (!run_.reply || !ended_well(*run_.reply)) return true;
  if (event == nullptr || !std::holds_alternative<NodeEnter>(*event)) return true;
  // A stream without run_start: node numbers that restart begin the next run.
  if (!line.node_id) return false;
  return number_of(*line.node_id, std::get<NodeEnter>(*event).id).value_or(1) != 0;
}

void RunChecker::note_event(const StreamLine& line) {
  ++run_.events;
  if (line.event_id) {
    if (!run_.first_event) run_.first_event = line.event_id;
    run_.last_event = line.event_id;
  }
  if (line.at) {
    if (!run_.began_at) run_.began_at = line.at;
    run_.ended_at = line.at;
  }
}

// Dispatches each type of event to its function.
struct RunChecker::Visit {
  RunChecker& to;
  const StreamLine& line;

  void operator()(const RunStart& it) const { to.start(it); }
  void operator()(const NodeEnter& it) const { to.enter(line, it); }
  void operator()(const NodeExit& it) const { to.exit(line, it); }
  void operator()(const MessageChunk& it) const { to.check_name(line, &to.node_for(line), it.id); }
  void operator()(const ThoughtChunk& it) const { to.check_name(line, &to.node_for(line), it.id); }
  void operator()(const Usage& it) const {
    to.node_for(line);
    ++to.run_.model_calls;
    add_usage(to.run_.usage, it);
  }
  void operator()(const Values&) const { to.node_of(line); }
  void operator()(const Updates& it) const { to.check_name(line, to.node_of(line), it.id); }
  void operator()(const Custom& it) const { to.custom(line, it); }
  void operator()(const Checkpoint&) const {
    to.node_of(line);
    ++to.run_.checkpoints;
  }
  void operator()(const TotExpand& it) const {
    to.expanded_ = true;
    to.candidates_ = it.candidates.size();
  }
  void operator()(const TotEvaluate& it) const { to.evaluate(it); }
  void operator()(const TotBacktrack&) const { to.backtrack(); }
  void operator()(const GotPlan& it) const { to.plan(it); }
  void operator()(const GotNodeStart& it) const { to.task_start(it); }
  void operator()(const GotNodeComplete& it) const { to.task_complete(it); }
  void operator()(const GotNodeFailed& it) const { to.task_failed(it); }
  void operator()(const GotExpand& it) const { to.task_expand(it); }
  void operator()(const ToolCallChunk& it) const { to.chunk(line, it); }
  void operator()(const ToolCallMade& it) const { to.call(line, it); }
  void operator()(const ToolStart& it) const { to.tool_start(line, it); }
  void operator()(const ToolOutput& it) const { to.tool_output(line, it); }
  void operator()(const ToolEnd& it) const { to.tool_end(line, it); }
  void operator()(const ToolApproval& it) const { to.approval(line, it); }
};

void RunChecker::take(const StreamLine& line) {
  const RunEvent* event = line.event();
  const bool starts = event != nullptr && std::holds_alternative<RunStart>(*event);
  if (run_.events == 0 && !starts) {
    tell(FindingCode::run_start_missing, "The run does not begin with run_start.");
  }
  if (run_.reply) {
    if (!starts && ended_well(*run_.reply)) {
      tell(FindingCode::event_after_reply, "A frame follows the reply of its run.");
    } else {
      run_.reply.reset();
      const auto* told = event == nullptr ? nullptr : std::get_if<Custom>(event);
      if (!starts && told == nullptr) ++run_.resumed;  // a custom `resumed` frame counts itself
    }
  }
  if (event != nullptr) {
    std::visit(Visit{*this, line}, *event);
  } else if (const Reply* reply = line.reply()) {
    node_of(line);
    if (run_.id.empty() && reply->run_id) run_.id = *reply->run_id;
    run_.reply = *reply;
  } else {
    ++run_.unknown;
  }
  note_event(line);
}

void RunChecker::start(const RunStart& it) {
  if (run_.events > 0) {
    const bool again = it.run_id && *it.run_id == run_.id && !run_.id.empty();
    if (!again) tell(FindingCode::run_start_late, "run_start is not the first frame of its run.");
    if (again) ++run_.resumed;
  } else {
    run_.complete = true;
  }
  if (it.run_id) run_.id = *it.run_id;
  if (it.message) run_.message = *it.message;
  if (it.agent) run_.agent = *it.agent;
}

// --- nodes ---------------------------------------------------------------------------------------

void RunChecker::check_number(std::string_view node_id, std::string_view name) {
  const std::optional<std::uint64_t> number = number_of(node_id, name);
  if (!number) {
    tell(FindingCode::node_id_malformed,
         "The node_id " + in_quotes(node_id) + " is not run-" + std::string(name) + "-NUMBER.");
    return;
  }
  const std::uint64_t wanted = last_number_ ? *last_number_ + 1 : 0;
  const bool unknown_start = (!last_number_ && !run_.complete) || just_resumed_;
  just_resumed_ = false;
  if (*number != wanted && !unknown_start) {
    tell(FindingCode::node_id_out_of_order,
         "The node_id " + in_quotes(node_id) + " should have the number " + std::to_string(wanted) +
             ": it counts the nodes that the run has entered.");
  }
  last_number_ = number;
}

void RunChecker::enter(const StreamLine& line, const NodeEnter& it) {
  if (line.node_id) check_number(*line.node_id, it.id);
  ++run_.nodes;
  NodeRun node;
  node.name = it.id;
  node.node_id = line.node_id.value_or("");
  nodes_.push_back(std::move(node));
}

void RunChecker::exit(const StreamLine& line, const NodeExit& it) {
  const auto fits = [&](const NodeRun& node) {
    if (!node.open) return false;
    return line.node_id && !node.node_id.empty() ? node.node_id == *line.node_id
                                                 : node.name == it.id;
  };
  const auto found = std::find_if(nodes_.rbegin(), nodes_.rend(), fits);
  if (found == nodes_.rend()) {
    if (run_.complete || !nodes_.empty()) {
      tell(FindingCode::node_not_open, "node_exit of " + in_quotes(it.id) + ", which is not open.");
    }
    return;
  }
  check_name(line, &*found, it.id);
  found->open = false;
  found->entered_when_closed = run_.nodes;
}

RunChecker::NodeRun* RunChecker::node_of(const StreamLine& line) {
  if (!line.node_id) return nodes_.empty() ? nullptr : &nodes_.back();
  if (*line.node_id == kBeforeNodes && nodes_.empty()) return nullptr;
  const auto found = std::find_if(nodes_.rbegin(), nodes_.rend(), [&](const NodeRun& node) {
    return node.node_id == *line.node_id;
  });
  if (found != nodes_.rend()) {
    // Frames after an exit keep that node's id, until the next node is entered. The first frames of
    // a resumption keep the last stored id; a watcher may have seen later nodes, which were lost.
    if (!found->open && found->entered_when_closed != run_.nodes && !just_resumed_) {
      tell(FindingCode::node_id_mismatch,
           "The node_id " + in_quotes(*line.node_id) + " is that of a node that was left before.");
    }
    return &*found;
  }
  if (run_.complete || !nodes_.empty()) {
    tell(FindingCode::node_id_mismatch,
         "No node with the node_id " + in_quotes(*line.node_id) + " was entered.");
  }
  return nodes_.empty() ? nullptr : &nodes_.back();
}

RunChecker::NodeRun& RunChecker::node_for(const StreamLine& line) {
  if (NodeRun* node = node_of(line)) return *node;
  // The stream begins in the middle, or a frame appeared outside of nodes.
  NodeRun node;
  node.node_id = line.node_id.value_or("");
  node.open = false;
  node.entered_when_closed = run_.nodes;
  nodes_.push_back(std::move(node));
  return nodes_.back();
}

// True if a node of this name is open, or was left and none was entered since.
bool RunChecker::runs(std::string_view name) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const NodeRun& node) {
    return node.name == name && (node.open || node.entered_when_closed == run_.nodes);
  });
}

void RunChecker::check_name(const StreamLine& line, const NodeRun* node, std::string_view id) {
  if (node == nullptr || node->name.empty() || id.empty() || node->name == id) return;
  if (task(id) != nullptr) return;  // text of a task of a plan
  // Without node_id the frames of nodes that run in parallel are told apart by the name alone.
  if (!line.node_id && runs(id)) return;
  tell(FindingCode::node_name_mismatch, "The id " + in_quotes(id) +
                                            " is not the name of the node " +
                                            in_quotes(node->name) + " that is running.");
}

RunSummary RunChecker::finish() { return finish(std::nullopt); }

RunSummary RunChecker::finish(std::optional<RunEnd> of_caller) {
  const RunEnd end = of_caller                 ? *of_caller
                     : !run_.reply             ? RunEnd::open
                     : ended_well(*run_.reply) ? RunEnd::well
                                               : RunEnd::early;
  finish_agents(end);
  const bool well = end == RunEnd::well;
  if (!of_caller && end == RunEnd::open) {
    tell(FindingCode::reply_missing, "The run has no reply: it goes on, or was cut.");
  }
  for (const NodeRun& node : nodes_) {
    run_.tools += node.tools.size();
    if (node.open && end != RunEnd::early) {
      tell(FindingCode::node_unclosed, "The node " + in_quotes(node.name) + " has no node_exit.");
    }
    for (const ToolUse& tool : node.tools) {
      if (!well || !tool.started || tool.ended || tool.interrupted) continue;
      tell(FindingCode::tool_unfinished,
           "The call of " + in_quotes(tool.name) + " has no tool_end.");
    }
  }
  return std::move(run_);
}

}  // namespace parley::runtime
