// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/live_run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/id.h"
#include "base/core/json_writer.h"
#include "runtime/run/client_tool.h"
#include "runtime/run/recorded_tools.h"
#include "runtime/run/run_history.h"
#include "runtime/stream/frame.h"
#include "runtime/tool/dry_tool.h"

namespace parley::run {

using core::Code;
using core::Result;

namespace {

std::string encoded(const graph::State& state) {
  std::string out;
  core::JsonWriter json(out);
  state.write(json, 0);
  return out;
}

}  // namespace

LiveRun::LiveRun(Setup setup, const Services& services)
    : setup_(std::move(setup)), services_(services) {
  info_.client_id = setup_.run.id;
  info_.nickname = setup_.run.agent;
  info_.role = session::ParticipantRole::agent;
  info_.dialect = kRunDialect;
  info_.connected_at = services_.shard.clock().wall();
}

LiveRun::~LiveRun() {
  if (sink_) sink_->close();
}

Result<void> LiveRun::join(session::Session& session) {
  PARLEY_ASSERT(session_ == nullptr, "run " + setup_.run.id + ": joins its session twice");
  Result<void> joined = session.join(*this);
  if (joined) session_ = &session;
  return joined;
}

void LiveRun::leave() {
  if (session::Session* session = std::exchange(session_, nullptr)) session->leave(*this);
}

namespace {

// The approval that replaces the policies. A dry run skips approvals.
std::optional<tool::Approval> in_place_of_policies(const Run& run) {
  return run.dry && !run.approvals ? tool::Approval::automatic : run.approvals;
}

std::string missing_notice(const std::set<std::string, std::less<>>& tools) {
  std::string names;
  for (const std::string& name : tools) names.append(names.empty() ? "" : ", ").append(name);
  return "The run continues without the tools of the client that began it: " + names +
         ". They are available again with the next message.";
}

// The parts, together with the approver that they point to.
struct ApprovedParts : agent::AgentParts {
  std::unique_ptr<PolicyApprover> own_approver;
  std::shared_ptr<const agent::AgentParts> caller;  // keeps the approver that own_approver asks
};

// Settings from agent, profile and folder, for an agent and a sub-agent alike.
void fill_in(agent::AgentParts& parts, const LiveRun::Worker& worker) {
  const agent::Profile& profile = worker.profile;
  parts.model = worker.model;
  parts.system_prompt = worker.system_prompt;
  if (profile.max_steps) parts.limits.max_steps = *profile.max_steps;
  if (profile.max_depth) parts.limits.max_depth = *profile.max_depth;
  parts.context.agent = profile.name;
  parts.context.model = worker.model->id();
}

}  // namespace

void LiveRun::add_client_tools(tool::Toolbox& tools) {
  const AskClient ask = [weak = weak_from_this()](session::AskRequest request,
                                                  const core::CancelToken& cancel,
                                                  RunInteractions::Done done) {
    const auto self = weak.lock();
    if (!self || self->session_ == nullptr) return false;
    self->ask_client(std::move(request), cancel, std::move(done));
    return true;
  };
  if (setup_.own_tools) {
    for (tool::ToolPtr& own : setup_.own_tools(ask)) {
      own_tools_.insert(own->spec().name);
      tools.add(std::move(own));
    }
  }
  for (const model::ToolSpec& spec : setup_.client_tools) tools.add(make_client_tool(spec, ask));
}

std::unique_ptr<PolicyApprover> LiveRun::make_approver() {
  approvals_ = std::make_shared<ApprovalRegistry>();
  approvals_->allowed = setup_.allowed_tools;
  approvals_->grown = core::unless_gone(weak_from_this(), &LiveRun::keep_tools);
  approvals_->cover = core::unless_gone(weak_from_this(), [](LiveRun& self, const std::string& key,
                                                             const RunInteractions::Person& by) {
    if (self.session_ != nullptr) self.interactions_->allow(key, by);
  });
  return std::make_unique<PolicyApprover>(PolicyApprover::Setup{
      setup_.run, setup_.worker.profile.approvals, in_place_of_policies(setup_.run), *interactions_,
      core::unless_gone(weak_from_this(), &LiveRun::on_waiting), approvals_, nullptr});
}

void LiveRun::keep_tools() {
  RecordedTools record{approvals_->allowed, setup_.client_tools, setup_.missing_tools};
  record.gone.insert(own_tools_.begin(), own_tools_.end());
  if (!record.empty()) services_.keep_tools(setup_.run, write_recorded_tools(record));
}

// Counts the run as waiting until the answer.
RunInteractions::Done LiveRun::waiting(RunInteractions::Done done) {
  on_waiting(+1);
  return [weak = weak_from_this(), done = std::move(done)](Result<session::Answer> answer) mutable {
    if (const auto still = weak.lock()) still->on_waiting(-1);
    done(std::move(answer));
  };
}

void LiveRun::ask_client(session::AskRequest request, const core::CancelToken& cancel,
                         RunInteractions::Done done) {
  interactions_->ask(std::move(request), cancel, waiting(std::move(done)));
}

tool::ToolContext::AskOwner LiveRun::ask_owner() {
  return [weak = weak_from_this()](session::AskRequest request, const core::CancelToken& cancel,
                                   RunInteractions::Done done) {
    const auto self = weak.lock();
    if (!self || self->session_ == nullptr) {
      return done(core::fail(core::Code::cancelled, "The run has ended."));
    }
    self->interactions_->ask_owner(std::move(request), cancel, self->waiting(std::move(done)));
  };
}

std::shared_ptr<const agent::AgentParts> LiveRun::make_parts() {
  auto parts = std::make_shared<agent::AgentParts>();
  fill_in(*parts, setup_.worker);
  tool::Toolbox tools;
  add_client_tools(tools);
  for (const tool::ToolPtr& each : setup_.tools.all()) tools.add(each);
  tools.add(agent::make_invoke_agent(sub_agents(), parts->limits.max_depth));
  if (setup_.run.dry) tools = tool::dry_tools(tools);
  parts->tools = agent::allowed_tools(setup_.worker.profile, tools);
  parts->approver = approver_.get();
  parts->entropy = &services_.entropy;
  parts->in_flight_calls = setup_.in_flight_calls;
  parts->missing_tools = setup_.missing_tools;
  tool::ToolContext& context = parts->context;
  if (session_->dialect() == kChatDialect) {
    parts->max_messages = kMaxChatMessages;
    context.ask_owner = ask_owner();
  }
  const Run& run = setup_.run;
  context.owner = run.owner;
  context.session_id = run.session;
  context.run_id = run.id;
  context.working_folder = run.working_folder;
  context.scheduler = &services_.shard;
  context.outputs = services_.outputs;
  parts->claim_call_id = call_ids_of_one();
  return parts;
}

// A sub-agent has only tools and permissions that its caller has.
Result<agent::SubAgent> LiveRun::make_sub_agent(const agent::SubAgentRequest& request,
                                                Worker worker) {
  tell(sink_->last_node_id(), worker.notices);
  auto parts = std::make_shared<ApprovedParts>();
  fill_in(*parts, worker);
  parts->caller = request.caller ? request.caller : parts_;
  const agent::AgentParts& caller = *parts->caller;
  parts->limits.max_depth = std::min(parts->limits.max_depth, caller.limits.max_depth);
  parts->tools = agent::allowed_tools(worker.profile, caller.tools);
  parts->missing_tools = caller.missing_tools;
  // All approvers of a run have this type.
  parts->own_approver =
      static_cast<const PolicyApprover&>(*caller.approver).for_sub_agent(worker.profile.approvals);
  parts->approver = parts->own_approver.get();
  parts->entropy = &services_.entropy;
  const std::string agent = parts->context.agent;
  const std::string model = parts->context.model;
  parts->context = parts_->context;
  parts->context.agent = agent;
  parts->context.model = model;
  parts->context.working_folder = request.working_folder;
  parts->context.depth = request.depth;
  parts->claim_call_id = call_ids_of_one();
  agent::SubAgent created{worker.kind, std::move(parts)};
  if (worker.profile.timeout_s) created.timeout = std::chrono::seconds(*worker.profile.timeout_s);
  return created;
}

agent::SubAgentFactory LiveRun::sub_agents() {
  return [weak = weak_from_this()](const agent::SubAgentRequest& request,
                                   core::Scheduler& /*shard*/, auto done) {
    const auto self = weak.lock();
    if (!self) return done(core::fail(Code::cancelled, "The run has ended."));
    self->services_.find_worker(
        request.agent, request.working_folder, self->setup_.run.model,
        [weak, request, done = std::move(done)](Result<Worker> worker) mutable {
          const auto still = weak.lock();
          if (!still) return done(core::fail(Code::cancelled, "The run has ended."));
          if (!worker) return done(core::fail(std::move(worker.error())));
          done(still->make_sub_agent(request, std::move(*worker)));
        });
  };
}

// Reserves call ids for one agent: ids come from models, and two agents of a run may use the same.
std::function<bool(const std::string& id)> LiveRun::call_ids_of_one() {
  return [weak = weak_from_this(), agent = ++agents_](const std::string& id) {
    const auto self = weak.lock();
    return self && self->call_agents_.try_emplace(id, agent).first->second == agent;
  };
}

void LiveRun::begin(Started started, Ended ended) {
  PARLEY_ASSERT(session_ != nullptr && !self_ && !sink_,
                "run " + setup_.run.id + ": begins twice, or before it joins its session");
  self_ = shared_from_this();
  started_ = std::move(started);
  ended_ = std::move(ended);
  sink_ = std::make_shared<SessionSink>(
      *session_, services_.shard,
      core::unless_gone(weak_from_this(), [](LiveRun& self, const core::Error& error) {
        self.store_error_ = error;
        self.cancel("The store failed: " + error.message);
      }));
  interactions_ = std::make_unique<RunInteractions>(services_.hub, *session_, services_.shard);
  approver_ = make_approver();
  parts_ = make_parts();
  keep_tools();
  const Result<std::shared_ptr<const graph::Graph>> graph =
      agent::make_graph(setup_.worker.kind, parts_);
  if (!graph) {
    leave();
    std::exchange(started_, {})(core::fail(graph.error()));
    self_.reset();
    return;
  }
  if (!setup_.state) {
    left_out_ = model::left_out(setup_.message, setup_.worker.model->media());
    setup_.state = agent::first_state(setup_.worker.kind, *parts_, std::move(setup_.message),
                                      setup_.earlier.get(), setup_.cut_off);
    setup_.earlier.reset();
  } else if (!setup_.resumed_from) {
    agent::clear_usage(*setup_.state);
  }
  if (setup_.run.lost_numbers) session_->skip_lost_numbers();
  setup_.run.usage = usage_before();
  emit_beginning();
  const auto start = [graph = *graph](LiveRun& self) {
    if (!self.started_) return;
    self.setup_.run.lost_numbers = false;
    std::exchange(self.started_, {})(self.setup_.run);
    self.arm_timeout();
    self.execute(graph);
  };
  sink_->when_durable(
      core::unless_gone(weak_from_this(), [start](LiveRun& self, const Result<void>& stored) {
        if (!stored) {
          self.leave();
          std::exchange(self.started_, {})(core::fail(stored.error()));
          self.self_.reset();
          return;
        }
        // The first event is shown in this turn, after this task.
        self.services_.shard.post(core::unless_gone(self.weak_from_this(), start));
      }));
}

// Usage so far of a resumed run: from its end, or, if the process ended first, from its last
// checkpoint.
std::optional<runtime::Usage> LiveRun::usage_before() const {
  if (!setup_.resumed_from) return std::nullopt;
  const auto record = agent::outcome_of(setup_.worker.kind, *setup_.state).usage;
  const auto& stored = setup_.run.usage;
  return record && (!stored || stored->total_tokens < record->total_tokens) ? record : stored;
}

void LiveRun::emit_beginning() {
  Run& run = setup_.run;
  const std::string node_id =
      setup_.entry.last_node_id.empty() ? "run-0" : setup_.entry.last_node_id;
  if (setup_.resumed_from) {
    std::string value;
    core::JsonWriter json(value);
    json.begin_object().key("resumed").begin_object().key("run_id").string(run.id);
    json.key("checkpoint_id").string(*setup_.resumed_from);
    json.key("in_flight").begin_array();
    for (const std::string& call : setup_.in_flight_calls) json.string(call);
    json.end_array().end_object().end_object();
    sink_->emit(node_id, runtime::Custom{std::move(value)});
  } else {
    sink_->emit("run-0", runtime::RunStart{run.id, run.message, run.agent});
  }
  runtime::Checkpoint checkpoint;
  checkpoint.checkpoint_id = core::new_id(services_.shard.clock(), services_.entropy);
  checkpoint.timestamp = std::to_string(core::to_unix_ms(services_.shard.clock().wall()));
  checkpoint.step = static_cast<std::int64_t>(setup_.entry.step);
  checkpoint.state = encoded(*setup_.state);
  checkpoint.thread_id = run.session;
  checkpoint.next = setup_.entry.node;
  sink_->emit(node_id, std::move(checkpoint));
  report_left_out(node_id);
  std::vector<std::string> notices = setup_.worker.notices;
  if (!setup_.missing_tools.empty()) notices.push_back(missing_notice(setup_.missing_tools));
  if (!setup_.worker.left_out.empty()) notices.push_back(setup_.worker.left_out);
  tell(node_id, notices);
}

void LiveRun::report_left_out(const std::string& node_id) {
  if (left_out_.empty()) return;
  std::string value;
  core::JsonWriter json(value);
  json.begin_object().key(kMediaLeftOut).begin_object();
  json.key("model").string(setup_.worker.model->id()).key("parts").begin_array();
  for (const model::LeftOut& part : left_out_) {
    json.begin_object().key("name").string(part.name);
    json.key("kind").string(model::media_name(part.kind));
    json.key("media_type").string(part.media_type).key("bytes").number(part.bytes);
    json.key("text").string(model::described(part)).end_object();
  }
  json.end_array().end_object().end_object();
  sink_->emit(node_id, runtime::Custom{std::move(value)});
}

void LiveRun::tell(const std::string& node_id, const std::vector<std::string>& notices) {
  std::string value;
  core::JsonWriter json(value);
  json.begin_object().key("notices").begin_array();
  bool any = false;
  for (const std::string& notice : notices) {
    if (!told_.insert(notice).second) continue;
    json.string(notice);
    any = true;
  }
  json.end_array().end_object();
  if (any) sink_->emit(node_id, runtime::Custom{std::move(value)});
}

void LiveRun::execute(std::shared_ptr<const graph::Graph> graph) {
  graph::ExecutionSetup setup{.scheduler = services_.shard,
                              .entropy = services_.entropy,
                              .sink = *sink_,
                              .cancel = cancel_.token(),
                              .thread_id = setup_.run.session,
                              .values_each_node = setup_.run.values_each_node,
                              .checkpoints = true,
                              .entry = setup_.entry};
  // This object stays alive until the graph's nodes have ended, on every path.
  graph::Execution::start(std::move(graph), std::move(setup_.state), std::move(setup),
                          [self = shared_from_this()](graph::ExecutionResult result) {
                            self->on_result(std::move(result));
                          });
}

void LiveRun::arm_timeout() {
  if (!setup_.worker.profile.timeout_s) return;
  timeout_ = services_.shard.after(std::chrono::seconds(*setup_.worker.profile.timeout_s),
                                   core::unless_gone(weak_from_this(), [](LiveRun& self) {
                                     self.timeout_ = 0;
                                     self.timed_out_ = true;
                                     self.cancel("The timeout of this run has expired.");
                                   }));
}

void LiveRun::cancel(const std::string& reason) { cancel_.cancel(reason); }

void LiveRun::abandon() {
  if (sink_) sink_->close();
  session_ = nullptr;
  started_ = {};
  ended_ = {};
  // Breaks the cycle: callbacks registered for a cancellation hold pending work, and that holds
  // this.
  cancel_.forget();
  self_.reset();
}

void LiveRun::on_waiting(int change) {
  waiting_ += change;
  PARLEY_ASSERT(waiting_ >= 0,
                "run " + setup_.run.id + ": waits for " + std::to_string(waiting_) + " answers");
  const RunState state = waiting_ > 0 ? RunState::waiting : RunState::running;
  if (setup_.run.ended_at || setup_.run.state == state) return;
  setup_.run.state = state;
  services_.changed(setup_.run);
}

void LiveRun::on_event(const event::Event& event) {
  Run& run = setup_.run;
  if (run.first_seq == 0 && event.type == "run_start") run.first_seq = event.seq;
}

void LiveRun::on_leave_required(session::LeaveReason reason) {
  shutting_down_ = reason == session::LeaveReason::shutting_down;
  if (reason == session::LeaveReason::token_revoked) return cancel("The token is no longer valid.");
  cancel(shutting_down_ ? "The server is shutting down." : "Another node owns the session.");
  // The shards are stopping, or another node resumes the run: from the stored events.
  finish();
}

void LiveRun::on_result(graph::ExecutionResult result) {
  if (!self_ || session_ == nullptr) return;
  services_.shard.cancel(std::exchange(timeout_, 0));
  setup_.run.steps = result.steps;
  conclude(result);
}

void LiveRun::conclude(const graph::ExecutionResult& result) {
  using End = graph::ExecutionResult::End;
  Run& run = setup_.run;
  PARLEY_ASSERT(!run.ended_at, "run " + run.id + ": ends twice, step " + std::to_string(run.steps));
  agent::Outcome outcome;
  if (result.state) outcome = agent::outcome_of(setup_.worker.kind, *result.state);
  if (sink_->spent()) add_usage(run.usage, *sink_->spent());
  run.reply = outcome.reply;
  run.error.clear();
  std::string stop_reason = "end_turn";
  run.state = RunState::finished;
  if (store_error_) {
    run.state = RunState::interrupted;
    run.error = store_error_->message;
    return finish();
  }
  if (result.end == End::cancelled && !timed_out_) {
    run.state = RunState::cancelled;
    stop_reason = "cancelled";
    run.reply.clear();
  } else if (result.end != End::finished) {
    run.state = RunState::failed;
    stop_reason = "error";
    run.error = timed_out_     ? "The timeout of this run has expired."
                : result.error ? result.error->message
                               : "The run was interrupted: " + result.payload;
  }
  write_reply(std::move(stop_reason), outcome,
              result.node_id.empty() ? sink_->last_node_id() : result.node_id);
}

void LiveRun::write_reply(std::string stop_reason, const agent::Outcome& outcome,
                          const std::string& node_id) {
  const Run& run = setup_.run;
  std::string payload;
  core::JsonWriter json(payload);
  json.begin_object().key("type").string(runtime::kReplyType).key("reply").string(run.reply);
  if (!outcome.reasoning.empty() && run.state == RunState::finished) {
    json.key("reasoning_content").string(outcome.reasoning);
  }
  json.key("stop_reason").string(stop_reason);
  if (!run.error.empty()) json.key("error").string(run.error);
  if (run.state != RunState::finished && !sink_->unfinished_text().empty()) {
    json.key(kCutOffMember).string(sink_->unfinished_text());
  }
  if (run.usage) {
    json.key("usage").begin_object();
    json.key("prompt_tokens").number(run.usage->prompt_tokens);
    json.key("completion_tokens").number(run.usage->completion_tokens);
    json.key("total_tokens").number(run.usage->total_tokens).end_object();
  }
  json.key("run_id").string(run.id).key("node_id").string(node_id).end_object();
  sink_->append_durable(
      runtime::kReplyType, std::move(payload),
      core::unless_gone(weak_from_this(), [](LiveRun& self, const Result<std::uint64_t>& seq) {
        if (seq) {
          self.setup_.run.last_seq = *seq;
        } else {
          self.setup_.run.state = RunState::interrupted;
          self.setup_.run.error = seq.error().message;
        }
        self.finish();
      }));
}

void LiveRun::finish() {
  const std::shared_ptr<LiveRun> self = std::exchange(self_, nullptr);
  if (!self) return;
  Run& run = setup_.run;
  if (run.last_seq == 0) {
    run.state = RunState::interrupted;
    // A store that closes in order keeps all events that were seen; one that fails does not.
    run.lost_numbers = !shutting_down_;
  } else {
    run.ended_at = services_.shard.clock().wall();
  }
  sink_->close();
  leave();
  if (started_) {
    std::exchange(started_, {})(
        core::fail(Code::unavailable, "The server is shutting down. Try again later."));
  }
  std::exchange(ended_, {})(run);
}

}  // namespace parley::run
