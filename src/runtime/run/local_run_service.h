// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/entropy.h"
#include "base/core/work_gate.h"
#include "base/core/worker.h"
#include "model/event/session_store.h"
#include "model/session/hub.h"
#include "runtime/run/run_index.h"
#include "runtime/run/run_service.h"
#include "runtime/run/run_watchers.h"
#include "runtime/tool/file/tool_output.h"
#include "runtime/tool/inbox.h"
#include "runtime/tool/tool_source.h"

namespace parley::run {

// True for an owner whose runs are meant. Any thread.
using OwnerFilter = std::function<bool(std::string_view owner)>;

struct RunOptions {
  std::string data_dir;        // the list is stored in DATA/runs.db
  std::string working_folder;  // default of runs that name none
  // Further folders for runs, with their subfolders; any other needs RunLeave::any_folder.
  std::vector<std::string> folders;
  std::string home;  // home of the user, with the user's profiles
  // Effect of approvals in profiles of working folders.
  agent::FolderApprovals folder_approvals = agent::FolderApprovals::tighten;
  std::size_t max_live = 10'000;          // limit of concurrent runs
  std::size_t max_live_of_owner = 4'000;  // the same, per token
  std::size_t max_message_bytes = 1U << 20U;
  std::shared_ptr<RunIndex> index = nullptr;  // null: opens DATA/runs.db
  core::WorkGate* gate = nullptr;             // asked before a run begins or resumes; null: no gate
  // In a cluster: the owners whose home this node is at its start, usually none; those of others
  // come by take_up(). Null: all.
  OwnerFilter is_home = nullptr;
  std::string node = {};  // in a cluster: the name of this node, whose folders runs work in
};

// Counts of runs for metrics. Thread-safe.
struct RunCounts {
  std::size_t live = 0;
  std::uint64_t started = 0;
  std::uint64_t refused = 0;  // refused by a limit
};

// Runs on the shards of this process. A thread of its own serves the list of runs and reads files
// before a run begins.
class LocalRunService final : public RunService {
 public:
  struct Services {
    session::Hub& hub;
    event::SessionStore& store;
    const core::Clock& clock;
    core::Entropy& entropy;
    model::ModelRegistry& models;
    tool::ToolSource& tools;
    tool::Inbox& inbox;
    tool::OutputStore* outputs = nullptr;  // for long results; null: they are cut
    // Called when a session is deleted, so that others can delete their data of it; `done` may be
    // called on any thread. May be empty.
    using Forget = std::function<void(const std::string& owner, const std::string& session,
                                      core::Scheduler& scheduler, Done<void> done)>;
    Forget forget = {};
  };

  // All arguments must outlive the service. Runs that were live when the process ended are marked:
  // finished if their reply is stored, else interrupted. Destroy the service after the shards have
  // stopped, before the hub. Errors: those of sql::Database.
  static core::Result<std::unique_ptr<LocalRunService>> open(const RunOptions& options,
                                                             const Services& services);
  // The same with the caller's thread as the worker, for tests.
  static core::Result<std::unique_ptr<LocalRunService>> open(const RunOptions& options,
                                                             const Services& services,
                                                             core::Scheduler& worker);
  ~LocalRunService() override;  // stop()

  // Ends the thread. Call after the shards have stopped.
  void stop();
  RunCounts counts() const;
  // Notified after each change of the list of runs.
  RunWatchers& watchers();
  // This node has become the home of these owners: marks those of their runs that were live on the
  // former home, as open() does. Any thread.
  void take_up(OwnerFilter owners);

  void start(RunRequest request, core::Scheduler& scheduler, Done<Run> done) override;
  void resume(ResumeRequest request, core::Scheduler& scheduler, Done<Run> done) override;
  void fork(ForkRequest request, core::Scheduler& scheduler, Done<Run> done) override;
  void cancel(std::string owner, std::string run_id, core::Scheduler& scheduler,
              Done<Run> done) override;
  void approve(std::string owner, std::string run_id, std::string call_id, ApprovalAnswer answer,
               core::Scheduler& scheduler, Done<bool> done) override;
  void find(std::string owner, std::string run_id, core::Scheduler& scheduler,
            Done<Run> done) override;
  void list(RunQuery query, core::Scheduler& scheduler, Done<RunPage> done) override;
  void checkpoints(std::string owner, std::string run_id, core::Scheduler& scheduler,
                   Done<std::vector<CheckpointInfo>> done) override;
  void checkpoint(std::string owner, std::string run_id, std::string checkpoint_id,
                  core::Scheduler& scheduler, Done<CheckpointState> done) override;
  void messages(std::string owner, std::string session, core::Scheduler& scheduler,
                Done<std::vector<model::Message>> done) override;
  void sessions(RunSessionQuery query, core::Scheduler& scheduler,
                Done<RunSessionPage> done) override;
  void session(std::string owner, std::string session, core::Scheduler& scheduler,
               Done<RunSession> done) override;
  void remove_session(std::string owner, std::string session, core::Scheduler& scheduler,
                      Done<std::uint64_t> done) override;
  void set_model(std::string owner, std::string session, std::string model,
                 core::Scheduler& scheduler, Done<void> done) override;
  void tools(FolderRequest request, core::Scheduler& scheduler, Done<tool::Toolbox> done) override;
  void profiles(FolderRequest request, core::Scheduler& scheduler,
                Done<agent::Profiles> done) override;
  model::ModelRegistry& models() override;

  class Impl;

 private:
  explicit LocalRunService(std::shared_ptr<Impl> impl);
  static void refuse_run(core::Scheduler& scheduler, Done<Run> done, core::Error error);

  std::shared_ptr<Impl> impl_;
};

}  // namespace parley::run
