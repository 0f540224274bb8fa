// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/outside_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

namespace parley::typing {
namespace {

constexpr int kSignalled = 128;

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {ends[0], ends[1]};
}

// Blocks SIGPIPE on the calling thread, which must be used for this alone: a program that ends
// without reading must not end this process.
void write_all(int file, std::string_view bytes) {
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the program has stopped reading
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(int file) {
  std::string out;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return out;
    if (out.size() < kMaxProgramOutput) out.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace

std::optional<ProgramEnd> run_program(std::vector<std::string> arguments, std::string_view input) {
  const Pipe in = make_pipe();
  const Pipe out = make_pipe();
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& each : arguments) words.push_back(each.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.write, STDOUT_FILENO);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  close(in.read);
  close(out.write);
  ProgramEnd end;
  if (started) {
    std::thread feeder([&] {
      write_all(in.write, input);
      close(in.write);
    });
    end.output = read_all(out.read);
    feeder.join();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    end.status = exit_code(status);
  } else {
    close(in.write);
  }
  close(out.read);
  return started ? std::optional<ProgramEnd>(std::move(end)) : std::nullopt;
}

}  // namespace parley::typing
