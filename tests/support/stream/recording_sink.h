// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/core/scheduler.h"
#include "runtime/stream/event_sink.h"

namespace parley::runtime {

// A sink that records all events. For tests and benchmarks.
class RecordingSink final : public EventSink {
 public:
  struct Entry {
    std::string node_id;
    RunEvent event;
  };

  explicit RecordingSink(core::Scheduler& scheduler) : scheduler_(scheduler) {}

  void emit(std::string_view node_id, RunEvent event) override {
    entries.push_back({std::string(node_id), std::move(event)});
  }
  void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) override {
    scheduler_.post([done = std::move(done)]() mutable { done(core::Result<void>()); });
  }

  // The names of the events, in order: "node_enter", ...
  std::vector<std::string> types() const {
    std::vector<std::string> out;
    for (const Entry& entry : entries) out.emplace_back(type_name(entry.event));
    return out;
  }
  template <typename T>
  std::vector<T> all() const {
    std::vector<T> out;
    for (const Entry& entry : entries) {
      if (const T* event = std::get_if<T>(&entry.event)) out.push_back(*event);
    }
    return out;
  }

  std::vector<Entry> entries;

 private:
  core::Scheduler& scheduler_;
};

}  // namespace parley::runtime
