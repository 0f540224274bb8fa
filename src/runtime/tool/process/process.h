// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "runtime/tool/process/process_guard.h"

namespace parley::tool {

struct ProcessSpec {
  std::vector<std::string> command;  // program, found in PATH of `environment`, and its arguments
  std::string folder;                // folder in which it starts
  std::vector<std::string> environment;  // "NAME=value"
  bool input = false;                    // true: stdin is a pipe for write(); false: /dev/null
};

enum class ProcessStream : std::uint8_t { out, err };

// End of a process: exactly one member is set.
struct ProcessEnd {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string failure;  // a sentence, if the process could not be started
};

// Called on the watcher's thread; must be quick, and must not destroy the runner.
struct ProcessEvents {
  std::function<void(ProcessStream stream, std::string_view bytes)> on_output;
  absl::AnyInvocable<void(ProcessEnd end)> on_end;  // once, after the last output
};

// Handle of a started process. Never 0.
using ProcessId = std::uint64_t;

class ProcessChild;

// Starts processes and watches all of them with one thread (poll over pidfds and pipes). Each is
// the leader of its own session and process group. When it ends, all its descendants are killed:
// its group, and processes that left the group but carry its mark (ProcessMark; the environment
// variable is kMarkVariable). The same happens when this process ends, also by `kill -9`
// (ProcessGuard). Thread-safe.
class ProcessRunner {
 public:
  ProcessRunner();
  ProcessRunner(const ProcessRunner&) = delete;
  ProcessRunner& operator=(const ProcessRunner&) = delete;
  // Kills running processes; every on_end is called before this returns.
  ~ProcessRunner();

  // Never waits. A process that cannot be started ends with a failure.
  ProcessId start(ProcessSpec spec, ProcessEvents events);
  // Writes to its stdin, if it has one. More than kMaxInput unread bytes end the process.
  void write(ProcessId process, std::string bytes);
  void close_input(ProcessId process);
  // SIGTERM to the group; SIGKILL after `grace`. A no-op after the process has ended.
  void stop(ProcessId process, core::Millis grace = kGrace);

  std::size_t running() const;

  // Limit (Tools): wait between TERM and KILL for the group of a command of `bash`. Reached:
  // killed.
  static constexpr core::Millis kGrace{100};
  // Time after the end of the leader to read the rest of its pipes, before its group is killed.
  static constexpr core::Millis kLinger{50};
  static constexpr std::size_t kMaxInput = 32U << 20U;
  static constexpr std::string_view kMarkVariable = "PARLEY_PROCESS";

 private:
  struct Order;
  struct Running;

  void enqueue(Order order);
  void watch();
  bool take_orders();
  void apply(Order& order);
  void not_started(Order& order, std::string why);
  void wait_and_serve();
  void finish(ProcessId process);

  const ProcessGuard guard_;
  mutable std::mutex mutex_;  // guards the next three members
  std::vector<Order> orders_;
  std::size_t running_count_ = 0;
  ProcessId last_id_ = 0;
  int wake_fd_ = -1;
  std::map<ProcessId, std::unique_ptr<Running>> running_;  // watcher's thread only
  std::thread thread_;
};

}  // namespace parley::tool
