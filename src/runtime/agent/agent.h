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

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "runtime/agent/profile.h"
#include "runtime/graph/graph.h"
#include "runtime/model/message.h"
#include "runtime/model/model.h"
#include "runtime/tool/toolbox.h"

namespace parley::agent {

// Repairs a conversation before it is sent: every call without an answer gets one (the run ended
// before the call finished), and answers without a call are removed.
void close_open_calls(std::vector<model::Message>& messages);

// True if each call of an assistant has exactly one answer, in order, directly behind its message,
// and every answer has its call. `open_end`: calls of the last message may still lack answers.
bool is_paired(const std::vector<model::Message>& messages, bool open_end);

// Initial conversation of a run: the system prompt, the earlier messages without their system
// prompt, the new message.
std::vector<model::Message> begin_conversation(const std::string& system_prompt,
                                               const std::vector<model::Message>& earlier,
                                               model::Message message);

enum class Kind : std::uint8_t { react, dup, tot, got, agot, compact };
// The kinds that people choose from. `compact` is a command: it summarises a conversation.
inline constexpr std::array kKinds = {Kind::react, Kind::dup, Kind::tot, Kind::got, Kind::agot};
std::string_view kind_name(Kind kind);         // "react", ...
std::string_view kind_description(Kind kind);  // a sentence
std::optional<Kind> kind_from_name(std::string_view name);

// Limits of one run of an agent.
struct AgentLimits {
  // In react, limit of the model's replies (think); in other kinds, of the entered nodes.
  // Limit (Runs): steps of a graph, by default. Reached: the run fails with a sentence.
  std::size_t max_steps = 50;
  // Limit (Runs): tot: levels, by default. Reached: the last level must answer.
  std::size_t tot_depth = 5;  // levels of the tree
  // Limit (Runs): tot: candidates of a level, by default. Reached: the last level must answer.
  std::size_t tot_beam = 3;  // candidates per level
  // Limit (Runs): got: tasks, by default. Reached: refused.
  std::size_t got_max_nodes = 64;  // nodes of the DAG, including those that agot adds
  // Limit (Runs): got: tasks at once, by default. Reached: the others wait.
  std::size_t got_concurrency = 8;  // tasks at the same time
  // Limit (Runs): depth of sub-agents, by default. Reached: refused with a sentence.
  std::size_t max_depth = 3;  // nesting of sub-agents
  // Limit (Runs): tool calls of one reply that are made, by default. Reached: refused with a
  // sentence.
  std::size_t max_tool_calls = 32;  // calls of one reply; further ones are refused in words
};

// Decides if a tool call may run, and asks a person if necessary. Supplied by the owner of the run.
class Approver {
 public:
  Approver() = default;
  Approver(const Approver&) = delete;
  Approver& operator=(const Approver&) = delete;
  virtual ~Approver() = default;

  struct Verdict {
    bool allowed = false;
    std::string reason;  // for a refusal: a sentence for the model
    // SHA-256 of the arguments that a person allowed, as the model wrote them; empty: nobody was
    // asked. A call with other arguments is not made.
    std::string arguments_sha256 = {};
  };
  // Called when a person is asked. `explanation`: JSON for ToolApproval; may be empty.
  using Asking = std::function<void(std::string explanation)>;
  // Calls `done` at once if no person is asked. Otherwise calls `asking` first, and the agent emits
  // tool_approval. `arguments` are those of the call, as its tool receives them; they are valid
  // during this call. On the run's scheduler. Errors: `cancelled`, those of the store.
  virtual void decide(const tool::Tool& tool, const model::ToolCall& call,
                      const boost::json::object& arguments, const core::CancelToken& cancel,
                      Asking asking, absl::AnyInvocable<void(core::Result<Verdict>)> done) = 0;
};

// Dependencies and settings of an agent. Shared by the run's nodes; must outlive the run.
struct AgentParts {
  std::shared_ptr<model::Model> model;
  tool::Toolbox tools;
  std::string system_prompt;  // role, AGENTS.md, working folder
  AgentLimits limits;
  Approver* approver = nullptr;
  // Template for the context of each tool call; the agent sets call_id, cancel, output, emit and
  // gate.
  tool::ToolContext context;
  core::Entropy* entropy = nullptr;
  // Reserves an id for a call; false if another agent of the run has the id: the call then gets
  // another one. May be empty: then ids are unique only among the agent's own calls.
  std::function<bool(const std::string& id)> claim_call_id;
  // Number of messages from which a conversation is summarised; the stream then also reports the
  // number of messages after each model call (custom `conversation`). 0: neither.
  std::size_t max_messages = 0;
  // Calls that were running when the resumed run stopped. They are not repeated; the model is told
  // that they may or may not have taken effect.
  std::vector<std::string> in_flight_calls;
  // Tools of the resumed run that no longer exist; calls of them get an answer that says so.
  std::set<std::string, std::less<>> missing_tools;
};

// Builds the graph of a kind of agent from these parts. Errors: `invalid_argument`.
core::Result<std::shared_ptr<const graph::Graph>> make_graph(
    Kind kind, std::shared_ptr<const AgentParts> parts);

// Initial state of a run: the conversation so far and the new message. `earlier` is the state at
// the thread's last checkpoint (of any kind of agent; its messages are copied), or null; `cut_off`
// is the text of a reply that was stopped after that checkpoint.
std::unique_ptr<graph::State> first_state(Kind kind, const AgentParts& parts,
                                          model::Message message, const graph::State* earlier,
                                          std::string_view cut_off = {});

// An empty state of this kind; apply() fills it from checkpoints.
std::unique_ptr<graph::State> empty_state(Kind kind);

// Result of a run, read from its last state.
struct Outcome {
  std::string reply;
  std::string reasoning;
  std::optional<runtime::Usage> usage;  // of all model calls of the run
};
Outcome outcome_of(Kind kind, const graph::State& state);

// Resets the usage in a state, for a fork.
void clear_usage(graph::State& state);

// The conversation in a state.
const std::vector<model::Message>& messages_of(const graph::State& state);
// The conversation, with a reply that was stopped as its last message. `state` may be null.
std::vector<model::Message> conversation_of(const graph::State* state, std::string_view cut_off);
// Appended to the text of a stopped reply, for the model.
inline constexpr std::string_view kCutOffNote = "\n[The reply was stopped here.]";

}  // namespace parley::agent
