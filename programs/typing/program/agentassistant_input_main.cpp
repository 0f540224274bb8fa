// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "programs/typing/typing_command.h"

namespace {

std::atomic<bool> stopped{false};
std::atomic<int> nothing{-1};  // a file without content
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "they are used by a signal handler");

// A read of stdin that has begun is interrupted; one that begins now finds the end.
void stop(int /*signal*/) {
  stopped = true;
  ::dup2(nothing, STDIN_FILENO);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  // Without SA_RESTART, so that the signal also interrupts a read of stdin.
  struct sigaction action {};
  action.sa_handler = stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return parley::typing::agentassistant_input_main(arguments, stopped, std::cin, std::cout,
                                                     std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "agentassistant-input: " << error.what() << '\n';
    return 2;
  }
}
