// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_builder.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "runtime/stream/run_builder_agent.h"

namespace parley::runtime {
namespace {

using namespace runtime;

constexpr std::string_view kBeforeNodes = "run-0";

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// The number in "run-NODE-NUMBER"; empty: it is not of this form.
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

RunBuilder::RunBuilder(std::string session, int depth, Tell tell) : tell_(std::move(tell)) {
  run_.session = std::move(session);
  run_.depth = depth;
}

RunBuilder::~RunBuilder() = default;

bool RunBuilder::continues(const StreamLine& line) const {
  if (run_.events == 0) return true;
  const RunEvent* event = line.event();
  if (event != nullptr && std::holds_alternative<RunStart>(*event)) {
    const auto& id = std::get<RunStart>(*event).run_id;
    if (!run_.reply && !run_.whole && entered_ == 0) return true;  // late, but of this run
    return id && !run_.id.empty() && *id == run_.id;
  }
  if (!run_.reply || !ended_well(*run_.reply)) return true;
  if (event == nullptr || !std::holds_alternative<NodeEnter>(*event)) return true;
  // A stream without run_start: numbers that begin anew tell the next run.
  if (!line.node_id) return false;
  return number_of(*line.node_id, std::get<NodeEnter>(*event).id).value_or(1) != 0;
}

void RunBuilder::note_event(const StreamLine& line) {
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

void RunBuilder::take(const StreamLine& line) {
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
      if (!starts && told == nullptr) ++run_.resumed;  // told so itself otherwise
    }
  }
  if (event != nullptr) {
    take_event(line, *event);
  } else if (const Reply* reply = line.reply()) {
    take_reply(line, *reply);
  } else {
    ++run_.unknown;
  }
  note_event(line);
}

// Gives each kind of event to its function.
struct RunBuilder::Visit {
  RunBuilder& to;
  const StreamLine& line;

