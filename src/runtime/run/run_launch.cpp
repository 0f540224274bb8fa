// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_launch.h"

#include <spdlog/spdlog.h>

#include <string_view>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/contain.h"
#include "base/core/result.h"
#include "runtime/run/client_tool.h"

namespace parley::run {

using core::Code;
using core::Result;
using Impl = LocalRunService::Impl;

namespace {

// Tools whose names client tools must not use. None of them is called.
tool::Toolbox tools_of_server(const LiveRun::Setup& setup) {
  tool::Toolbox out = setup.tools;
  out.add(agent::make_invoke_agent({}, 0));
  if (!setup.own_tools || setup.client_tools.empty()) return out;
  const AskClient nobody = [](session::AskRequest /*request*/, const core::CancelToken& /*cancel*/,
                              const RunInteractions::Done& /*done*/) { return false; };
  for (tool::ToolPtr& own : setup.own_tools(nobody)) out.add(std::move(own));
  return out;
}

// Marks the client's tools as gone: the server has tools of the same names by now.
void leave_client_tools(LiveRun::Setup& setup) {
  for (const model::ToolSpec& spec : setup.client_tools) setup.missing_tools.insert(spec.name);
  setup.client_tools.clear();
}

constexpr std::string_view kCancelledAtLaunch = "The run was cancelled before it began.";

// The run from which a request goes on.
Result<std::optional<Run>> run_before(RunIndex& index, const RunRequest& request) {
  return index.last_of(request.session);
}
Result<std::optional<Run>> run_before(RunIndex& index, const ResumeRequest& request) {
  return index.find(request.run_id);
}
Result<std::optional<Run>> run_before(RunIndex& index, const ForkRequest& request) {
  return index.find(request.run_id);
}

auto refuse_ended() {
  return core::fail(Code::failed_precondition, "The run has ended.", "run_id");
}

}  // namespace

Impl::Impl(RunOptions options_in, const Services& services_in, core::Scheduler& worker_in)
    : options(std::move(options_in)), services(services_in), worker(worker_in) {}

void Impl::stop() {
  core::StringMap<Live> live;
  {
    const std::scoped_lock lock(mutex_);
    live.swap(live_);
  }
  for (auto& [id, one] : live) {
    if (const auto run = one.run.lock()) run->abandon();
  }
  if (own_worker) own_worker->stop();
}

// --- live runs ------------------------------------------------------------------------------

// The reason why a session cannot start a run now. Under the lock.
std::string Impl::busy_reason(const std::string& run_id) const {
  if (run_id.empty()) return "The session is being deleted.";
  const auto live = live_.find(run_id);
  if (live == live_.end() || !live->second.waits_for_person) {
    return "The run " + run_id + " of this session goes on. Wait for its end, or cancel it.";
  }
  return "The run " + run_id +
         " of this session waits for a person. Answer it in the inbox, on the page of the run, or "
         "with POST /v1/runs/" +
         run_id + "/approvals; or cancel it.";
}

Result<void> Impl::reserve(const LaunchPtr& launch) {
  const Run& run = launch->setup.run;
  const std::scoped_lock lock(mutex_);
  if (const auto busy = busy_sessions_.find(run.session); busy != busy_sessions_.end()) {
    const auto other = live_.find(busy->second);
    if (other != live_.end() && other->second.owner != run.owner) {
      // The answer does not reveal another token's run, not even before it is in the list of runs.
      return core::fail(Code::already_exists, "This id is taken. Choose another one.", "session");
    }
    return core::fail(Code::failed_precondition, busy_reason(busy->second), "session");
  }
  if (live_.contains(run.id)) {
    return core::fail(Code::already_exists, "A run with this id already exists. Choose another id.",
                      "run_id");
  }
  std::size_t& of_owner = live_of_owner_[run.owner];
  if (live_.size() >= options.max_live || of_owner >= options.max_live_of_owner) {
    ++refused_;
    return core::fail(Code::resource_exhausted,
                      "Too many runs go on. Wait until one of them has ended.");
  }
  ++of_owner;
  ++started_;
  busy_sessions_[run.session] = run.id;
  live_[run.id] = Live{run.owner, run.session, launch, {}, {}};
  return {};
}

void Impl::release(const Run& run) {
  std::vector<std::pair<core::Scheduler*, Done<Run>>> cancels;
  {
    const std::scoped_lock lock(mutex_);
    const auto live = live_.find(run.id);
    if (live == live_.end()) return;
    cancels = std::move(live->second.cancels);
    live_.erase(live);
    busy_sessions_.erase(run.session);
    const auto of_owner = live_of_owner_.find(run.owner);
    if (--of_owner->second == 0) live_of_owner_.erase(of_owner);
  }
  for (auto& [scheduler, done] : cancels) {
    // Otherwise the cancellation came after the reply, or just before it.
    const bool stopped = run.state == RunState::cancelled || run.state == RunState::interrupted;
    Result<Run> answer = stopped ? Result<Run>(run) : refuse_ended();
    core::reply(*scheduler, std::move(done), std::move(answer));
  }
}

bool Impl::is_live(std::string_view run_id) const {
  const std::scoped_lock lock(mutex_);
  return live_.contains(run_id);
}

RunCounts Impl::counts() const {
  const std::scoped_lock lock(mutex_);
  return {live_.size(), started_, refused_};
}

bool Impl::cancel_live(const std::string& owner, const std::string& run_id,
                       core::Scheduler& scheduler, Done<Run>& done) {
  std::unique_lock lock(mutex_);
  const auto mine = live_.find(run_id);
  if (mine == live_.end() || mine->second.owner != owner) return false;
  const std::string session = mine->second.session;
  mine->second.cancels.emplace_back(&scheduler, std::move(done));
  if (LaunchPtr launch = std::exchange(mine->second.launch, nullptr)) {
    launch->cancelled = true;
    worker.post(
        [self = shared_from_this(), launch = std::move(launch)] { self->end_cancelled(launch); });
  }
  lock.unlock();
  const auto cancel_there = [self = shared_from_this(), run_id](session::Shard& /*of the run*/) {
    std::shared_ptr<LiveRun> run;
    {
      const std::scoped_lock held(self->mutex_);
      const auto live = self->live_.find(run_id);
      if (live != self->live_.end()) run = live->second.run.lock();
    }
    if (run) run->cancel("run cancelled");
  };
  services.hub.post_home(session, cancel_there);
  return true;
}

void Impl::cancel(const std::string& owner, const std::string& run_id, core::Scheduler& scheduler,
                  Done<Run> done) {
  if (cancel_live(owner, run_id, scheduler, done)) return;
  // Asked once more behind the starts that wait for the worker.
  worker.post(
      [self = shared_from_this(), owner, run_id, &scheduler, done = std::move(done)]() mutable {
        if (self->cancel_live(owner, run_id, scheduler, done)) return;
        self->with_index<Run>(scheduler, std::move(done),
                              [self, owner, run_id](RunIndex& index) -> Result<Run> {
                                const Result<Run> run = self->owned(index, owner, run_id);
                                return run ? Result<Run>(refuse_ended()) : run;
                              });
      });
}

bool Impl::claim(const LaunchPtr& launch) {
  const std::scoped_lock lock(mutex_);
  if (launch->cancelled) return false;
  const auto live = live_.find(launch->setup.run.id);
  if (live != live_.end()) live->second.launch.reset();
  return true;
}

bool Impl::is_cancelled(const LaunchPtr& launch) const {
  const std::scoped_lock lock(mutex_);
  return launch->cancelled;
}

// A resumed run stays as it was, and can be resumed again.
void Impl::end_cancelled(const LaunchPtr& launch) {
  Run ended = launch->setup.run;
  ended.state = RunState::cancelled;
  ended.ended_at = services.clock.wall();
  const Run& row = launch->before ? *launch->before : ended;
  if (launch->listed || launch->before) {
    record(row);
  } else if (const Result<void> listed = index_->insert(row, home_of(row)); listed) {
    watchers.tell(row);
  } else {
    spdlog::error("run {}: {}", row.id, listed.error().message);
  }
  release(ended);
  launch->scheduler->post(
      [launch] { launch->done(core::fail(Code::cancelled, std::string(kCancelledAtLaunch))); });
}

// --- the list -------------------------------------------------------------------------------

Result<void> Impl::open_index() {
  index_ = options.index;
  if (index_ == nullptr) {
    PARLEY_TRY(index_, RunIndex::open(options.data_dir));
  }
  late_rows_ = std::make_shared<LateRows>(*index_, worker);
  PARLEY_TRY(std::vector<Run> unfinished, unfinished_of(options.is_home));
  worker.post([self = shared_from_this(), unfinished = std::move(unfinished)]() mutable {
    self->recover(std::move(unfinished));
  });
  return {};
}

Result<Run> Impl::owned(RunIndex& index, const std::string& owner, const std::string& run_id) {
  PARLEY_TRY(std::optional<Run> run, index.find(run_id));
  if (!run || run->owner != owner) {
    return core::fail(Code::not_found, "There is no run of this id.", "run_id");
  }
  return as_it_stands(std::move(*run));
}

Result<Run> Impl::last_run(const std::string& owner, const std::string& session) {
  PARLEY_TRY(std::optional<Run> run, index_->last_of(session));
  if (!run || run->owner != owner) {
    return core::fail(Code::not_found, "There is no session of this id.", "session");
  }
  return as_it_stands(std::move(*run));
}

void Impl::record(const Run& run) {
  const event::HomeEpoch home = home_of(run);
  const Result<void> updated = index_->update(run, home);
  late_rows_->forget(run.id);
  if (!updated) spdlog::error("run {}: {}", run.id, updated.error().message);
  // Another node has the run, and tells of it.
  if (!updated && updated.error().code == Code::owned_elsewhere) return;
  if (!updated && updated.error().code == Code::unavailable) late_rows_->keep(run, home);
  watchers.tell(run);
}

void Impl::on_changed(const Run& run) {
  {
    const std::scoped_lock lock(mutex_);
    const auto live = live_.find(run.id);
    if (live != live_.end()) live->second.waits_for_person = run.state == RunState::waiting;
  }
  worker.post([self = shared_from_this(), run] { self->record(run); });
}

void Impl::keep_tools(const Run& run, std::string tools) {
  worker.post([self = shared_from_this(), run, tools = std::move(tools)] {
    const Result<void> stored = self->index_->keep_tools(run, tools, self->home_of(run));
    if (!stored) spdlog::error("run {}: its tools: {}", run.id, stored.error().message);
  });
}

// Called before the reply is shown to anyone: later requests are served after this task of the
// worker.
void Impl::on_ended(const Run& run) {
  worker.post([self = shared_from_this(), run] {
    self->record(run);
    self->release(run);
  });
}

// Withdraws the questions of a run, in its session and in its owner's inbox.
void Impl::withdraw_questions_of(const Run& in, const std::string& run_id,
                                 const std::string& reason) {
  const std::string prefix = tool::question_prefix(run_id);
  withdraw_interactions(services.hub, run_session(in.session, in.owner), prefix, reason);
  services.inbox.withdraw(in.owner, prefix, reason);
}

// --- launching ------------------------------------------------------------------------------

template <typename Request>
void Impl::settle_and_launch(Request request, core::Scheduler& scheduler, Done<Run> done) {
  worker.post([self = shared_from_this(), request = std::move(request), &scheduler,
               done = std::move(done)]() mutable {
    Result<std::optional<Run>> past =
        core::contain("runs", [&] { return run_before(*self->index_, request); });
    const std::string owner = request.owner;
    self->settle(std::move(past), owner,
                 [self, request = std::move(request), &scheduler,
                  done = std::move(done)](const Result<void>& settled) mutable {
                   const auto prepared = [&]() -> Result<LaunchPtr> {
                     if (!settled) return core::fail(settled.error());
                     return self->prepare(std::move(request));
                   };
                   self->launch(core::contain("runs", prepared), scheduler, std::move(done));
                 });
  });
}

void Impl::start(RunRequest request, core::Scheduler& scheduler, Done<Run> done) {
  settle_and_launch(std::move(request), scheduler, std::move(done));
}

void Impl::resume(ResumeRequest request, core::Scheduler& scheduler, Done<Run> done) {
  settle_and_launch(std::move(request), scheduler, std::move(done));
}

void Impl::fork(ForkRequest request, core::Scheduler& scheduler, Done<Run> done) {
  settle_and_launch(std::move(request), scheduler, std::move(done));
}

void Impl::launch(Result<LaunchPtr> launch, core::Scheduler& scheduler, Done<Run> done) {
  const auto refuse_at_once = [&scheduler, &done](core::Error error) {
    core::reply(scheduler, std::move(done), core::fail(std::move(error)));
  };
  if (!launch) return refuse_at_once(std::move(launch.error()));
  if (Result<void> free = reserve(*launch); !free) {
    return refuse_at_once(std::move(free.error()));
  }
  (*launch)->scheduler = &scheduler;
  (*launch)->done = std::move(done);
  take_step(*launch, [&] { add_tools(*launch); });
}

void Impl::refuse(const LaunchPtr& launch, core::Error error) {
  if (!claim(launch)) return;
  release(launch->setup.run);
  launch->scheduler->post(
      [launch, error = std::move(error)]() mutable { launch->done(core::fail(std::move(error))); });
}

// The run of a launch that has failed.
Run Impl::failed(Run run, const core::Error& error) const {
  run.state = RunState::failed;
  run.ended_at = services.clock.wall();
  run.error = error.message;
  return run;
}

void Impl::fail(const LaunchPtr& launch, core::Error error) {
  if (!claim(launch)) return;
  if (launch->listed) {
    launch->setup.run = failed(std::move(launch->setup.run), error);
    on_changed(launch->setup.run);
  }
  refuse(launch, std::move(error));
}

void Impl::add_tools(const LaunchPtr& launch) {
  services.tools.toolbox(launch->setup.run.working_folder, worker,
                         [self = shared_from_this(), launch](Result<tool::Toolbox> tools) {
                           if (!tools) return self->refuse(launch, std::move(tools.error()));
                           self->take_step(launch, [&] {
                             launch->setup.tools = std::move(*tools);
                             Result<void> fit = check_client_tools(launch->setup.client_tools,
                                                                   tools_of_server(launch->setup));
                             if (!fit && !launch->goes_on) {
                               return self->refuse(launch, std::move(fit.error()));
                             }
                             if (!fit) leave_client_tools(launch->setup);
                             self->read_past(launch);
                           });
                         });
}

void Impl::read_past(const LaunchPtr& launch) {
  if (!launch->from) return put_in_list(launch);
  read_history(services.store, *launch->from, worker,
               [self = shared_from_this(), launch](Result<RunHistory> past) {
                 if (!past) return self->refuse(launch, std::move(past.error()));
                 self->take_step(launch, [&] {
                   Result<void> taken = self->take_past(*launch, std::move(*past));
                   if (!taken) return self->refuse(launch, std::move(taken.error()));
                   self->put_in_list(launch);
                 });
               });
}

Result<void> Impl::take_past(Launch& launch, RunHistory past) {
  LiveRun::Setup& setup = launch.setup;
  if (!launch.whole_state) {
    setup.earlier = std::move(past.state);
    setup.cut_off = std::move(past.cut_off);
    return {};
  }
  if (!past.state || past.checkpoints.empty()) {
    return core::fail(Code::failed_precondition, "The run has no checkpoint to resume from.",
                      "run_id");
  }
  const CheckpointInfo& last = past.checkpoints.back();
  setup.state = std::move(past.state);
  setup.entry.node = last.next;
  setup.entry.step = static_cast<std::uint64_t>(last.step);
  if (launch.goes_on) {
    setup.entry.node_runs = past.node_runs;
    setup.entry.last_node_id = past.last_node_id;
    setup.in_flight_calls = std::move(past.in_flight_calls);
    setup.resumed_from = last.id;
  }
  return {};
}

void Impl::put_in_list(const LaunchPtr& launch) {
  const Run& run = launch->setup.run;
  const event::HomeEpoch home = home_of(run);
  const Result<void> listed =
      launch->insert ? index_->insert(run, home) : index_->update(run, home);
  if (!listed) {
    // The row may be stored nevertheless.
    if (listed.error().code == Code::unavailable) {
      late_rows_->keep(launch->before ? *launch->before : failed(run, listed.error()), home);
    }
    return refuse(launch, listed.error());
  }
  late_rows_->forget(run.id);
  launch->listed = true;
  watchers.tell(launch->setup.run);
  enter_session(launch);
}

void Impl::enter_session(const LaunchPtr& launch) {
  const Run& run = launch->setup.run;
  services.hub.with_session(
      run_session(run.session, run.owner, launch->dialect),
      [self = shared_from_this(), launch](Result<session::Session*> session) {
        if (!self->claim(launch)) return;
        // A new run, which has no checkpoint, cannot be resumed.
        const bool fails =
            !session && (launch->insert || session.error().code == Code::failed_precondition);
        if (fails) return self->fail(launch, std::move(session.error()));
        if (!session) {
          launch->setup.run.state = RunState::interrupted;
          self->on_changed(launch->setup.run);
          return self->refuse(launch, std::move(session.error()));
        }
        self->take_step(launch, [&] { self->begin(launch, **session); });
      });
}

void Impl::begin(const LaunchPtr& launch, session::Session& session) {
  core::Scheduler& shard = session.scheduler();
  const Run run = launch->setup.run;
  const LiveRun::Services run_services{
      shard,
      services.entropy,
      services.hub,
      services.outputs,
      [self = shared_from_this()](const Run& changed) { self->on_changed(changed); },
      [self = shared_from_this()](const Run& run_of, std::string tools) {
        self->keep_tools(run_of, std::move(tools));
      },
      [self = shared_from_this(), &shard](std::string agent, std::string folder, std::string model,
                                          auto done) {
        self->find_worker(std::move(agent), std::move(folder), std::move(model), shard,
                          std::move(done));
      }};
  auto live = std::make_shared<LiveRun>(std::move(launch->setup), run_services);
  launch->setup.run = run;
  if (Result<void> joined = live->join(session); !joined) {
    return fail(launch, std::move(joined.error()));
  }
  {
    const std::scoped_lock lock(mutex_);
    live_[run.id].run = live;
  }
  live->begin(
      [self = shared_from_this(), launch](Result<Run> begun) {
        if (!begun) {
          return self->fail(launch, std::move(begun.error()));
        }
        self->on_changed(*begun);
        if (!launch->supersedes.empty()) {
          self->withdraw_questions_of(*begun, launch->supersedes,
                                      "A later run has replaced this one.");
        }
        launch->scheduler->post(
            [launch, begun = std::move(*begun)]() mutable { launch->done(std::move(begun)); });
      },
      [self = shared_from_this()](const Run& ended) { self->on_ended(ended); });
}

}  // namespace parley::run
