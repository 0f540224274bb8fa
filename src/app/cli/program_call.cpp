// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program_call.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/core/visible_text.h"
#include "runtime/tool/process/child_environment.h"
#include "runtime/tool/process/process.h"

namespace parley::app {
namespace {

struct RunningCall {
  std::mutex mutex;
  std::condition_variable changed;
  ProgramCall result;
  std::optional<tool::ProcessEnd> end;
};

tool::ProcessEvents events_of(RunningCall& call) {
  tool::ProcessEvents events;
  events.on_output = [&call](tool::ProcessStream stream, std::string_view bytes) {
    const std::scoped_lock lock(call.mutex);
    std::string& output = stream == tool::ProcessStream::out ? call.result.out : call.result.errors;
    output += bytes.substr(0, std::min(bytes.size(), kMaxCallOutput - output.size()));
  };
  events.on_end = [&call](tool::ProcessEnd ended) {
    const std::scoped_lock lock(call.mutex);
    call.end = std::move(ended);
    call.changed.notify_all();
  };
  return events;
}

}  // namespace

std::string ProgramCall::reason() const {
  if (!failure.empty()) return core::visible_line(failure);
  for (const std::string& said : {errors, out}) {
    const std::string line = said.substr(0, said.find('\n'));
    if (!line.empty()) return core::visible_line(line);
  }
  return {};
}

ProgramCall call_program(const std::vector<std::string>& words, core::Millis patience) {
  tool::ProcessSpec spec;
  spec.command = words;
  spec.folder = "/";
  // By the last two, systemctl finds the services of this user.
  spec.environment = tool::for_children(tool::process_environment(),
                                        {"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"});
  RunningCall call;  // outlives the runner, which calls until its destruction
  tool::ProcessRunner runner;
  const tool::ProcessId process = runner.start(std::move(spec), events_of(call));
  std::unique_lock lock(call.mutex);
  const bool in_time =
      call.changed.wait_for(lock, patience, [&call] { return call.end.has_value(); });
  if (!in_time) {
    lock.unlock();
    runner.stop(process);
    lock.lock();
    call.changed.wait(lock, [&call] { return call.end.has_value(); });
    call.result.failure = "`" + words.front() + "` did not end within " +
                          std::to_string(patience.count() / 1'000) + " s.";
    return std::move(call.result);
  }
  call.result.exit_code = call.end->exit_code;
  call.result.failure = call.end->failure;
  if (!call.end->exit_code && call.result.failure.empty()) {
    call.result.failure = "`" + words.front() + "` was killed.";
  }
  return std::move(call.result);
}

}  // namespace parley::app
