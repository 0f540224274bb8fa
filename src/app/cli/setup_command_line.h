// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "agents/setup/setup_options.h"
#include "app/cli/command_flags.h"
#include "app/cli/server_state.h"
#include "app/cli/test_prompt.h"

namespace parley::app {

// True if options change the files of agents; otherwise setup shows, removes or tries.
bool sets_up(const setup::SetupOptions& options);

// The people who can be asked now, one line with its line break, for the agents that ask only then.
std::string presence_text(const ServerState& server);

// True for an empty line, "y" and "yes"; false for the end of the input.
bool says_yes(std::istream& in);

// The end of the test prompt, a sentence with its line break.
std::string end_message(const TestPromptEnd& end);

// Offers a person at the terminal a test prompt at the running server of a data directory, waits
// for its answer, and says from where it came.
void offer_test_prompt(const std::string& data);

// `parley setup`. Sets `chosen` to its action when the command line has been read. `chosen` must
// outlive this object, and this object must outlive the action.
class SetupCommandLine {
 public:
  explicit SetupCommandLine(Chosen& chosen) : chosen_(chosen) {}

  void add_to(CLI::App& app);

 private:
  void add_options(CLI::App& app);
  int run();
  // Says who is there to be asked; at a terminal, offers a test prompt after a set-up.
  void print_presence(const std::string& data, int status) const;

  Chosen& chosen_;
  setup::SetupOptions options_;
  std::string project_;
  bool yes_ = false;
};

}  // namespace parley::app
