// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_repl.h"

#include <poll.h>
#include <simdjson.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <utility>

#include "app/server/config.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/visible_text.h"
#include "runtime/model/provider_registry.h"

namespace parley::app {
namespace {

constexpr core::Millis kReplTurn{1'000};

constexpr std::string_view kReplHelp =
    "  quit, exit, /quit     end\n"
    "  /new, /reset, /clear  begin a new session\n"
    "  /compact [HINT]       summarise the session and continue in a new one with only the "
    "summary\n"
    "  /summarize [HINT]     only summarise the session\n"
    "  /models [MODEL]       list the models, or choose the model of the next messages\n"
    "  /session              show the id of the session\n"
    "A line that begins with a space is sent to the agent unchanged.\n";

constexpr std::string_view kSummarize =
    "Sum up our conversation so far for somebody who goes on with it and knows nothing else: what "
    "is wanted, what was decided, found out and done, and what is still open. Call no tool. Answer "
    "with the summary alone.";

// The first word of a line, and the rest.
std::pair<std::string, std::string> split_word(const std::string& line) {
  const std::size_t end = line.find(' ');
  if (end == std::string::npos) return {line, {}};
  const std::size_t rest = line.find_first_not_of(' ', end);
  return {line.substr(0, end), rest == std::string::npos ? std::string() : line.substr(rest)};
}

bool ends_it(std::string_view line) {
  constexpr std::array<std::string_view, 4> kWords = {"quit", "exit", "/quit", "/exit"};
  for (const std::string_view word : kWords) {
    if (line == word) return true;
  }
  return false;
}

// The terminal to which the prompt is written and at which lines are edited. Null: there is none.
std::FILE* terminal_of(bool in_words) {
  if (in_words && stdout_is_terminal()) return stdout;
  return stderr_is_terminal() ? stderr : nullptr;
}

}  // namespace

RunRepl::RunRepl(RunStage& stage, RunAsk first) : stage_(stage), next_(std::move(first)) {
  std::FILE* const terminal = terminal_of(in_words());
  if (!stage.input.is_terminal() || terminal == nullptr) return;
  editor_.emplace(stage.loop, stage.signals, terminal,
                  LineHistory(default_state_directory() + "/run_history"));
}

int RunRepl::run() {
  RunAsk first = next_;
  next_.message.clear();
  next_.resume.clear();
  Go go = Go::on;
  if (!first.message.empty() || !first.resume.empty()) go = run_one(std::move(first));
  while (go == Go::on) {
    const std::optional<std::string> line = read_line();
    if (!line) break;
    go = handle(*line);
  }
  say("Bye.\n");
  return code_;
}

// Writes to stdout in the readable form, else to stderr, so that stdout contains only frames.
void RunRepl::say(std::string_view text) {
  (in_words() ? std::cout : std::cerr) << core::visible_text(text) << std::flush;
}

void RunRepl::prompt() {
  if (stage_.input.is_terminal()) say("> ");
}

std::optional<std::string> RunRepl::edited_line(LineEditor& editor) {
  while (true) {
    LineEditor::Line line = editor.read(L"> ");
    if (line.text) {
      warned_ = false;
      return std::move(line.text);
    }
    say("\n");
    if (line.signal != SIGINT || std::exchange(warned_, true)) return std::nullopt;
    say("(^C again, ^D or quit ends)\n");
  }
}

std::optional<std::string> RunRepl::read_line() {
  if (editor_) return edited_line(*editor_);
  std::optional<std::optional<std::string>> came;
  stage_.loop.watch(stage_.signals.fd(), POLLIN, [this, &came](short) {
    const int signal = stage_.signals.take();
    if (signal == 0) return;
    const bool ends = signal != SIGINT || !stage_.input.is_terminal() || warned_;
    if (std::exchange(warned_, true) || ends) {
      came = std::optional<std::string>();
      return say("\n");
    }
    say("\n(^C again, ^D or quit ends)\n");
    prompt();
  });
  prompt();
  stage_.input.next_line([&came](std::optional<std::string> line) { came = std::move(line); });
  while (!came) stage_.loop.run_once(kReplTurn);
  stage_.input.cancel();
  stage_.loop.unwatch(stage_.signals.fd());
  if (*came) {
    warned_ = false;
  } else if (stage_.input.is_terminal() && !warned_) {
    say("\n");
  }
  return std::move(*came);
}

RunRepl::Go RunRepl::handle(const std::string& line) {
  if (line.find_first_not_of(" \t") == std::string::npos) return Go::on;
  if (ends_it(line)) return Go::out;
  if (line.starts_with('/')) return command(line);
  return send(line);
}

RunRepl::Go RunRepl::command(const std::string& line) {
  const auto [word, rest] = split_word(line);
  if (word == "/new" || word == "/reset" || word == "/clear") {
    next_.session.clear();
    foreword_.clear();
    say("A new session begins.\n");
  } else if (word == "/compact") {
    compact(rest);
  } else if (word == "/summarize") {
    summary(rest);
  } else if (word == "/models" || word == "/model") {
    models(rest);
  } else if (word == "/session") {
    say(next_.session.empty() ? "There is no session yet.\n" : next_.session + "\n");
  } else if (word == "/help") {
    say(kReplHelp);
  } else {
    std::cerr << "There is no command " << core::visible_line(word) << ". /help lists them.\n";
  }
  return Go::on;
}

RunRepl::Go RunRepl::send(std::string message) {
  RunAsk ask = next_;
  ask.message = foreword_.empty() ? std::move(message) : foreword_ + "\n\n" + message;
  return run_one(std::move(ask));
}

RunRepl::Go RunRepl::run_one(RunAsk ask) {
  RunShow show(stage_, std::move(ask));
  code_ = show.run();
  if (!show.session().empty()) {
    last_model_ = show.model();
    next_.session = show.session();
    foreword_.clear();
  }
  return code_ == kExitUnreachable ? Go::out : Go::on;
}

// Runs the agent in the session to get a summary, which is its reply. All approvals are denied.
std::optional<std::string> RunRepl::summary(const std::string& hint) {
  if (next_.session.empty()) {
    say("There is nothing to summarise yet.\n");
    return std::nullopt;
  }
  if ((next_.model.empty() ? last_model_ : next_.model) == model::kDemonstrationModel) {
    say("The built-in demonstration is no language model and cannot summarise. /models lists "
        "others.\n");
    return std::nullopt;
  }
  RunAsk ask = next_;
  ask.message = std::string(kSummarize) + (hint.empty() ? "" : " " + hint);
  ask.approve = "deny";
  RunShow show(stage_, std::move(ask));
  code_ = show.run();
  if (code_ != kExitOk || show.reply().empty()) return std::nullopt;
  return show.reply();
}

void RunRepl::compact(const std::string& hint) {
  const std::optional<std::string> text = summary(hint);
  if (!text) return;
  foreword_ = "[Summary of earlier conversation]: " + *text;
  const std::string before = std::exchange(next_.session, {});
  say("A new session begins with the summary. The previous session is kept: " + before + "\n");
}

void RunRepl::models(const std::string& wanted) {
  std::optional<core::Result<std::string>> answer;
  RunClient client(stage_.fetcher, stage_.loop, stage_.host.url(), stage_.host.token(),
                   stage_.host.ca_file());
  client.call("GET", "/v1/models", "",
              [&answer](core::Result<std::string> came) { answer = std::move(came); });
  while (!answer) stage_.loop.run_once(kReplTurn);
  if (!*answer) {
    complain({"The models cannot be listed.", answer->error().message, ""});
    return;
  }
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  simdjson::dom::array all;
  if (parser.parse(answer->value()).get(root) != simdjson::SUCCESS ||
      root["models"].get(all) != simdjson::SUCCESS) {
    return;
  }
  std::string_view standard;
  if (root["default"].get(standard) != simdjson::SUCCESS) standard = {};
  const std::string now = next_.model.empty() ? std::string(standard) : next_.model;
  bool found = false;
  for (const simdjson::dom::element model : all) {
    std::string_view id;
    if (model["id"].get(id) != simdjson::SUCCESS) continue;
    found = found || id == wanted;
    if (wanted.empty()) say((id == now ? "* " : "  ") + std::string(id) + "\n");
  }
  if (wanted.empty()) return;
  if (!found) {
    std::cerr << "There is no model " << core::visible_line(wanted) << ". /models lists them.\n";
    return;
  }
  next_.model = wanted;
  say("The next messages go to " + wanted + ".\n");
}

}  // namespace parley::app
