// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "core/worker.h"
#include "sql/database.h"
#include "sql/migration.h"

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

// A line of a thread's log.
struct LoggedMessage {
  std::int64_t id = 0;  // of the row; made by the store
  std::string role;     // "user", "assistant", "tool"
  std::string content;
};

struct MessagePage {
  std::vector<LoggedMessage> messages;  // oldest first
  bool more = false;                    // on the page's far side
};

// Where in a log a page lies: the first rows behind `after`, or the last ones before `before`.
struct MessagePlace {
  std::int64_t after = 0;
  std::optional<std::int64_t> before = std::nullopt;  // wins
};

// DATA/loom.db: the workspaces of each owner, the threads in them, and what was said in threads,
// made from their events. Nothing of an owner is seen by another. Thread-safe; the work is done on
// a thread of its own, and each callback runs once on the scheduler that is named. Calls fail with
// `not_found` where a workspace is not there, `resource_exhausted` past a limit, `unavailable`
// after stop(), and as sql::Database does.
class WorkspaceStore {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  static sql::FileKind file_kind();
  // Makes the file if it is missing. Errors: those of sql::file_version() and of
  // sql::Database::open().
  static core::Result<std::unique_ptr<WorkspaceStore>> open(const std::string& path,
                                                            const core::Clock& clock,
                                                            core::Entropy& entropy);
  WorkspaceStore(const WorkspaceStore&) = delete;
  WorkspaceStore& operator=(const WorkspaceStore&) = delete;

  void list(std::string owner, core::Scheduler& scheduler, Done<std::vector<Workspace>> done);
  void create(std::string owner, std::optional<std::string> name, core::Scheduler& scheduler,
              Done<Workspace> done);
  void rename(std::string owner, std::string id, std::string name, core::Scheduler& scheduler,
              Done<Workspace> done);
  // Newest first.
  void threads(std::string owner, std::string id, core::Scheduler& scheduler,
               Done<std::vector<WorkspaceThread>> done);
  // One that is there already stays where it is.
  void add_thread(std::string owner, std::string id, std::string thread, core::Scheduler& scheduler,
                  Done<void> done);
  void remove_thread(std::string owner, std::string id, std::string thread,
                     core::Scheduler& scheduler, Done<void> done);

  // Up to which event of a thread its log was made; 0: nothing of it.
  void log_position(std::string owner, std::string thread, core::Scheduler& scheduler,
                    Done<std::uint64_t> done);
  // Lengthens the log of a thread that stands at `from`, up to `to`. Does nothing if it stands
  // elsewhere: somebody else was faster.
  void lengthen_log(std::string owner, std::string thread, std::uint64_t from, std::uint64_t to,
                    std::vector<LoggedMessage> messages, core::Scheduler& scheduler,
                    Done<void> done);
  // At most `limit` messages, and kMaxMessagePageBytes but for the last one.
  void messages(std::string owner, std::string thread, MessagePlace place, std::size_t limit,
                core::Scheduler& scheduler, Done<MessagePage> done);

  // Takes away what was kept of a thread that is deleted: its log, and its places in the owner's
  // workspaces.
  void forget_thread(std::string owner, std::string thread, core::Scheduler& scheduler,
                     Done<void> done);

  // Does what waits, then ends the thread. Blocks. Also done by the destructor.
  void stop() { worker_.stop(); }

 private:
  WorkspaceStore(sql::Database database, const core::Clock& clock, core::Entropy& entropy);

  // Runs `work` (Result<T>()) on the worker, and `done` with what it gave.
  template <typename T, typename Work>
  void run(core::Scheduler& scheduler, Done<T> done, Work work);

  core::Result<void> find(const std::string& owner, const std::string& id);
  core::Result<std::int64_t> count(std::string_view sql, std::string_view key);
  core::Result<std::uint64_t> position(const std::string& owner, const std::string& thread);
  core::Result<void> lengthen(const std::string& owner, const std::string& thread,
                              std::uint64_t from, std::uint64_t to,
                              const std::vector<LoggedMessage>& messages);
  core::Result<void> forget(const std::string& owner, const std::string& thread);
  core::Result<MessagePage> page(const std::string& owner, const std::string& thread,
                                 const MessagePlace& place, std::size_t limit);

  sql::Database database_;
  const core::Clock& clock_;
  core::Entropy& entropy_;
  core::Worker worker_;  // last: it uses all the others
};

inline constexpr std::int64_t kMaxWorkspaces = 1'000;       // of one owner
inline constexpr std::int64_t kMaxThreads = 10'000;         // of one workspace
inline constexpr std::size_t kMaxNameBytes = 256;           // of a workspace
inline constexpr std::size_t kMaxMessageBytes = 1U << 20U;  // of a logged message; the rest is cut
inline constexpr std::size_t kMaxMessagePageBytes = 4U << 20U;  // of contents

// "DATA/loom.db".
std::string workspace_store_path(const std::string& data_dir);

}  // namespace parley::loom
