// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "base/core/contain.h"
#include "base/core/string_map.h"
#include "runtime/run/late_rows.h"
#include "runtime/run/live_run.h"
#include "runtime/run/local_run_service.h"
#include "runtime/run/run_history.h"

namespace parley::run {

// Implementation of LocalRunService. Shared with the tasks of its threads.
class LocalRunService::Impl : public std::enable_shared_from_this<LocalRunService::Impl> {
 public:
  Impl(RunOptions options_in, const Services& services_in, core::Scheduler& worker_in);

  core::Result<void> open_index();
  // On the worker.
  void take_up(const OwnerFilter& owners);
  void stop();

  // Each passes these steps: preparation on the worker (files, list), tools, the session on its
  // shard with its earlier state, the list, the run itself. An error in a step is reported to
  // `done` and frees the session.
  void start(RunRequest request, core::Scheduler& scheduler, Done<Run> done);
  void resume(ResumeRequest request, core::Scheduler& scheduler, Done<Run> done);
  void fork(ForkRequest request, core::Scheduler& scheduler, Done<Run> done);
  void cancel(const std::string& owner, const std::string& run_id, core::Scheduler& scheduler,
              Done<Run> done);

  // Runs `work` on the list, on its thread, and posts the result to `done` on `scheduler`.
  template <typename T>
  void with_index(core::Scheduler& scheduler, Done<T> done,
                  absl::AnyInvocable<core::Result<T>(RunIndex&)> work) {
    core::ask(worker, "runs", scheduler, std::move(done),
              [self = shared_from_this(), work = std::move(work)]() mutable {
                return work(*self->index_);
              });
  }
  // A run of this owner. Errors: `not_found`. On the worker.
  core::Result<Run> owned(RunIndex& index, const std::string& owner, const std::string& run_id);
  core::Result<Run> owned_here(const std::string& owner, const std::string& run_id) {
    return owned(*index_, owner, run_id);
  }
  // The last run of a session of this owner. Errors: `not_found`. On the worker.
  core::Result<Run> last_run(const std::string& owner, const std::string& session);
  // Reads a run and rebuilds its state, on the worker; `done` is called there.
  void history(const Run& run, const std::string& until_checkpoint, HistoryDone done);
  // run_sessions.cpp: on the worker, and `done` is called there.
  void list_sessions(const RunSessionQuery& query, Done<RunSessionPage> done);
  void show_session(const std::string& owner, const std::string& session, Done<RunSession> done);
  void remove_session(const std::string& owner, const std::string& session,
                      Done<std::uint64_t> done);
  // The folder, absolute and without symlinks. Errors: `invalid_argument`, `permission_denied`
  // (outside RunOptions::folders, existing or not, and `any_folder` is false). On the worker.
  core::Result<std::string> folder_of(const std::string& wanted, bool any_folder) const;
  bool is_live(std::string_view run_id) const;
  // Cancels a live run of this owner; false, and `done` is untouched: there is none.
  bool cancel_live(const std::string& owner, const std::string& run_id, core::Scheduler& scheduler,
                   Done<Run>& done);
  RunCounts counts() const;

  const RunOptions options;
  const Services services;
  core::Scheduler& worker;
  RunWatchers watchers;
  std::unique_ptr<core::Worker> own_worker;  // null: the thread belongs to the caller

 private:
  // A run that is being prepared.
  struct Launch {
    LiveRun::Setup setup;
    std::optional<HistoryQuery> from;  // history to read before it begins
    bool goes_on = false;              // `from` is its own history, not that of the session
    bool whole_state = false;          // begins at the state of `from`, not with a message
    core::Scheduler* scheduler = nullptr;
    Done<Run> done;
    std::string_view dialect = kRunDialect;
    bool insert = true;         // true: a new row in the list
    bool listed = false;        // the row exists
    bool cancelled = false;     // guarded by mutex_; true: no further step is taken
    std::optional<Run> before;  // the row of a resumed run as it was
    std::string supersedes;     // an interrupted run that cannot be resumed once this one has begun
  };
  using LaunchPtr = std::shared_ptr<Launch>;

