// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/ask_command.h"

#include <poll.h>

#include <array>
#include <optional>
#include <utility>

#include "agents/mcp/signal_watch.h"
#include "agents/mcp/tool_result.h"
#include "base/core/answer_text.h"
#include "base/core/ascii.h"
#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "base/core/transport_variables.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "base/http_client/curl_loop.h"

namespace parley::mcp {
namespace {

constexpr core::Millis kLongestTurn = std::chrono::minutes(1);
constexpr core::Millis kFarewellTime = std::chrono::seconds(2);

core::Result<std::string> question_text(const AskOptions& options, std::istream& in) {
  std::string text = options.question;
  if (text == "-") {
    text.clear();
    std::array<char, 4096> part{};
    while (text.size() <= kMaxQuestionBytes &&
           (in.read(part.data(), part.size()), in.gcount() > 0)) {
      text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    }
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return core::fail(core::Code::invalid_argument, "the question is empty");
  }
  if (text.size() > kMaxQuestionBytes) {
    return core::fail(core::Code::invalid_argument, "the question is longer than 1 MiB");
  }
  if (!core::is_utf8(text)) {
    return core::fail(core::Code::invalid_argument, "the question is not UTF-8");
  }
  return text;
}

core::Result<AssistantCall> make_call(const AskOptions& options, const UserPlaces& places,
                                      std::istream& in) {
  if (options.timeout_s < 1 || std::chrono::seconds(options.timeout_s) > core::limits::kMaxWait) {
    return core::fail(core::Code::invalid_argument, "--timeout: must be from 1 to 86400 seconds");
  }
  core::Result<std::string> text = question_text(options, in);
  if (!text) return core::fail(text.error());
  AssistantCall call;
  call.text = *std::move(text);
  call.timeout = std::chrono::seconds(options.timeout_s);
  call.project_directory =
      options.project.empty() ? places.working_directory.string() : options.project;
  call.agent_name = "parley ask";
  call.client_name = "parley ask";
  if (options.options.empty()) return call;
  core::Question question;
  question.text = call.text;
  question.custom = true;
  for (const std::string& option : options.options) {
    if (option.empty() || !core::is_utf8(option)) {
      return core::fail(core::Code::invalid_argument,
                        "--option: must be a non-empty text in UTF-8");
    }
    question.choices.push_back({option, {}});
  }
  call.questions.push_back(std::move(question));
  return call;
}

AskExit exit_of(const AssistantOutcome& outcome) {
  if (!outcome) {
    switch (outcome.error().code) {
      case core::Code::deadline_exceeded:
        return AskExit::timed_out;
      case core::Code::cancelled:
        return AskExit::cancelled;
      case core::Code::unavailable:
        return AskExit::unreachable;
      default:
        return AskExit::other;
    }
  }
  if (!outcome->is_error) return AskExit::answered;
  const auto error = outcome->meta.find("error");
  if (error == outcome->meta.end()) return AskExit::other;
  if (error->second == "timeout") return AskExit::timed_out;
  if (error->second == "cancelled") return AskExit::cancelled;
  return AskExit::other;
}

std::string_view status_name(AskExit code) {
  switch (code) {
    case AskExit::answered:
      return "answered";
    case AskExit::timed_out:
      return "timed_out";
    case AskExit::cancelled:
      return "cancelled";
    case AskExit::unreachable:
      return "unreachable";
    default:
      return "error";
  }
}

// The answer without the question, which some clients repeat; a label of --option as it was given.
std::string answer_alone(const AskOptions& options, std::string_view question, std::string text) {
  if (options.options.empty()) return text;
  if (const auto lines = core::answers_in_lines({question}, core::trimmed(text))) {
    text = lines->front();
  }
  const auto label = core::label_named({options.options.begin(), options.options.end()}, text);
  return label ? std::string(*label) : text;
}

// The text of the protocol for a time-out has no singular: "after 1 seconds".
std::string in_singular(std::string text) {
  if (text.ends_with(" after 1 seconds")) text.pop_back();
  return text;
}

std::string text_of(const AskOptions& options, std::string_view question,
                    const AssistantOutcome& outcome) {
  if (!outcome) return outcome.error().message;
  std::string text = plain_text(*outcome);
  if (outcome->is_error) return in_singular(text.empty() ? error_sentence(*outcome) : text);
  return answer_alone(options, question, std::move(text));
}

void report(const AskOptions& options, std::string_view question, const AssistantOutcome& outcome,
            std::ostream& out, std::ostream& err) {
  const AskExit code = exit_of(outcome);
  const std::string text = text_of(options, question, outcome);
  if (options.json) {
    std::string line;
    core::JsonWriter json(line);
    json.begin_object().key("status").string(status_name(code)).key("text").string(text);
    write_tool_result(json, outcome, {});
    if (const std::string meta = tool_result_meta(outcome); !meta.empty()) {
      json.key("_meta").raw("{" + meta + "}");
    }
    json.end_object();
    out << (options.out_is_terminal ? core::visible_text(line) : line) << std::endl;
  } else if (code == AskExit::answered) {
    out << (options.out_is_terminal ? core::visible_text(text) : text) << std::endl;
  }
  if (code != AskExit::answered) err << "parley ask: " << core::visible_text(text) << std::endl;
}

// Asks and waits. std::nullopt: a signal ended the wait, and the question was cancelled on the
// server.
std::optional<AssistantOutcome> ask(AssistantCall call, const Settings& settings,
                                    const UserPlaces& places, const SignalWatch& signals) {
  const core::SystemClock clock;
  core::SystemEntropy entropy;
  http_client::CurlLoop loop(clock);
  AssistantClient client(
      loop, entropy, loop, [&] { return resolve_endpoint(settings.server, settings.file, places); },
      kFirstContact);
  std::optional<AssistantOutcome> outcome;
  bool stopped = false;
  const CallId id = client.start(std::move(call),
                                 [&](AssistantOutcome came) { outcome.emplace(std::move(came)); });
  loop.watch(signals.fd(), POLLIN, [&](short) {
    if (signals.take() == 0) return;
    stopped = true;
    client.cancel(id, "The caller stopped `parley ask`.");
    loop.unwatch(signals.fd());
  });
  while (!outcome && !stopped) loop.run_once(kLongestTurn);
  bool time_is_over = false;
  loop.after(kFarewellTime, [&] { time_is_over = true; });
  while (client.cancellations() > 0 && !time_is_over) loop.run_once(kFarewellTime);
  return outcome;
}

}  // namespace

int run_ask(const AskOptions& options, std::istream& in, std::ostream& out, std::ostream& err) {
  core::forget_transport_variables();
  UserPlaces places = UserPlaces::of_this_process();
  if (!options.data.empty()) places.data = options.data;
  core::Result<AssistantCall> call = make_call(options, places, in);
  const core::Result<Settings> settings =
      load_settings(options.server, places, options.config_file);
  if (!call || !settings) {
    const core::Error& error = call ? settings.error() : call.error();
    err << "parley ask: " << core::visible_text(error.message) << std::endl;
    return static_cast<int>(AskExit::bad_usage);
  }
  for (const std::string& warning : settings->warnings) {
    err << "parley ask: " << core::visible_text(warning) << std::endl;
  }
  const SignalWatch signals;
  if (options.show_status) {
    err << "parley ask: waiting up to " << options.timeout_s << " s for an answer at "
        << resolve_endpoint(settings->server, settings->file, places).base_url
        << "/ (Ctrl-C cancels)" << std::endl;
  }
  const std::string question = call->text;
  const std::optional<AssistantOutcome> outcome = ask(*std::move(call), *settings, places, signals);
  if (!outcome) {
    err << "parley ask: cancelled" << std::endl;
    return static_cast<int>(AskExit::cancelled);
  }
  report(options, question, *outcome, out, err);
  return static_cast<int>(exit_of(*outcome));
}

}  // namespace parley::mcp
