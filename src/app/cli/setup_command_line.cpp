// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/setup_command_line.h"

#include <unistd.h>

#include <iostream>

#include "agents/setup/agent_table.h"
#include "agents/setup/setup_command.h"
#include "app/cli/help_format.h"
#include "app/cli/server_state.h"
#include "app/server/terminal.h"
#include "base/core/ascii.h"
#include "base/core/clock.h"

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

std::string end_message(const TestPromptEnd& end) {
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
  print_text(end_message(end));
}

namespace {

std::string about() {
  std::string words;
  for (const setup::AgentFacts& agent : setup::agent_table()) {
    words += (words.empty() ? "" : ", ") + std::string(agent.word);
  }
  return "Example: Claude Code asks in Parley's inbox\n  parley setup claude\n\nAdds Parley to the "
         "settings of coding agents: its MCP server, and hooks that bring their permission prompts "
         "into the inbox. At a terminal it offers a test prompt at the end. Without an agent it "
         "shows what is set up, and writes nothing. Exit "
         "codes: "
         "0 done, 1 a file could not be read or written, 2 wrong usage, 3 refused, with the step "
         "to "
         "do by hand.\n\nAgents: " +
         words;
}

}  // namespace

void SetupCommandLine::add_to(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("setup", about());
  std::vector<std::string> words;
  for (const setup::AgentFacts& agent : setup::agent_table()) words.emplace_back(agent.word);
  allow_values(*command.add_option("agent", options_.agents, "Agents to set up"), words);
  command.add_flag("--all", options_.all, "All agents that are found on this computer");
  command.add_flag("--remove", options_.remove, "Take out what setup has added");
  command.add_flag("--show", options_.show, "Show what is set up; writes nothing");
  command
      .add_option("--project", project_,
                  "The files of a project in place of the user's. Default: the current directory")
      ->type_name("[DIR]")
      ->expected(0, 1);
  add_options(command);
  command.callback([this, &command] {
    if (command.count("--project") > 0) {
      options_.project = project_;
      // `--project claude` names an agent, not a folder.
      if (setup::agent_named(project_) != nullptr) {
        options_.agents.push_back(project_);
        options_.project = "";
      }
    }
    chosen_ = [this] { return run(); };
  });
}

void SetupCommandLine::add_options(CLI::App& app) {
  app.add_flag("--shared", options_.shared,
               "With --project: the files that its repository shares; the program has no folder "
               "in them");
  app.add_flag("--mcp-only", options_.mcp_only, "Only the MCP server");
  app.add_flag("--hooks-only", options_.hooks_only, "Only the hooks");
  app.add_flag("--dry-run", options_.dry_run,
               "Show the differences, with secrets masked; writes nothing");
  app.add_option("--gate", options_.gate,
                 "Names of tools, separated by commas, to ask about in agents whose hooks run "
                 "before every call: copilot, vscode, cursor, crush")
      ->type_name("TOOLS");
  allow_values(*app.add_option("--stop", options_.stop, "The end of a turn"),
               {"off", "notify", "ask"});
  allow_values(*app.add_option("--questions", options_.questions, "The agent's own questions"),
               {"on", "off", "pre"});
  allow_values(*app.add_option("--when-nobody", options_.when_nobody,
                               "Questions while nobody is there: ask nevertheless, or let the "
                               "agent ask in its terminal"),
               {"ask", "pass"});
  allow_values(*app.add_option("--somebody", options_.somebody,
                               "Somebody is there: with a page, a notifier or a device with push, "
                               "or with a page alone"),
               {"any", "page"});
  app.add_flag("--foreground", options_.foreground,
               "Claude Code waits for long calls of all MCP servers");
  app.add_flag("--trust", options_.trust,
               "The agent's own rule, by which Parley's tools need no permission: claude, gemini, "
               "qwen");
  app.add_flag("--force", options_.force, "Replace the entry of another program");
  app.add_flag("--yes", yes_, "Offer no test prompt at the end");
  app.add_flag("--json", options_.json, "As JSON");
}

int SetupCommandLine::run() {
  const core::Result<setup::SetupPlaces> places = setup::places_of_this_process();
  if (!places) {
    complain({"Nothing was set up.", places.error().message, ""});
    return setup::kSetupFailed;
  }
  const core::SystemClock clock;
  const setup::SetupOutcome outcome = setup::run_setup(options_, *places, clock);
  if (!outcome.error.empty()) {
    complain({outcome.status == setup::kSetupUsage ? "The command line is not valid."
                                                   : "Nothing was set up.",
              outcome.error, "`parley setup --help` lists the agents and flags."});
  }
  if (!outcome.out.empty() && !print(outcome.out)) return setup::kSetupFailed;
  if (outcome.error.empty() && !options_.json && !options_.remove && !options_.dry_run) {
    if (!outcome.out.ends_with("\n\n")) print("\n");
    print_presence(places->data.string(), outcome.status);
  }
  return outcome.status;
}

void SetupCommandLine::print_presence(const std::string& data, int status) const {
  const ServerState server = look_at_server(data);
  if (!print_text(presence_text(server)) || !server.answers()) return;
  const bool at_terminal = ::isatty(STDIN_FILENO) != 0 && stdout_is_terminal();
  if (sets_up(options_) && status == setup::kSetupDone && at_terminal && !yes_) {
    offer_test_prompt(data);
  }
}

}  // namespace parley::app
