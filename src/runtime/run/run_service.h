// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "runtime/agent/profile.h"
#include "runtime/model/model_registry.h"
#include "runtime/run/run.h"
#include "runtime/tool/toolbox.h"

namespace parley::run {

// A checkpoint in a list.
struct CheckpointInfo {
  std::string id;
  std::string run_id;
  std::uint64_t seq = 0;  // event_id of its event
  std::int64_t step = 0;
  std::string node;  // the node before it
  std::string next;
  core::WallTime at;
};

// The whole state at a checkpoint, as JSON text.
struct CheckpointState {
  CheckpointInfo info;
  std::string state;
};

// Runs agents: the only interface for every dialect and for the command line. A run lives on the
// shard of its session; its events are events of that session, in order, so that watching, resuming
// and replaying a run are reads of the session's events. At most one run of a session is live at a
// time. Thread-safe; each callback is called once on the given scheduler.
class RunService {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  RunService() = default;
  RunService(const RunService&) = delete;
  RunService& operator=(const RunService&) = delete;
  virtual ~RunService() = default;

  // `done` gets the run once its run_start is durable. Errors: `invalid_argument` (field: "agent",
  // "model", "working_folder", "session", "message", "run_id"), `not_found` (agent, model),
  // `permission_denied` (field "rights": `leave` does not allow it), `failed_precondition` (another
  // run of this session is live; the server shuts down), `resource_exhausted` (the limit of
  // concurrent runs, of all or of this owner), `already_exists` (run_id, or a session of another
  // token).
  virtual void start(RunRequest request, core::Scheduler& scheduler, Done<Run> done) = 0;
  virtual void resume(ResumeRequest request, core::Scheduler& scheduler, Done<Run> done) = 0;
  virtual void fork(ForkRequest request, core::Scheduler& scheduler, Done<Run> done) = 0;
  // Ends the run within 200 ms, also before it has begun, whatever its launch waits for; `done` is
  // called when it has ended. A start or fork that is cancelled before it has begun fails with
  // `cancelled`, and its run is listed as cancelled, without events; a resume fails alike and
  // leaves its run as it was. Errors: `not_found`, `failed_precondition` (it has ended already).
  virtual void cancel(std::string owner, std::string run_id, core::Scheduler& scheduler,
                      Done<Run> done) = 0;

  struct ApprovalAnswer {
    session::Actor by;  // the person who answers; the name is shown to the others
    bool allow = false;
    std::string reason = {};  // for the model, in a refusal
  };
  // Answers a tool_approval; false if it had an answer already. Errors: `not_found`,
  // `permission_denied` (session::permitted()).
  virtual void approve(std::string owner, std::string run_id, std::string call_id,
                       ApprovalAnswer answer, core::Scheduler& scheduler, Done<bool> done) = 0;

  virtual void find(std::string owner, std::string run_id, core::Scheduler& scheduler,
                    Done<Run> done) = 0;
  virtual void list(RunQuery query, core::Scheduler& scheduler, Done<RunPage> done) = 0;
  virtual void checkpoints(std::string owner, std::string run_id, core::Scheduler& scheduler,
                           Done<std::vector<CheckpointInfo>> done) = 0;
  virtual void checkpoint(std::string owner, std::string run_id, std::string checkpoint_id,
                          core::Scheduler& scheduler, Done<CheckpointState> done) = 0;
  // The conversation of a session at its last checkpoint.
  virtual void messages(std::string owner, std::string session, core::Scheduler& scheduler,
                        Done<std::vector<model::Message>> done) = 0;

  // Sessions with runs of this owner.
  virtual void sessions(RunSessionQuery query, core::Scheduler& scheduler,
                        Done<RunSessionPage> done) = 0;
  // Errors: `not_found`.
  virtual void session(std::string owner, std::string session, core::Scheduler& scheduler,
                       Done<RunSession> done) = 0;
  // Deletes the runs of a session, their events, checkpoints and files; `done` gets the number of
  // deleted checkpoints. The id still belongs to the owner. A failed deletion can be retried.
  // Errors: `not_found`, `aborted` (a run of it is live), those of the stores.
  virtual void remove_session(std::string owner, std::string session, core::Scheduler& scheduler,
                              Done<std::uint64_t> done) = 0;

  // Sets the model of a session's next runs. Errors: `not_found`.
  virtual void set_model(std::string owner, std::string session, std::string model,
                         core::Scheduler& scheduler, Done<void> done) = 0;

  // The tools and profiles for a working folder (empty: the server's), including the tools of MCP
  // servers; servers that cannot be started are left out. Errors: `invalid_argument`
  // ("working_folder"), `permission_denied` (field "rights").
  virtual void tools(FolderRequest folder, core::Scheduler& scheduler,
                     Done<tool::Toolbox> done) = 0;
  virtual void profiles(FolderRequest folder, core::Scheduler& scheduler,
                        Done<agent::Profiles> done) = 0;
  virtual model::ModelRegistry& models() = 0;
};

}  // namespace parley::run
