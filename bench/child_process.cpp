// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "give_up.h"

namespace parley::bench {

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) give_up_on("pipe2");
  pid_ = fork();
  if (pid_ < 0) give_up_on("fork");
  if (pid_ == 0) {
    // The child ends with the benchmark, also if that gives up.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    std::perror(command[0].c_str());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  output_ = out[0];
}

ChildProcess::~ChildProcess() {
  close(input_);
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  close(output_);
}

void ChildProcess::write_line(const std::string& line) {
  const std::string bytes = line + "\n";
  if (write(input_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    give_up_on("write to the child");
  }
}

std::string ChildProcess::read_line() {
  while (true) {
    const std::size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    std::array<char, 65536> buffer{};
    const ssize_t got = read(output_, buffer.data(), buffer.size());
    if (got <= 0) give_up_on("read from the child");
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace parley::bench
