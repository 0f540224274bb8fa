// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/server_process.h"

#include <csignal>

#include "base/core/result.h"
#include "tools/conformance/variables.h"

namespace parley::conformance {
namespace {

constexpr int kKillWaitMs = 10'000;
constexpr std::size_t kMaxShownErrors = 2'000;

}  // namespace

std::vector<std::string> split_command(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (const char c : line) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word.push_back(c);
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word.push_back(c);
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

core::Result<void> ServerProcess::start(Deadline deadline) {
  const Bindings given = {{"port", boost::json::value(port_)}};
  Process::Start how;
  for (const std::string& word : command_) {
    how.command.emplace_back(fill_parameters(boost::json::value(word), given).as_string());
  }
  PARLEY_TRY(process_, Process::start(how));
  std::string output;
  while (true) {
    const std::size_t at = output.find("ready ");
    const std::size_t end = at == std::string::npos ? at : output.find('\n', at);
    if (end != std::string::npos) {
      url_ = output.substr(at + 6, end - at - 6);
      PARLEY_TRY(const auto target, Target::parse(url_));
      port_ = target.port;
      return {};
    }
    const auto more = process_->read_some(output, deadline);
    if (more && *more) continue;
    std::string said = process_->errors();
    if (said.size() > kMaxShownErrors) said.erase(0, said.size() - kMaxShownErrors);
    process_.reset();
    output += said;
    return core::fail(core::Code::unavailable, "the server did not get ready: " + output);
  }
}

core::Result<void> ServerProcess::kill_now() {
  if (!process_) return core::fail(core::Code::failed_precondition, "the server is not running");
  process_->signal(SIGKILL);
  const auto status = process_->wait(in_ms(kKillWaitMs));
  last_errors_ = process_->errors();
  process_.reset();
  if (!status) return core::fail(status.error());
  return {};
}

core::Result<void> ServerProcess::stop(Deadline deadline) {
  if (!process_) return core::fail(core::Code::failed_precondition, "the server is not running");
  process_->signal(SIGTERM);
  const auto status = process_->wait(deadline);
  last_errors_ = process_->errors();
  process_.reset();
  if (!status) return core::fail(core::Code::deadline_exceeded, "the server did not end in time");
  if (*status != 0) {
    return core::fail(core::Code::aborted,
                      "the server ended with status " + std::to_string(*status));
  }
  return {};
}

}  // namespace parley::conformance
