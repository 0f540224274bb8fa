// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/process_child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/core/entropy.h"
#include "base/core/id.h"
#include "runtime/tool/process/process_marks.h"
#include "runtime/tool/process/process_spawn.h"

namespace parley::tool {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;
// Limit of the reads of one stream per turn, so that a stream that never ends does not starve
// others.
constexpr int kReadsPerTurn = 8;

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

void add(std::vector<pollfd>& polled, int fd, short events) {
  if (fd >= 0) polled.push_back({fd, events, 0});
}

}  // namespace

core::Result<std::unique_ptr<ProcessChild>> ProcessChild::start(const ProcessSpec& spec,
                                                                const ProcessGuard& guard) {
  core::SystemEntropy entropy;
  std::string mark = guard.mark() + "-" + core::random_hex(entropy, 16);
  constexpr std::uint64_t kCommandBits = (std::uint64_t{1} << kLimitCommandBits) - 1;
  const std::uint64_t limit = guard.limit() | (entropy.next_u64() & kCommandBits);
  const core::Result<SpawnedProcess> spawned = spawn(spec, {mark, limit}, guard.door());
  if (!spawned) return core::fail(spawned.error());
  std::unique_ptr<ProcessChild> child(new ProcessChild(guard));
  child->pid_ = spawned->pid;
  child->mark_ = std::move(mark);
  child->limit_ = limit;
  child->pid_fd_ = spawned->pid_fd;
  child->input_ = spawned->input;
  child->output_ = spawned->output;
  child->errors_ = spawned->errors;
  return child;
}

ProcessChild::~ProcessChild() {
  if (!killed_) kill_all();
  collect_exit();
}

void ProcessChild::add_to(std::vector<pollfd>& polled) const {
  if (!exited_) add(polled, pid_fd_, POLLIN);
  add(polled, output_, POLLIN);
  add(polled, errors_, POLLIN);
  if (!waiting_.empty()) add(polled, input_, POLLOUT);
}

bool ProcessChild::serve(core::MonoTime now, const OnOutput& on_output) {
  if (!exited_) {
    pollfd ended{pid_fd_, POLLIN, 0};
    if (::poll(&ended, 1, 0) > 0) note_exit(now);
  }
  read_from(output_, ProcessStream::out, on_output);
  read_from(errors_, ProcessStream::err, on_output);
  write_waiting();
  const bool due = next_step_ && now >= *next_step_;
  if (!exited_) {
    if (due) {
      ::kill(-pid_, SIGKILL);
      next_step_.reset();
    }
    return false;
  }
  if (!killed_) {
    if (!drained() && !due) return false;
    kill_all();
    next_step_ = now + ProcessRunner::kLinger;
    return drained() && (collect_exit(), true);
  }
  if (!drained() && !due) return false;
  collect_exit();
  return true;
}

// The leader stays a zombie until collect_exit(), so that the group's number cannot be reused.
void ProcessChild::note_exit(core::MonoTime now) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) != 0) return;
  if (info.si_pid != pid_) return;
  exited_ = true;
  if (info.si_code == CLD_EXITED) {
    end_.exit_code = info.si_status;
  } else {
    end_.signal = info.si_status;
  }
  close_fd(input_);
  waiting_.clear();
  // After a stop, the rest of the group has the remaining grace.
  if (!stopping_) next_step_ = now + ProcessRunner::kLinger;
  if (!next_step_) next_step_ = now;
}

void ProcessChild::kill_all() {
  ::kill(-pid_, SIGKILL);
  kill_marked({mark_, limit_});
  killed_ = true;
}

void ProcessChild::collect_exit() {
  if (std::exchange(reaped_, true)) return;
  ProcessGuard::leave(guard_.door(), pid_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  // Reaps orphans if they are reparented to this process (the first of a container).
  while (::waitpid(-pid_, nullptr, WNOHANG) > 0) {
  }
  close_fd(pid_fd_);
  close_fd(input_);
  close_fd(output_);
  close_fd(errors_);
}

void ProcessChild::read_from(int& fd, ProcessStream stream, const OnOutput& on_output) {
  std::array<char, kReadBytes> buffer;
  for (int i = 0; fd >= 0 && i < kReadsPerTurn; ++i) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) {
      if (on_output) on_output(stream, {buffer.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      close_fd(fd);
    } else {
      return;
    }
  }
}

void ProcessChild::write_waiting() {
  std::size_t done = 0;
  while (input_ >= 0 && done < waiting_.size()) {
    const ssize_t sent = ::write(input_, waiting_.data() + done, waiting_.size() - done);
    if (sent > 0) {
      done += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      close_fd(input_);
    }
  }
  waiting_.erase(0, input_ < 0 ? std::string::npos : done);
  if (close_after_writing_ && waiting_.empty()) close_fd(input_);
}

void ProcessChild::write(std::string bytes, core::MonoTime now) {
  if (input_ < 0 || close_after_writing_) return;
  if (waiting_.size() + bytes.size() > ProcessRunner::kMaxInput) {
    stop(now, core::Millis(0));
    return;
  }
  waiting_.append(bytes);
  write_waiting();
}

void ProcessChild::close_input() {
  close_after_writing_ = true;
  write_waiting();
}

void ProcessChild::stop(core::MonoTime now, core::Millis grace) {
  if (exited_ || std::exchange(stopping_, true)) return;
  ::kill(-pid_, SIGTERM);
  next_step_ = now + grace;
}

}  // namespace parley::tool
