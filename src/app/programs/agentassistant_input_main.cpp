// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "typing/typing_command.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return parley::typing::agentassistant_input_main(arguments, std::cin, std::cout, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "agentassistant-input: " << error.what() << '\n';
    return 2;
  }
}
