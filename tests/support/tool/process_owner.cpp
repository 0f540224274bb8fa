// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs each of its arguments with sh through a ProcessRunner, forwards the output, and waits to be
// killed.
#include <unistd.h>

#include "runtime/tool/process/child_environment.h"
#include "runtime/tool/process/process.h"

int main(int argc, char** argv) {
  parley::tool::ProcessRunner runner;
  for (int i = 1; i < argc; ++i) {
    parley::tool::ProcessSpec spec;
    spec.command = {"sh", "-c", argv[i]};
    spec.folder = "/";
    spec.environment = parley::tool::process_environment();
    parley::tool::ProcessEvents events;
    events.on_output = [](parley::tool::ProcessStream /*stream*/, std::string_view bytes) {
      (void)!::write(STDOUT_FILENO, bytes.data(), bytes.size());
    };
    runner.start(std::move(spec), std::move(events));
  }
  while (true) ::pause();
}
