// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/scheduler.h"
#include "model/event/session_store.h"

namespace parley::app {

// The questions of held calls that the end of an earlier server left without a caller. A client
// whose call was cut calls again with the same arguments: it takes its question over, with the
// answer that a person may have given meanwhile, and the person is not asked twice. Thread-safe.
class OrphanedQuestions {
 public:
  // Equal for a call that takes a question over.
  struct Place {
    std::string session;
    std::string asker;                               // session::Asker::token
    std::string fingerprint;                         // of the request
    auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  // The beginning of the keys of held calls.
  static constexpr std::string_view kKeyPrefix = "mcp-";

  // Reads the pending questions of held calls, later on `scheduler`. Call before any is opened.
  void load(event::SessionStore& store, core::Scheduler& scheduler);
  // The key of such a question; it is handed out once, and not after the question's deadline: a
  // later call is a new question.
  std::optional<std::string> take(const Place& place, core::WallTime now);

 private:
  struct Orphan {
    std::string key;
    core::WallTime deadline;
  };
  struct Loading;  // the sessions that are not read yet

  void load_next(std::shared_ptr<Loading> loading);
  void add(const event::StoredInteraction& pending, core::WallTime before);

  std::mutex mutex_;
  std::multimap<Place, Orphan> orphans_;
};

}  // namespace parley::app
