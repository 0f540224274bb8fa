// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/setup_offer.h"

#include <iostream>

#include "app/server/terminal.h"
#include "base/core/ascii.h"

namespace parley::app {
namespace {

std::string counted_words(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

bool sets_up(const setup::SetupOptions& options) {
  return (options.all || !options.agents.empty()) && !options.show && !options.remove &&
         !options.dry_run;
}

std::string presence_text(const ServerState& server) {
  if (!server.server) {
    return "No server runs: agents ask in their terminals until `parley serve` starts one.\n";
  }
  if (!server.answers()) {
    return "The server does not tell who is there: `parley status` says why.\n";
  }
  const std::int64_t pages = server.pages.value_or(0);
  const std::int64_t notified = server.notified.value_or(0);
  if (pages == 0 && notified == 0) {
    return "Nobody is there now: no page is open, and no notifier or device with push would tell "
           "(Settings, Notifications in the console).\n";
  }
  return "Somebody is there now: " + counted_words(pages, "page is", "pages are") + " open, " +
         counted_words(notified, "notifier or device", "notifiers and devices") + " would tell.\n";
}

bool says_yes(std::istream& in) {
  std::string line;
  if (!std::getline(in, line)) return false;
  const std::string word = core::lowered(core::trimmed(line));
  return word.empty() || word == "y" || word == "yes";
}

std::string told_end(const TestPromptEnd& end) {
  switch (end.exit) {
    case mcp::AskExit::answered:
      return end.place.empty() ? "Decided.\n" : "Decided " + end.place + ".\n";
    case mcp::AskExit::timed_out:
      return "Nobody decided within " + std::to_string(kTestPromptSeconds) +
             " s: `parley doctor` checks the notices, `parley open` shows the console.\n";
    case mcp::AskExit::cancelled:
      return "Withdrawn.\n";
    default:
      return "It failed: " + end.error + "\n";
  }
}

void offer_test_prompt(const std::string& data) {
  if (!print("\nSend a test prompt, to be decided on your phone or in the console? [Y/n] ") ||
      !says_yes(std::cin)) {
    return;
  }
  print("Decide it within " + std::to_string(kTestPromptSeconds) + " s. Ctrl-C withdraws it.\n");
  const TestPromptEnd end = ask_test_prompt(data, TestPrompt::setup);
  print_text(told_end(end));
}

}  // namespace parley::app
