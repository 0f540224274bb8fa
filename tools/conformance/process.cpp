// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "tools/conformance/wait_fd.h"

namespace parley::conformance {
namespace {

constexpr std::size_t kPipeReadBytes = 64U << 10U;
constexpr int kExecFailed = 127;

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Everything that the child needs after fork(), prepared before it: the child must not allocate.
struct Plan {
  std::vector<std::string> words;
  std::vector<char*> argv;
  std::vector<std::string> variables;
  std::vector<char*> envp;
  std::string cwd;
};

Plan plan_for(const Process::Start& how) {
  Plan plan;
  plan.words = how.command;
  for (std::string& word : plan.words) plan.argv.push_back(word.data());
  plan.argv.push_back(nullptr);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!how.env.contains(std::string(text.substr(0, text.find('='))))) {
      plan.variables.emplace_back(text);
    }
  }
  for (const auto& [name, value] : how.env) {
    plan.variables.push_back(name);
    plan.variables.back().append("=").append(value);
  }
  for (std::string& variable : plan.variables) plan.envp.push_back(variable.data());
  plan.envp.push_back(nullptr);
  plan.cwd = how.cwd;
  return plan;
}

[[noreturn]] void become(const Plan& plan, int input, int output, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_DFL);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  if (plan.cwd.empty() || chdir(plan.cwd.c_str()) == 0) {
    execvpe(plan.argv[0], plan.argv.data(), plan.envp.data());
  }
  _exit(kExecFailed);
}

}  // namespace

core::Result<std::unique_ptr<Process>> Process::start(const Start& how) {
  if (how.command.empty()) return broken("start", EINVAL);
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0) return broken("pipe", errno);
  if (pipe2(out.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    close(in[0]);
    close(in[1]);
    return broken("pipe", error);
  }
  std::unique_ptr<Process> created(new Process);
  created->input_ = in[1];
  created->output_ = out[0];
  created->error_file_ = memfd_create("stderr", MFD_CLOEXEC);
  fcntl(created->output_, F_SETFL, O_NONBLOCK);
  fcntl(created->input_, F_SETFL, O_NONBLOCK);
  const Plan plan = plan_for(how);
  created->pid_ = fork();
  if (created->pid_ == 0) become(plan, in[0], out[1], created->error_file_);
  close(in[0]);
  close(out[1]);
  if (created->pid_ < 0) return broken("fork", errno);
  // Debian 12 declares pidfd_open() for C only.
  created->pid_fd_ = static_cast<int>(syscall(SYS_pidfd_open, created->pid_, 0));
  if (created->pid_fd_ < 0) return broken("pidfd_open", errno);
  return created;
}

Process::~Process() {
  if (pid_ > 0 && status_ < 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close_fd(pid_fd_);
  close_fd(input_);
  close_fd(output_);
  close_fd(error_file_);
}

core::Result<bool> Process::read_some(std::string& into, Deadline deadline) {
  std::array<char, kPipeReadBytes> buffer{};
  while (true) {
    const ssize_t got = read(output_, buffer.data(), buffer.size());
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    if (got >= 0) return got > 0;
    if (errno != EAGAIN && errno != EINTR) return broken("standard output", errno);
    const auto ready = wait_for(output_, POLLIN, deadline);
    if (!ready) return core::fail(ready.error());
  }
}

core::Result<void> Process::write_all(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = write(input_, bytes.data(), bytes.size());
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      auto ready = wait_for(input_, POLLOUT, deadline);
      if (!ready) return ready;
    } else if (errno != EINTR) {
      return broken("standard input", errno);
    }
  }
  return {};
}

void Process::close_input() { close_fd(input_); }

void Process::signal(int number) {
  if (status_ < 0) kill(pid_, number);
}

core::Result<int> Process::wait(Deadline deadline) {
  if (status_ >= 0) return status_;
  const auto ready = wait_for(pid_fd_, POLLIN, deadline);
  if (!ready) return core::fail(core::Code::deadline_exceeded, "the program has not ended");
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return broken("waitpid", errno);
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

std::string Process::errors() const {
  const off_t size = lseek(error_file_, 0, SEEK_CUR);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(kPipeReadBytes));
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, size - from)), '\0');
  const ssize_t got = pread(error_file_, text.data(), text.size(), from);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace parley::conformance
