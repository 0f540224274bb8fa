// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/cancel.h"
#include "base/core/entropy.h"
#include "base/core/string_map.h"
#include "model/event/session_store.h"
#include "model/session/session.h"
#include "runtime/agent/agent.h"
#include "runtime/agent/invoke_agent.h"
#include "runtime/agent/profile.h"
#include "runtime/graph/execution.h"
#include "runtime/run/policy_approver.h"
#include "runtime/run/run.h"
#include "runtime/run/session_sink.h"

namespace parley::run {

// A running run, on the shard of its session. Joins the session, which keeps it in memory, and
// leaves it at the end. Create with std::make_shared; keeps itself alive until it has ended.
class LiveRun final : public session::Participant, public std::enable_shared_from_this<LiveRun> {
 public:
  // `Started` gets the run, or the reason if it could not begin; `Ended` gets the run's end once
  // that is durable.
  using Started = absl::AnyInvocable<void(core::Result<Run>)>;
  using Ended = absl::AnyInvocable<void(const Run& run)>;

  // The agent of a run or sub-agent, resolved from its name.
  struct Worker {
    agent::Kind kind = agent::Kind::react;
    agent::Profile profile;
    std::shared_ptr<model::Model> model;
    std::string system_prompt;
    std::vector<std::string> notices;  // notices to people about its profile
    std::string left_out;  // a sentence about unreadable profiles; empty: there are none
  };
  struct Setup {
    Run run;
    Worker worker;
    tool::Toolbox tools;
    std::vector<model::ToolSpec> client_tools;  // checked (client_tool.h)
    std::function<std::vector<tool::ToolPtr>(const AskClient& ask)> own_tools;  // may be empty
    AllowedTools allowed_tools;
    std::set<std::string, std::less<>> missing_tools;  // of a resumed run (recorded_tools.h)
    // Node at which the run starts. A run that continues from a checkpoint has a state.
    graph::Entry entry;
    std::unique_ptr<graph::State> state;
    std::vector<std::string> in_flight_calls;
    std::optional<std::string> resumed_from;  // checkpoint id
    // The person's message and the conversation before it, for a new run.
    model::Message message;
    std::unique_ptr<graph::State> earlier;
    std::string cut_off;
  };
  // Dependencies that outlive every run.
  struct Services {
    core::Scheduler& shard;
    core::Entropy& entropy;
    session::Hub& hub;
    tool::OutputStore* outputs;                   // for long results; may be null
    std::function<void(const Run& run)> changed;  // its row in the list changed; called at any time
    // Stores the tools for a resume (recorded_tools.h).
    std::function<void(const Run& run, std::string tools)> keep_tools;
    // Resolves a sub-agent by name; `model` is used if its profile names none. Answers on the
    // shard.
    std::function<void(std::string agent, std::string working_folder, std::string model,
                       absl::AnyInvocable<void(core::Result<Worker>)> done)>
        find_worker;
  };

  LiveRun(Setup setup, const Services& services);
  ~LiveRun() override;

  // Call first, and once. Errors: those of Session::join().
  core::Result<void> join(session::Session& session);
  // Leaves the session; for a run that has not begun.
  void leave();
  // Begins the run. `started` is called when run_start is durable, or cannot be; `ended` is called
  // after it.
  void begin(Started started, Ended ended);
  // Ends the run; `reason` is a sentence. `ended` is called at the end.
  void cancel(const std::string& reason);

  // Drops all state without calling anything: the shards have stopped.
  void abandon();

  const Run& run() const { return setup_.run; }

  const session::ParticipantInfo& info() const override { return info_; }
  void on_event(const event::Event& event) override;
  void on_leave_required(session::LeaveReason reason) override;

 private:
  std::shared_ptr<const agent::AgentParts> make_parts();
  void add_client_tools(tool::Toolbox& tools);
  std::unique_ptr<PolicyApprover> make_approver();
  void keep_tools();
  RunInteractions::Done waiting(RunInteractions::Done done);
  tool::ToolContext::AskOwner ask_owner();
  void ask_client(session::AskRequest request, const core::CancelToken& cancel,
                  RunInteractions::Done done);
  std::function<bool(const std::string& id)> call_ids_of_one();
  agent::SubAgentFactory sub_agents();
  core::Result<agent::SubAgent> make_sub_agent(const agent::SubAgentRequest& request,
                                               Worker worker);
  std::optional<runtime::Usage> usage_before() const;
  void emit_beginning();
  // Emits a notice of the attachments that the model only gets as notes in words.
  void report_left_out(const std::string& node_id);
  // Emits notices to people about the setup of the run, each at most once.
  void tell(const std::string& node_id, const std::vector<std::string>& notices);
  void execute(std::shared_ptr<const graph::Graph> graph);
  void arm_timeout();
  void on_waiting(int change);
  void on_result(graph::ExecutionResult result);
  void conclude(const graph::ExecutionResult& result);
  void write_reply(std::string stop_reason, const agent::Outcome& outcome,
                   const std::string& node_id);
  void finish();

  Setup setup_;
  std::set<std::string, std::less<>> own_tools_;  // names
  std::vector<model::LeftOut> left_out_;          // attachments of the message
  const Services services_;
  session::ParticipantInfo info_;
  session::Session* session_ = nullptr;
  std::shared_ptr<SessionSink> sink_;
  std::unique_ptr<RunInteractions> interactions_;
  std::shared_ptr<ApprovalRegistry> approvals_;
  std::unique_ptr<PolicyApprover> approver_;
  std::shared_ptr<const agent::AgentParts> parts_;
  core::CancelSource cancel_;
  core::TimerId timeout_ = 0;
  bool timed_out_ = false;
  bool shutting_down_ = false;
  int waiting_ = 0;
  int agents_ = 0;                    // number of agents: this one and its sub-agents so far
  core::StringMap<int> call_agents_;  // agent number, by call id
  std::set<std::string> told_;        // notices already emitted
  std::optional<core::Error> store_error_;
  Started started_;
  Ended ended_;
  std::shared_ptr<LiveRun> self_;  // while it runs
};

}  // namespace parley::run
