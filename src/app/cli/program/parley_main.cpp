// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>

#include "app/cli/cli.h"
#include "app/server/exit_code.h"

int main(int argc, char** argv) {
  try {
    return parley::app::run_parley(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "parley: " << error.what() << '\n';
    return parley::app::kExitFailure;
  }
}