  std::string busy_reason(const std::string& run_id) const;
  core::Result<void> reserve(const LaunchPtr& launch);
  // Blocks runs in a session while it is deleted. Errors: `aborted`.
  core::Result<void> reserve_session(const std::string& session);
  void release_session(const std::string& session);
  void drop_events(const std::string& owner, const std::string& session, Done<void> done);
  core::Result<void> withdraw_questions(const std::string& owner, const std::string& session);
  void withdraw_questions_of(const Run& in, const std::string& run_id, const std::string& reason);
  core::Result<void> drop_files(const std::string& owner, const std::string& session) const;
  void release(const Run& run);
  void refuse(const LaunchPtr& launch, core::Error error);
  // As refuse(), for a launch that may be in the list: marks its run as failed.
  void fail(const LaunchPtr& launch, core::Error error);
  Run failed(Run run, const core::Error& error) const;
  // From now on a cancellation is the running run's. False: the launch was cancelled before.
  bool claim(const LaunchPtr& launch);
  bool is_cancelled(const LaunchPtr& launch) const;
  // Ends a cancelled launch, whatever its step waits for. On the worker.
  void end_cancelled(const LaunchPtr& launch);
  // Runs a step of a launch, unless it was cancelled. An exception in it fails the launch, and
  // frees the session.
  template <typename Step>
  void take_step(const LaunchPtr& launch, Step step) {
    if (is_cancelled(launch)) return;
    Run run = launch->setup.run;
    if (auto done = core::contain("runs", std::move(step)); !done) {
      launch->setup.run = std::move(run);
      fail(launch, std::move(done.error()));
    }
  }
  // On the worker:
  core::Result<void> check_leave(const Run& run, RunLeave leave) const;
  core::Result<std::optional<HistoryQuery>> past_for(const RunRequest& request, const Run& last);
  core::Result<LaunchPtr> prepare(RunRequest request);
  core::Result<LaunchPtr> prepare(const ResumeRequest& request);
  core::Result<LaunchPtr> prepare(ForkRequest request);
  core::Result<void> fill_in(Launch& launch, const std::string& wanted_model);
  core::Result<LiveRun::Worker> worker_of(const std::string& agent,
                                          const std::string& working_folder,
                                          const std::string& model);
  // Answers on `shard`.
  void find_worker(std::string agent, std::string working_folder, std::string model,
                   core::Scheduler& shard, Done<LiveRun::Worker> done);
  void launch(core::Result<LaunchPtr> launch, core::Scheduler& scheduler, Done<Run> done);
  void add_tools(const LaunchPtr& launch);
  void read_past(const LaunchPtr& launch);
  core::Result<void> take_past(Launch& launch, RunHistory past);
  void put_in_list(const LaunchPtr& launch);
  // On the session's shard:
  void enter_session(const LaunchPtr& launch);
  void begin(const LaunchPtr& launch, session::Session& session);
  // The epoch under which this node writes a run to the list.
  event::HomeEpoch home_of(const Run& run) const { return services.store.home_epoch(run.owner); }
  // Stores a changed run in the list and notifies the watchers. On the worker.
  void record(const Run& run);
  void on_changed(const Run& run);
  void keep_tools(const Run& run, std::string tools);
  void on_ended(const Run& run);
  core::Result<std::vector<Run>> unfinished_of(const OwnerFilter& owners);
  void recover(std::vector<Run> unfinished);
  void find_end(Run run, int reads_left);
  void read_last(const Run& run, std::vector<std::string> types,
                 Done<std::optional<event::Event>> done);
  void read_end(const Run& run, Done<void> done);
  core::Result<void> take_end(const Run& listed, const std::optional<event::Event>& last,
                              const std::optional<event::Event>& start);
  void settle(core::Result<std::optional<Run>> found, const std::string& owner, Done<void> then);
  // On any thread.
  template <typename Request>
  void settle_and_launch(Request request, core::Scheduler& scheduler, Done<Run> done);
  Run as_it_stands(Run run) const;

  struct Live {
    std::string owner;
    std::string session;
    LaunchPtr launch;            // until the run can be cancelled itself
    std::weak_ptr<LiveRun> run;  // from then on
    std::vector<std::pair<core::Scheduler*, Done<Run>>> cancels;  // callers that wait for its end
    bool waits_for_person = false;
  };

  std::shared_ptr<RunIndex> index_;      // worker only
  std::shared_ptr<LateRows> late_rows_;  // worker only
  mutable std::mutex mutex_;             // guards the members below
  core::StringMap<Live> live_;           // by run id, from reserve() on
  // By session, the id of its live run; empty: the session is being deleted.
  core::StringMap<std::string> busy_sessions_;
  core::StringMap<std::size_t> live_of_owner_;
  std::uint64_t started_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace parley::run
