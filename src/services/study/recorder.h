// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "services/study/study.h"

namespace parley::study {

// One line of a study log, before it has its index and time.
struct Record {
  std::string_view direction;  // "in", "out", "internal"
  std::string_view type;
  std::string_view payload;         // one JSON object; empty: {}
  std::string_view id = {};         // raw JSON of the envelope's id; empty: it had none
  std::string_view reply_to = {};   // raw JSON
  std::string_view client_id = {};  // text; empty: none
};

// Writes the records of one open study. Belongs to the shard of the study's session; every call and
// callback is on that thread. Destroying it leaves the study open, for resume().
class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;

  virtual const Study& study() const = 0;
  // Appends one event to the study's session: durable with the next group commit, and in the file
  // after that. Never blocks; copies `record` before it returns. A failed commit is counted and
  // logged, and leaves no gap in the numbers. Returns the bytes that the store will keep of the
  // record; 0 if it is dropped.
  virtual std::size_t record(const Record& record) = 0;
  // The error for a study that has reached its limit of records or bytes; std::nullopt below the
  // limits. Further records are dropped and counted; closing the study is always possible.
  virtual std::optional<core::Error> full() const { return std::nullopt; }
  // True if full() has an error.
  virtual bool is_full() const { return full().has_value(); }
  // Bytes of records that are not durable yet. While this exceeds its limit, the relay does not
  // read from its clients.
  virtual std::size_t pending_bytes() const = 0;
  // Bytes of records of all studies that the event store has not committed.
  virtual std::size_t all_pending_bytes() const = 0;
  // Calls `done` when all records so far are durable in the store and, if there is one, the file.
  virtual void flush(absl::AnyInvocable<void(core::Result<void>)> done) = 0;
};

// The end of a study.
struct StudyEnd {
  std::string reason;        // as the agent states it, or set by the relay
  bool state_reset = false;  // the host has reset its page
};

}  // namespace parley::study
