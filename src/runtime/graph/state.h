// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <memory>

#include "base/core/json_writer.h"
#include "base/core/result.h"

namespace parley::graph {

// The typed state of a run. The graph's nodes change it in place, in turn; parallel branches and
// retries work on copies.
//
// A state may have one list that normally only grows, such as the messages of a conversation: its
// log. The state written after each node holds only the log's new entries, so that the size of a
// run's events is linear in its length, not quadratic.
class State {
 public:
  State() = default;
  virtual ~State() = default;

  virtual std::unique_ptr<State> clone() const = 0;

  // Number of entries of the log; 0 if the state has none.
  virtual std::uint64_t log_size() const { return 0; }
  // Grows when entries of the log are changed or removed (pruned, summarised): the next written
  // state then holds the whole log.
  virtual std::uint64_t log_revision() const { return 0; }

  // Writes the state as one JSON object: every member, and of the log the entries from `log_from`
  // on. If `log_from` > 0 the object also has the member "log_from" with that number.
  virtual void write(core::JsonWriter& json, std::uint64_t log_from) const = 0;

  // Applies an object of write(): sets its members, cuts the log to "log_from" (0 if absent) and
  // appends its entries. Errors: `data_loss`, naming the member.
  virtual core::Result<void> apply(const simdjson::dom::object& written) = 0;

 protected:
  State(const State&) = default;
  State& operator=(const State&) = default;
};

}  // namespace parley::graph
