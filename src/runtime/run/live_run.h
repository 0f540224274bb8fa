// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/entropy.h"
#include "core/string_map.h"
#include "event/session_store.h"
#include "runtime/agent/agent.h"
#include "runtime/agent/invoke_agent.h"
#include "runtime/agent/profile.h"
#include "runtime/graph/execution.h"
#include "runtime/run/policy_approver.h"
#include "runtime/run/run.h"
#include "runtime/run/session_sink.h"
#include "session/session.h"

namespace parley::run {

// A run that goes on, on the shard of its session. Joins the session so that it stays in memory,
// and lets go of it at its end. Made with std::make_shared; keeps itself alive until it has ended.
class LiveRun final : public session::Participant, public std::enable_shared_from_this<LiveRun> {
 public:
  // How it ended, once that is durable; or, of one that never began, why.
  using Started = absl::AnyInvocable<void(core::Result<Run>)>;
  using Ended = absl::AnyInvocable<void(const Run& run)>;

  // Who works, as it was found by its name.
  struct Worker {
    agent::Kind kind = agent::Kind::react;
    agent::Profile profile;
    std::shared_ptr<model::Model> model;
    std::string system_prompt;
    std::vector<std::string> notices;  // what whoever runs it should know of its profile
    std::string left_out;              // of profiles that cannot be read; empty: all can
  };
  struct Setup {
    Run run;
    Worker worker;
    tool::Toolbox tools;
    std::vector<model::ToolSpec> client_tools;  // checked (client_tool.h)
    std::function<std::vector<tool::ToolPtr>(const AskClient& ask)> own_tools;  // may be empty
    AllowedTools allowed_tools;
    std::set<std::string, std::less<>> gone_tools;  // of a run that is resumed (kept_tools.h)
    // Where it begins. A state is given to a run that goes on from a checkpoint.
    graph::Entry entry;
    std::unique_ptr<graph::State> state;
    std::vector<std::string> in_flight_calls;
    std::optional<std::string> resumed_from;  // checkpoint id
    // The person's message and the conversation before it, for a run that begins.
    model::Message message;
    std::unique_ptr<graph::State> earlier;
    std::string cut_off;
  };
  // What outlives every run.
  struct Services {
    core::Scheduler& shard;
    core::Entropy& entropy;
    session::Hub& hub;
    tool::OutputStore* outputs;                   // for long results; may be null
    std::function<void(const Run& run)> changed;  // what a list shows of it; any time
    // What the list of runs keeps for its resuming (kept_tools.h).
    std::function<void(const Run& run, std::string tools)> keep_tools;
    // Finds who a sub-agent is; `model` is taken where its profile names none. Answers on the
    // shard.
    std::function<void(std::string agent, std::string working_folder, std::string model,
                       absl::AnyInvocable<void(core::Result<Worker>)> done)>
        find_worker;
  };

  LiveRun(Setup setup, const Services& services);
  ~LiveRun() override;

  // Once, before all else. Errors: as Session::join().
  core::Result<void> join(session::Session& session);
  // Leaves without having begun.
  void leave();
  // Begins. `started` is told when run_start is durable, or that it cannot be; `ended` after it.
  void begin(Started started, Ended ended);
  // Ends it; a sentence says why. `ended` tells when.
  void cancel(const std::string& reason);

  // Forgets all without a word: the shards have stopped.
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
  void ask_client(session::AskRequest request, const core::CancelToken& cancel,
                  RunInteractions::Done done);
  std::function<bool(const std::string& id)> call_ids_of_one();
  agent::SubAgentFactory sub_agents();
  core::Result<agent::SubAgent> make_sub_agent(const agent::SubAgentRequest& request,
                                               Worker worker);
  std::optional<runtime::Usage> usage_before() const;
  void emit_beginning();
  // Says which attachments of the message the model is told of in words alone.
  void tell_left_out(const std::string& node_id);
  // Says in the stream, once each, what people should know of how the run is set up.
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
  std::vector<model::LeftOut> left_out_;          // of the message
  const Services services_;
  session::ParticipantInfo info_;
  session::Session* session_ = nullptr;
  std::shared_ptr<SessionSink> sink_;
  std::unique_ptr<RunInteractions> interactions_;
  std::shared_ptr<ApprovalBook> approvals_;
  std::unique_ptr<PolicyApprover> approver_;
  std::shared_ptr<const agent::AgentParts> parts_;
  core::CancelSource cancel_;
  core::TimerId timeout_ = 0;
  bool timed_out_ = false;
  bool shutting_down_ = false;
  int waiting_ = 0;
  int agents_ = 0;                    // this one and its sub-agents so far
  core::StringMap<int> call_agents_;  // by call id: whose it is
  std::set<std::string> told_;        // notices
  std::optional<core::Error> store_error_;
  Started started_;
  Ended ended_;
  std::shared_ptr<LiveRun> self_;  // while it goes on
};

}  // namespace parley::run