  void operator()(const RunStart& it) const { to.start(it); }
  void operator()(const NodeEnter& it) const { to.enter(line, it); }
  void operator()(const NodeExit& it) const { to.exit(line, it); }
  void operator()(const MessageChunk& it) const {
    NodeRun& node = to.node_for(line);
    to.check_name(&node, it.id);
    node.text += it.content;
  }
  void operator()(const ThoughtChunk& it) const {
    NodeRun& node = to.node_for(line);
    to.check_name(&node, it.id);
    node.thoughts += it.content;
  }
  void operator()(const Usage& it) const {
    ++to.run_.model_calls;
    for (Usage* sum : {&to.run_.usage, &to.node_for(line).usage}) {
      sum->prompt_tokens += it.prompt_tokens;
      sum->completion_tokens += it.completion_tokens;
      sum->total_tokens += it.total_tokens;
    }
  }
  void operator()(const Values& it) const {
    to.node_of(line);
    to.state_.take(it.state);
  }
  void operator()(const Updates& it) const {
    to.check_name(to.node_of(line), it.id);
    to.state_.take(it.state);
  }
  void operator()(const Custom& it) const { to.custom(line, it); }
  void operator()(const Checkpoint& it) const {
    to.node_of(line);
    to.run_.checkpoints.push_back(it.checkpoint_id);
    to.state_.take(it.state);
  }
  void operator()(const TotExpand& it) const { to.expand(it); }
  void operator()(const TotEvaluate& it) const { to.evaluate(it); }
  void operator()(const TotBacktrack& it) const { to.backtrack(it); }
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

void RunBuilder::take_event(const StreamLine& line, const RunEvent& event) {
  std::visit(Visit{*this, line}, event);
}

void RunBuilder::start(const RunStart& it) {
  if (run_.events > 0) {
    const bool again = it.run_id && *it.run_id == run_.id && !run_.id.empty();
    if (!again) tell(FindingCode::run_start_late, "run_start is not the first frame of its run.");
    if (again) ++run_.resumed;
  } else {
    run_.whole = true;
  }
  if (it.run_id) run_.id = *it.run_id;
  if (it.message) run_.message = *it.message;
  if (it.agent) run_.agent = *it.agent;
}

void RunBuilder::take_reply(const StreamLine& line, const Reply& reply) {
  node_of(line);
  if (run_.id.empty() && reply.run_id) run_.id = *reply.run_id;
  run_.reply = reply;
}

// --- nodes ---------------------------------------------------------------------------------------

void RunBuilder::check_number(std::string_view node_id, std::string_view name) {
  const std::optional<std::uint64_t> number = number_of(node_id, name);
  if (!number) {
    tell(FindingCode::node_id_malformed,
         "The node_id " + in_quotes(node_id) + " is not run-" + std::string(name) + "-NUMBER.");
    return;
  }
  const std::uint64_t wanted = last_number_ ? *last_number_ + 1 : 0;
  const bool unknown_start = (!last_number_ && !run_.whole) || just_resumed_;
  just_resumed_ = false;
  if (*number != wanted && !unknown_start) {
    tell(FindingCode::node_id_out_of_order,
         "The node_id " + in_quotes(node_id) + " should have the number " + std::to_string(wanted) +
             ": it counts the nodes that the run has entered.");
  }
  last_number_ = number;
}

void RunBuilder::enter(const StreamLine& line, const NodeEnter& it) {
  if (line.node_id) check_number(*line.node_id, it.id);
  ++entered_;
  NodeRun node;
  node.name = it.id;
  node.node_id = line.node_id.value_or("");
  node.first_event = line.event_id;
  node.last_event = line.event_id;
  run_.nodes.push_back(std::move(node));
}

void RunBuilder::exit(const StreamLine& line, const NodeExit& it) {
  const auto fits = [&](const NodeRun& node) {
    if (!node.open) return false;
    return line.node_id && !node.node_id.empty() ? node.node_id == *line.node_id
                                                 : node.name == it.id;
  };
  const auto found = std::find_if(run_.nodes.rbegin(), run_.nodes.rend(), fits);
  if (found == run_.nodes.rend()) {
    if (run_.whole || !run_.nodes.empty()) {
      tell(FindingCode::node_not_open, "node_exit of " + in_quotes(it.id) + ", which is not open.");
    }
    return;
  }
  check_name(&*found, it.id);
  found->open = false;
  found->entered_when_closed = entered_;
  found->last_event = line.event_id;
  found->error = it.error;
}

NodeRun* RunBuilder::node_of(const StreamLine& line) {
  std::vector<NodeRun>& nodes = run_.nodes;
  if (!line.node_id) return nodes.empty() ? nullptr : &nodes.back();
  if (*line.node_id == kBeforeNodes && nodes.empty()) return nullptr;
  const auto found = std::find_if(nodes.rbegin(), nodes.rend(), [&](const NodeRun& node) {
    return node.node_id == *line.node_id;
  });
  if (found != nodes.rend()) {
    // A node's id is that of what follows its exit too, until the next node is entered.
    if (!found->open && found->entered_when_closed != entered_) {
      tell(FindingCode::node_id_mismatch,
           "The node_id " + in_quotes(*line.node_id) + " is that of a node that was left before.");
    }
    if (line.event_id) found->last_event = line.event_id;
    return &*found;
  }
  if (run_.whole || !nodes.empty()) {
    tell(FindingCode::node_id_mismatch,
         "No node with the node_id " + in_quotes(*line.node_id) + " was entered.");
  }
  return nodes.empty() ? nullptr : &nodes.back();
}

NodeRun& RunBuilder::node_for(const StreamLine& line) {
  if (NodeRun* node = node_of(line)) return *node;
  // The stream begins in the middle, or something was said outside of nodes.
  NodeRun node;
  node.node_id = line.node_id.value_or("");
  node.open = false;
  node.entered_when_closed = entered_;
  node.first_event = line.event_id;
  node.last_event = line.event_id;
  run_.nodes.push_back(std::move(node));
  return run_.nodes.back();
}

void RunBuilder::check_name(const NodeRun* node, std::string_view id) {
  if (node == nullptr || node->name.empty() || id.empty() || node->name == id) return;
  if (task(std::string(id)) != nullptr) return;  // what a task of a plan says
  tell(FindingCode::node_name_mismatch, "The id " + in_quotes(id) +
                                            " is not the name of the node " +
                                            in_quotes(node->name) + " that is running.");
}

RunTree RunBuilder::finish() {
  place_agents();
  run_.state = state_.text();
  take_graph();
  const bool well = run_.reply && ended_well(*run_.reply);
  if (!run_.reply)
    tell(FindingCode::reply_missing, "The run has no reply: it goes on, or was cut.");
  for (const NodeRun& node : run_.nodes) {
    if (node.open && (well || !run_.reply)) {
      tell(FindingCode::node_unclosed, "The node " + in_quotes(node.name) + " has no node_exit.");
    }
    for (const ToolUse& tool : node.tools) {
      if (!well || !tool.started || tool.interrupted) continue;
      if (tool.state == ToolUse::State::ended) continue;
      tell(FindingCode::tool_unfinished,
           "The call of " + in_quotes(tool.name) + " has no tool_end.");
    }
  }
  return std::move(run_);
}

}  // namespace parley::runtime
