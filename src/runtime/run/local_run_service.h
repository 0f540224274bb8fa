// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/entropy.h"
#include "core/work_gate.h"
#include "core/worker.h"
#include "event/session_store.h"
#include "runtime/run/run_index.h"
#include "runtime/run/run_service.h"
#include "runtime/run/run_watchers.h"
#include "runtime/tool/file/tool_output.h"
#include "runtime/tool/inbox.h"
#include "runtime/tool/tool_source.h"
#include "session/hub.h"

namespace parley::run {

struct RunOptions {
  std::string data_dir;        // the list goes to DATA/runs.db
  std::string working_folder;  // of runs that name none
  // Where runs may work beside it, with all that is below; any more needs RunLeave::any_folder.
  std::vector<std::string> folders;
  std::string home;  // where the user's profiles are
  // What profiles of working folders may do.
  agent::FolderApprovals folder_approvals = agent::FolderApprovals::tighten;
  std::size_t max_live = 10'000;          // runs at once
  std::size_t max_live_of_owner = 4'000;  // of one token
  std::size_t max_message_bytes = 1U << 20U;
  core::WorkGate* gate = nullptr;  // asked before a run begins or goes on; null: all are
};

// What live runs are counted by, for metrics. Thread-safe.
struct RunCounts {
  std::size_t live = 0;
  std::uint64_t started = 0;
  std::uint64_t refused = 0;  // because of a limit
};

// Runs on the shards of this process. The list of runs, and files that are read before a run
// begins, are worked on by a thread of its own.
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
    // Told of a session that is deleted, for what others keep of it; `done` may come on any thread.
    // May be empty.
    using Forget = std::function<void(const std::string& owner, const std::string& session,
                                      core::Scheduler& scheduler, Done<void> done)>;
    Forget forget = {};
  };

  // Everything given outlives this. Runs that went on when the process ended are marked: finished
  // if their reply is stored, else interrupted. Destroy it after the shards have stopped, before
  // the hub. Errors: as sql::Database.
  static core::Result<std::unique_ptr<LocalRunService>> open(const RunOptions& options,
                                                             const Services& services);
  // With a thread of the caller, for tests.
  static core::Result<std::unique_ptr<LocalRunService>> open(const RunOptions& options,
                                                             const Services& services,
                                                             core::Scheduler& worker);
  ~LocalRunService() override;  // stop()

  // Ends the thread. Call when the shards have stopped.
  void stop();
  RunCounts counts() const;
  // Told of each change of the list of runs, after it was made.
  RunWatchers& watchers();

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
  void tools(FolderWish wish, core::Scheduler& scheduler, Done<tool::Toolbox> done) override;
  void profiles(FolderWish wish, core::Scheduler& scheduler, Done<agent::Profiles> done) override;
  model::ModelRegistry& models() override;

  class Impl;

 private:
  explicit LocalRunService(std::shared_ptr<Impl> impl);
  static void refuse_run(core::Scheduler& scheduler, Done<Run> done, core::Error error);

  std::shared_ptr<Impl> impl_;
};

}  // namespace parley::run
