// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"

namespace parley::loom {

struct Workspace {
  std::string id;
  std::optional<std::string> name;
  std::int64_t created_at_ms = 0;
};

struct WorkspaceThread {
  std::string thread_id;
  std::int64_t created_at_ms = 0;
};

// A message in a thread's log.
struct LoggedMessage {
  std::int64_t id = 0;  // id of the row; assigned by the store
  std::string role;     // "user", "assistant", "tool"
  std::string content;
};

struct MessagePage {
  std::vector<LoggedMessage> messages;  // oldest first
  bool more = false;                    // the log has more messages in the direction of the page
};

// Position of a page in a log: the first rows after `after`, or the last ones before `before`.
struct MessagePlace {
  std::int64_t after = 0;
  std::optional<std::int64_t> before = std::nullopt;  // takes precedence
};

// DATA/loom.db: the workspaces of each owner, the threads in them, and the message logs of
// threads, made from their events. Owners are isolated from each other. Thread-safe; the work is
// done on a thread of its own, and each callback is called once on the scheduler that the caller
// names. Errors: `not_found` for an unknown workspace, `resource_exhausted` past a limit,
// `unavailable` after stop(), and those of sql::Database.
class WorkspaceStore {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  static const sql::Schema& schema();
  // Creates the file if it is missing. Errors: those of sql::file_version() and of
  // sql::Database::open().
  static core::Result<std::unique_ptr<WorkspaceStore>> open(const sql::StorePlace& place,
                                                            const core::Clock& clock,
                                                            core::Entropy& entropy);
  virtual ~WorkspaceStore() = default;

  virtual void list(std::string owner, core::Scheduler& scheduler,
                    Done<std::vector<Workspace>> done) = 0;
  virtual void create(std::string owner, std::optional<std::string> name,
                      core::Scheduler& scheduler, Done<Workspace> done) = 0;
  virtual void rename(std::string owner, std::string id, std::string name,
                      core::Scheduler& scheduler, Done<Workspace> done) = 0;
  // Newest first.
  virtual void threads(std::string owner, std::string id, core::Scheduler& scheduler,
                       Done<std::vector<WorkspaceThread>> done) = 0;
  // Adds a thread. A thread that the workspace already contains keeps its position.
  virtual void add_thread(std::string owner, std::string id, std::string thread,
                          core::Scheduler& scheduler, Done<void> done) = 0;
  virtual void remove_thread(std::string owner, std::string id, std::string thread,
                             core::Scheduler& scheduler, Done<void> done) = 0;

  // Number of the event up to which the log of a thread was made; 0: the thread has no log.
  virtual void log_position(std::string owner, std::string thread, core::Scheduler& scheduler,
                            Done<std::uint64_t> done) = 0;
  // Appends to a thread's log and moves its position from `from` to `to`. Does nothing if its
  // position is not `from`, because a concurrent call has extended the log.
  virtual void lengthen_log(std::string owner, std::string thread, std::uint64_t from,
                            std::uint64_t to, std::vector<LoggedMessage> messages,
                            core::Scheduler& scheduler, Done<void> done) = 0;
  // At most `limit` messages; the message that reaches kMaxMessagePageBytes is the last.
  virtual void messages(std::string owner, std::string thread, MessagePlace place,
                        std::size_t limit, core::Scheduler& scheduler, Done<MessagePage> done) = 0;

  // Deletes the data of a deleted thread: its log, and its entries in the owner's workspaces.
  virtual void forget_thread(std::string owner, std::string thread, core::Scheduler& scheduler,
                             Done<void> done) = 0;

  // Completes the queued calls, then ends the thread. Blocks. The destructor does the same.
  virtual void stop() = 0;
};

// Limit (The Loom stream): workspaces of an owner. Reached: error.
inline constexpr std::int64_t kMaxWorkspaces = 1'000;  // per owner
// Limit (The Loom stream): threads of a workspace. Reached: error.
inline constexpr std::int64_t kMaxThreads = 10'000;  // per workspace
// Limit (The Loom stream): name of a workspace or thread. Reached: error.
inline constexpr std::size_t kMaxNameBytes = 256;  // limit of a workspace's name
// Longer contents of logged messages are cut to this.
// Limit (The Loom stream): a logged message. Reached: cut.
inline constexpr std::size_t kMaxMessageBytes = 1U << 20U;
// Limit (The Loom stream): page of `user_messages`. Reached: `has_more`.
inline constexpr std::size_t kMaxMessagePageBytes = 4U << 20U;  // total of the contents in a page

// "DATA/loom.db".
std::string workspace_store_path(const std::string& data_dir);

}  // namespace parley::loom
