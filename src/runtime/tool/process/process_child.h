// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "runtime/tool/process/process.h"
#include "runtime/tool/process/process_guard.h"

namespace parley::tool {

// One started process: its descriptors, and the steps of its end. Used only on the watcher's
// thread, which must be the thread that started it: when that thread ends, so does the process.
class ProcessChild {
 public:
  using OnOutput = std::function<void(ProcessStream stream, std::string_view bytes)>;

  // Adds a mark to the environment, which identifies descendants. `guard` must outlive the child.
  // Errors: `unavailable`.
  static core::Result<std::unique_ptr<ProcessChild>> start(const ProcessSpec& spec,
                                                           const ProcessGuard& guard);

  ProcessChild(const ProcessChild&) = delete;
  ProcessChild& operator=(const ProcessChild&) = delete;
  // Kills and reaps the rest of the group.
  ~ProcessChild();

  // Descriptors to poll.
  void add_to(std::vector<pollfd>& polled) const;
  std::optional<core::MonoTime> next_step() const { return next_step_; }
  // Reads, writes, and makes the steps that are due. True once the process has ended.
  bool serve(core::MonoTime now, const OnOutput& on_output);
  const ProcessEnd& end() const { return end_; }

  void write(std::string bytes, core::MonoTime now);
  void close_input();
  void stop(core::MonoTime now, core::Millis grace);

 private:
  explicit ProcessChild(const ProcessGuard& guard) : guard_(guard) {}

  void read_from(int& fd, ProcessStream stream, const OnOutput& on_output);
  void write_waiting();
  void note_exit(core::MonoTime now);
  void kill_all();
  void collect_exit();
  bool drained() const { return output_ < 0 && errors_ < 0; }

  const ProcessGuard& guard_;
  pid_t pid_ = -1;
  std::string mark_;
  std::uint64_t limit_ = 0;
  int pid_fd_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
  std::string waiting_;  // for stdin
  bool close_after_writing_ = false;
  bool stopping_ = false;
  bool exited_ = false;
  bool killed_ = false;
  bool reaped_ = false;
  std::optional<core::MonoTime> next_step_;  // time to kill, or to stop waiting
  ProcessEnd end_;
};

}  // namespace parley::tool
