// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/entropy.h"
#include "core/result.h"
#include "runtime/agent/profile.h"
#include "runtime/graph/graph.h"
#include "runtime/model/model.h"
#include "runtime/tool/toolbox.h"

namespace parley::agent {

enum class Kind : std::uint8_t { react, dup, tot, got, agot, compact };
// The kinds that people choose from. `compact` is a command: it summarises a conversation.
inline constexpr std::array kKinds = {Kind::react, Kind::dup, Kind::tot, Kind::got, Kind::agot};
std::string_view kind_name(Kind kind);         // "react", ...
std::string_view kind_description(Kind kind);  // a sentence
std::optional<Kind> kind_from_name(std::string_view name);

// Limits of one run of an agent.
struct AgentLimits {
  std::size_t max_steps = 50;       // of think, in react; of nodes of the graph in the others
  std::size_t tot_depth = 5;        // of the tree
  std::size_t tot_beam = 3;         // candidates a level
  std::size_t got_max_nodes = 64;   // of the DAG, with what agot adds
  std::size_t got_concurrency = 8;  // tasks at the same time
  std::size_t max_depth = 3;        // of sub-agents
  std::size_t max_tool_calls = 32;  // of one reply; the rest is refused in words
};

// What decides whether a call may run, and asks if need be. Given by who runs the agent.
class Approver {
 public:
  Approver() = default;
  Approver(const Approver&) = delete;
  Approver& operator=(const Approver&) = delete;
  virtual ~Approver() = default;

  struct Verdict {
    bool allowed = false;
    std::string reason;  // of a refusal, for the model: a sentence
  };
  // Answers at once where no person is asked. `arguments` are those of the call, as its tool gets
  // them; they are the caller's and live for this call. `asking` is called first if one is: the
  // agent then emits tool_approval. On the run's scheduler. Errors: `cancelled`, those of the
  // store.
  virtual void decide(const tool::Tool& tool, const model::ToolCall& call,
                      const boost::json::object& arguments, const core::CancelToken& cancel,
                      std::function<void()> asking,
                      absl::AnyInvocable<void(core::Result<Verdict>)> done) = 0;
};

// What an agent is made of. Shared by the run's nodes; outlives the run.
struct AgentParts {
  std::shared_ptr<model::Model> model;
  tool::Toolbox tools;
  std::string system_prompt;  // role, AGENTS.md, working folder
  AgentLimits limits;
  Approver* approver = nullptr;
  // Of each tool call; call_id, cancel, output, emit and gate are set by the agent.
  tool::ToolContext context;
  core::Entropy* entropy = nullptr;
  // Takes an id for a call unless another agent of the run has it: then false, and the call gets
  // another id. May be empty: only the agent's own calls are told apart.
  std::function<bool(const std::string& id)> claim_call_id;
  // So many messages of a conversation are summarised; then the stream also tells how many there
  // are after each model call (custom `conversation`). 0: neither.
  std::size_t max_messages = 0;
  // Calls that had begun when the run that is resumed stopped: they are not made again, the model
  // is told that they may or may not have happened.
  std::vector<std::string> in_flight_calls;
  // Tools that a run which is resumed had, and has no longer: their calls are told so.
  std::set<std::string, std::less<>> gone_tools;
};

// The graph of a kind of agent with these parts. Errors: `invalid_argument`.
core::Result<std::shared_ptr<const graph::Graph>> make_graph(
    Kind kind, std::shared_ptr<const AgentParts> parts);

// The state with which a run begins: the conversation so far and the new message. `earlier` is the
// state at the thread's last checkpoint (of any kind of agent: the messages are taken over), or
// null; `cut_off` the text of a reply that was stopped after it.
std::unique_ptr<graph::State> first_state(Kind kind, const AgentParts& parts,
                                          model::Message message, const graph::State* earlier,
                                          std::string_view cut_off = {});

// An empty state of this kind, for apply(): reading checkpoints.
std::unique_ptr<graph::State> empty_state(Kind kind);

// What a state says at the end of a run.
struct Outcome {
  std::string reply;
  std::string reasoning;
  std::optional<runtime::Usage> usage;  // of all model calls of the run
};
Outcome outcome_of(Kind kind, const graph::State& state);

// Makes a state one of a run that has used nothing yet: of a fork.
void clear_usage(graph::State& state);

// The conversation in a state.
const std::vector<model::Message>& messages_of(const graph::State& state);
// The same with a reply that was cut off as its last message. `state` may be null.
std::vector<model::Message> conversation_of(const graph::State* state, std::string_view cut_off);
// Ends a reply that was cut off, for the model.
inline constexpr std::string_view kCutOffNote = "\n[The reply was stopped here.]";

}  // namespace parley::agent
