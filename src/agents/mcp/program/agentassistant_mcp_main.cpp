// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "agents/mcp/mcp_command.h"

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return parley::mcp::agentassistant_mcp_main(arguments, std::cout, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "agentassistant-mcp: " << error.what() << '\n';
    return 1;
  }
}
