// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/any_invocable.h"
#include "base/core/ask.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/core/worker.h"
#include "base/sql/database.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "services/front_end/agent_settings.h"
#include "services/front_end/upload_store.h"
#include "services/front_end/workflow_store.h"

namespace parley::front_end {

// Limit (Chats): requests that wait for workflows and files. Reached: error: try again later.
inline constexpr std::size_t kMaxWaitingCalls = 1'024;
// Limit (Chats): bodies of requests that wait for workflows and files. Reached: error: try again
// later.
inline constexpr std::size_t kMaxWaitingBytes = 256U << 20U;  // bytes of waiting bodies; a single
                                                              // larger body is accepted

// DATA/front_end.db and DATA/files: the data that front ends of the chat store here. An owner's
// data is invisible to other owners. One thread does the work, so that no loop waits for the disk.
// Thread-safe.
class FrontEndStore {
 public:
  struct Tables {
    AgentSettings& agents;
    WorkflowStore& workflows;
    UploadStore& uploads;
  };
  template <typename T>
  using Work = absl::AnyInvocable<core::Result<T>(const Tables& tables)>;
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  static const sql::Schema& schema();
  // Creates missing files. Errors: those of sql::open_file().
  static core::Result<std::unique_ptr<FrontEndStore>> open(const sql::StorePlace& place,
                                                           const core::Clock& clock,
                                                           core::Entropy& entropy);
  // For tests that replace parts of it.
  struct Parts {
    std::unique_ptr<sql::Database> database;  // null: the others have none
    std::unique_ptr<AgentSettings> agents;
    std::unique_ptr<WorkflowStore> workflows;
    std::unique_ptr<UploadStore> uploads;
  };
  FrontEndStore(Parts parts, const core::Clock& clock);
  ~FrontEndStore();  // stop()
  FrontEndStore(const FrontEndStore&) = delete;
  FrontEndStore& operator=(const FrontEndStore&) = delete;

  // For its calls that read from memory; any thread.
  const AgentSettings& agents() const { return *parts_.agents; }

  // Runs `work` on the store's thread, then `done` once on `home`. `bytes`: the size of the data
  // that `work` holds. Errors besides those of `work`: `resource_exhausted` (too many calls or
  // bytes wait).
  template <typename T>
  void run(core::Scheduler& home, std::size_t bytes, Work<T> work, Done<T> done) {
    if (core::Result<void> room = enter(bytes); !room) {
      return core::reply(home, std::move(done), core::fail(std::move(room.error())));
    }
    core::ask(worker_, "front end", home, std::move(done),
              [this, bytes, work = std::move(work)]() mutable {
                const absl::Cleanup left = [this, bytes] { leave(bytes); };
                Work<T> once = std::move(work);  // its data is freed before leave()
                return once(Tables{*parts_.agents, *parts_.workflows, *parts_.uploads});
              });
  }

  // Completes the waiting calls, then ends the thread.
  void stop();

 private:
  core::Result<void> enter(std::size_t bytes);
  void leave(std::size_t bytes);

  const Parts parts_;  // used by the worker once it runs
  std::atomic<std::size_t> waiting_calls_{0};
  std::atomic<std::size_t> waiting_bytes_{0};
  core::Worker worker_;  // last: it uses all the others
};

}  // namespace parley::front_end
