// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/process_spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/core/file_descriptor.h"
#include "runtime/tool/process/process_guard.h"

namespace parley::tool {
namespace {

tl::unexpected<core::Error> broken(const std::string& what, int error) {
  return core::fail(core::Code::unavailable, what + ": " + std::strerror(error) + ".");
}

bool open_pipe(core::FileDescriptor& reader, core::FileDescriptor& writer) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  reader.reset(ends[0]);
  writer.reset(ends[1]);
  return true;
}

// Data for the child after fork(), prepared before it: the child must not allocate.
struct Plan {
  std::vector<std::string> words;
  std::vector<char*> argv;
  std::vector<std::string> variables;
  std::vector<char*> envp;
  std::vector<std::string> candidates;  // possible paths of the program
  const char* folder = nullptr;
  std::uint64_t limit = 0;
};

void plan_environment(const ProcessSpec& spec, std::string_view mark, Plan& plan) {
  const std::string prefix = std::string(ProcessRunner::kMarkVariable) + "=";
  std::string marks = prefix;
  for (const std::string& variable : spec.environment) {
    if (variable.starts_with(prefix)) {
      marks = variable + ",";
    } else {
      plan.variables.push_back(variable);
    }
  }
  plan.variables.push_back(marks.append(mark));
  for (std::string& variable : plan.variables) plan.envp.push_back(variable.data());
  plan.envp.push_back(nullptr);
}

void plan_candidates(const ProcessSpec& spec, Plan& plan) {
  const std::string& program = spec.command.front();
  if (program.find('/') != std::string::npos) {
    plan.candidates.push_back(program);
    return;
  }
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string_view variable : spec.environment) {
    if (variable.starts_with("PATH=")) path = variable.substr(5);
  }
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    const std::string_view part = path.substr(0, end);
    if (!part.empty()) plan.candidates.push_back(std::string(part) + "/" + program);
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
}

struct Ends {
  int input = -1;
  int output = -1;
  int errors = -1;
  int report = -1;
  int door = -1;
  pid_t parent = -1;
};

[[noreturn]] void give_up(int report, int error) {
  (void)!::write(report, &error, sizeof(error));
  ::_exit(127);
}

// Resets all signals, also the two that the C library reserves and signal() therefore refuses: some
// parent programs (GNU make is one) pass these on ignored.
void default_signals() {
  constexpr std::size_t kWords = 8;  // larger than the kernel's struct sigaction; zero is SIG_DFL
  constexpr std::size_t kMaskBytes = 8;
  const std::array<unsigned long, kWords> by_default{};
  for (int number = 1; number <= SIGRTMAX; ++number) {
    ::syscall(SYS_rt_sigaction, number, by_default.data(), nullptr, kMaskBytes);
  }
}

// Runs in the child: uses only functions that are safe between fork() and exec() with threads.
[[noreturn]] void become(const Plan& plan, const Ends& ends) {
  ::setsid();
  ProcessGuard::enter(ends.door);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != ends.parent) ::_exit(127);  // the parent ended before the death signal was set
  carry_limit(plan.limit);
  default_signals();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(ends.input, STDIN_FILENO) < 0 || ::dup2(ends.output, STDOUT_FILENO) < 0 ||
      ::dup2(ends.errors, STDERR_FILENO) < 0) {
    give_up(ends.report, errno);
  }
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC
  ::syscall(SYS_close_range, 3U, UINT_MAX, kCloseOnExec);
  if (::chdir(plan.folder) != 0) give_up(ends.report, errno);
  int error = ENOENT;
  for (const std::string& candidate : plan.candidates) {
    ::execve(candidate.c_str(), plan.argv.data(), plan.envp.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  give_up(ends.report, error);
}

// Zero once the program runs; otherwise the errno of the failure.
int exec_error(int report) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(report, &error, sizeof(error));
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof(error)) ? error : 0;
}

void end_child(pid_t pid, int door) {
  ::kill(pid, SIGKILL);
  ProcessGuard::leave(door, pid);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

core::Result<SpawnedProcess> spawn(const ProcessSpec& spec, const ProcessMark& mark, int door) {
  if (spec.command.empty()) return broken("no program is named", EINVAL);
  Plan plan;
  plan.words = spec.command;
  for (std::string& word : plan.words) plan.argv.push_back(word.data());
  plan.argv.push_back(nullptr);
  plan_environment(spec, mark.text, plan);
  plan.limit = mark.limit;
  plan_candidates(spec, plan);
  plan.folder = spec.folder.c_str();

  core::FileDescriptor in_reader;
  core::FileDescriptor in_writer;
  core::FileDescriptor out_reader;
  core::FileDescriptor out_writer;
  core::FileDescriptor err_reader;
  core::FileDescriptor err_writer;
  core::FileDescriptor report_reader;
  core::FileDescriptor report_writer;
  if (spec.input) {
    if (!open_pipe(in_reader, in_writer)) return broken("pipe", errno);
  } else {
    in_reader.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  if (!open_pipe(out_reader, out_writer) || !open_pipe(err_reader, err_writer) ||
      !open_pipe(report_reader, report_writer) || in_reader.get() < 0) {
    return broken("pipe", errno);
  }
  const Ends ends{in_reader.get(), out_writer.get(), err_writer.get(), report_writer.get(), door,
                  ::getpid()};
  const pid_t pid = ::fork();
  if (pid == 0) become(plan, ends);
  if (pid < 0) return broken("fork", errno);
  report_writer.reset();
  if (const int error = exec_error(report_reader.get()); error != 0) {
    end_child(pid, door);
    return broken("cannot start " + spec.command.front() + " in " + spec.folder, error);
  }
  // Debian 12 declares pidfd_open() for C only.
  core::FileDescriptor pid_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (pid_fd.get() < 0) {
    const int error = errno;
    end_child(pid, door);
    return broken("pidfd_open", error);
  }
  for (const int fd : {in_writer.get(), out_reader.get(), err_reader.get()}) {
    if (fd >= 0) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  return SpawnedProcess{pid, pid_fd.release(), in_writer.release(), out_reader.release(),
                        err_reader.release()};
}

}  // namespace parley::tool
