// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/run_command.h"

#include <google/protobuf/stubs/logging.h>
#include <poll.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "app/exit_code.h"
#include "app/logging.h"
#include "app/run_client.h"
#include "app/run_host.h"
#include "app/terminal.h"
#include "core/json_member.h"
#include "core/json_writer.h"
#include "http/curl_fetcher.h"
#include "http/curl_loop.h"
#include "mcp/signal_watch.h"
#include "protocol/loom/event_parser.h"
#include "protocol/loom/export_form.h"

namespace parley::app {
namespace {

constexpr core::Millis kFrame{150};       // of the status line
constexpr core::Millis kRetryDelay{500};  // after the stream broke
constexpr int kMaxRetries = 20;

struct RunFacts {
  std::string id;
  std::string session;
  std::string kind;
  std::string model;
  std::uint64_t first_event = 0;
};

std::optional<RunFacts> facts_of(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::object run;
  if (parser.parse(body).get(run) != simdjson::SUCCESS) return std::nullopt;
  RunFacts facts{core::string_member(run, "id"), core::string_member(run, "session_id"),
                 core::string_member(run, "kind"), core::string_member(run, "model"), 0};
  std::uint64_t first = 0;
  if (run["first_event"].get(first) == simdjson::SUCCESS) facts.first_event = first;
  return facts;
}

std::string single_key(std::string_view line) {
  const auto frame = loom::EventParser().parse(line);
  return frame ? loom::export_form(*frame) : std::string();
}

// One run, from its start to its end, on one loop.
class RunShow {
 public:
  RunShow(const RunCommandOptions& options, const RunHost& host, const mcp::SignalWatch& signals)
      : options_(options),
        signals_(signals),
        fetcher_(clock_),
        client_(fetcher_, loop_, host.url(), host.token()),
        terminal_(options.form == RunForm::readable && isatty(STDERR_FILENO) == 1),
        asks_(options.form == RunForm::readable && isatty(STDIN_FILENO) == 1) {}

  int run(std::string message) {
    loop_.watch(signals_.fd(), POLLIN, [this](short) { on_signal(); });
    began_ = clock_.mono();
    if (options_.resume.empty()) {
      start(std::move(message));
    } else {
      find_place();
    }
    while (!code_) {
      loop_.run_once(kFrame);
      show();
    }
    return *code_;
  }

 private:
  void start(const std::string& message) {
    std::string body;
    core::JsonWriter json(body);
    json.begin_object().key("message").string(message);
    const auto add = [&json](std::string_view name, const std::string& value) {
      if (!value.empty()) json.key(name).string(value);
    };
    add("agent", options_.agent);
    add("model", options_.model);
    add("session_id", options_.session);
    add("working_folder", folder());
    add("approve", options_.approve);
    if (options_.values) json.key("values").boolean(true);
    json.end_object();
    client_.call("POST", "/v1/runs", std::move(body),
                 [this](core::Result<std::string> answer) { on_begun(answer); });
  }

  std::string folder() const {
    std::error_code error;
    if (!options_.working_folder.empty()) return options_.working_folder;
    return std::filesystem::current_path(error).string();
  }

  // A run that goes on is shown from where it stopped.
  void find_place() {
    const std::string path = "/v1/runs/" + options_.resume;
    client_.call("GET", path + "/checkpoints", "",
                 [this, path](const core::Result<std::string>& checkpoints) {
                   if (!checkpoints) return refuse(checkpoints.error());
                   simdjson::dom::parser parser;
                   simdjson::dom::array all;
                   if (parser.parse(*checkpoints)["checkpoints"].get(all) == simdjson::SUCCESS) {
                     for (const simdjson::dom::element one : all) {
                       std::uint64_t at = 0;
                       if (one["event_id"].get(at) == simdjson::SUCCESS) after_ = at;
                     }
                   }
                   std::string body = "{}";
                   if (!options_.model.empty()) {
                     body.clear();
                     core::JsonWriter json(body);
                     json.begin_object().key("model").string(options_.model).end_object();
                   }
                   client_.call(
                       "POST", path + "/resume", std::move(body),
                       [this](const core::Result<std::string>& answer) { on_begun(answer); });
                 });
  }

  void on_begun(const core::Result<std::string>& answer) {
    if (!answer) return refuse(answer.error());
    facts_ = facts_of(*answer);
    if (!facts_) return refuse({core::Code::data_loss, "The server's answer cannot be read.", {}});
    after_ = std::max(after_, facts_->first_event > 0 ? facts_->first_event - 1 : 0);
    RunPrinterOptions form;
    form.form = options_.form;
    form.colour = terminal_ && stderr_has_colour();
    form.status_line = terminal_;
    form.streams_text = facts_->kind == "react" || facts_->kind == "dup";
    form.single_key = single_key;
    printer_.emplace(std::move(form));
    if (terminal_) {
      std::cerr << "  " << facts_->kind << " · " << facts_->model << " · " << facts_->id << "\n";
    }
    follow();
  }

  void follow() {
    const std::string path = "/v1/runs/" + facts_->id + "/events?after=" + std::to_string(after_);
    client_.follow(
        path, [this](std::string_view line) { on_line(line); },
        [this](const core::Result<void>& ended) { on_stream_end(ended); });
  }

  void on_line(std::string_view line) {
    retries_ = 0;
    printer_->on_frame(line);
    after_ = std::max(after_, printer_->last_event_id());
    if (const auto approval = printer_->take_approval()) ask(*approval);
  }

  // The stream ends after the reply; before it, the server was lost or cut a slow reader off.
  void on_stream_end(const core::Result<void>& ended) {
    if (printer_->ending()) return finish();
    if (++retries_ > kMaxRetries) {
      complain({"The server was lost in the midst of the run.",
                ended ? "The stream ended early." : ended.error().message,
                "`parley run --resume " + facts_->id + "` goes on with it."});
      code_ = kExitUnreachable;
      return;
    }
    loop_.after(kRetryDelay, [this] { follow(); });
  }

  void finish() {
    const RunPrinter::Ending& ending = *printer_->ending();
    show();
    if (ending.stop_reason == "cancelled") {
      code_ = kExitCancelled;
    } else if (ending.stop_reason == "error") {
      if (options_.form == RunForm::readable) {
        complain({"The run failed.", ending.error,
                  "`parley run --resume " + facts_->id + "` tries again from where it stood."});
      }
      code_ = kExitFailure;
    } else {
      code_ = kExitOk;
    }
  }

  void refuse(const core::Error& error) {
    complain({"The run could not begin.", error.message,
              error.field.empty() ? "" : "What is wrong: " + error.field + "."});
    code_ = error.code == core::Code::unavailable ? kExitUnreachable : kExitUsage;
  }

  void ask(const RunPrinter::Approval& approval) {
    if (!asks_) {
      if (options_.form == RunForm::readable) {
        std::cerr << "  Answer in the inbox: " << client_.url() << "/\n";
      }
      return;
    }
    show();
    std::cerr << "  Allow " << approval.name << " " << approval.arguments
              << " ?  [y]es, [n]o, or say why not: " << std::flush;
    asked_ = approval.call_id;
    typed_.clear();
    loop_.watch(STDIN_FILENO, POLLIN, [this](short) { on_typed(); });
  }

  void on_typed() {
    std::array<char, 1024> bytes{};
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got > 0) typed_.append(bytes.data(), static_cast<std::size_t>(got));
    if (got > 0 && typed_.find('\n') == std::string::npos) return;
    loop_.unwatch(STDIN_FILENO);
    std::string answer = typed_.substr(0, typed_.find('\n'));
    const bool allow = answer == "y" || answer == "yes" || answer == "Y";
    if (answer == "n" || answer == "no" || allow) answer.clear();
    std::string body;
    core::JsonWriter json(body);
    json.begin_object().key("call_id").string(asked_).key("allow").boolean(allow);
    json.key("reason").string(answer).end_object();
    asked_.clear();
    client_.call("POST", "/v1/runs/" + facts_->id + "/approvals", std::move(body),
                 [](const core::Result<std::string>& told) {
                   if (!told) std::cerr << "  " << told.error().message << "\n";
                 });
  }

  void on_signal() {
    if (signals_.take() == 0) return;
    if (!facts_ || std::exchange(stopping_, true)) {
      code_ = kExitCancelled;
      return;
    }
    client_.call("POST", "/v1/runs/" + facts_->id + "/cancel", "{}",
                 [](const core::Result<std::string>&) {});
  }

  // Writes what there is, and the status line anew.
  void show() {
    if (!printer_) return;
    const std::string out = printer_->take_out();
    const std::string err = printer_->take_err();
    if (status_shown_ && (terminal_ || !out.empty())) std::cerr << "\r\033[K" << std::flush;
    status_shown_ = false;
    if (!out.empty()) std::cout << out << std::flush;
    if (!err.empty()) std::cerr << err;
    if (!terminal_ || !asked_.empty()) return;
    const std::string status =
        printer_->status(std::chrono::duration_cast<core::Millis>(clock_.mono() - began_));
    if (status.empty()) return;
    std::cerr << status << std::flush;
    status_shown_ = true;
  }

  const RunCommandOptions& options_;
  const mcp::SignalWatch& signals_;
  const core::SystemClock clock_;
  http::CurlLoop loop_{clock_};
  http::CurlFetcher fetcher_;
  RunClient client_;
  const bool terminal_;
  const bool asks_;
  core::MonoTime began_;
  std::optional<RunFacts> facts_;
  std::optional<RunPrinter> printer_;
  std::uint64_t after_ = 0;
  int retries_ = 0;
  bool stopping_ = false;
  bool status_shown_ = false;
  std::string asked_;
  std::string typed_;
  std::optional<int> code_;
};

std::optional<std::string> message_of(const RunCommandOptions& options) {
  if (options.message.size() == 1 && options.message.front() == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  std::string all;
  for (const std::string& word : options.message) all += (all.empty() ? "" : " ") + word;
  if (all.empty() && options.resume.empty()) return std::nullopt;
  return all;
}

}  // namespace

int run_agent(const Settings& settings, const RunCommandOptions& options) {
  std::optional<std::string> message = message_of(options);
  if (!message) {
    complain({"There is no message.", "An agent needs to be told what to do.",
              "parley run \"List the files here.\""});
    return kExitUsage;
  }
  set_up_logging(settings.log_level == "info" ? "warn" : settings.log_level, settings.log_json,
                 stderr_has_colour());
  google::protobuf::SetLogHandler(nullptr);
  // Before any thread.
  const mcp::SignalWatch signals;
  auto host = RunHost::find_or_start(settings);
  if (!host) {
    complain(host.error().complaint);
    return host.error().code;
  }
  return RunShow(options, *host, signals).run(std::move(*message));
}

}  // namespace parley::app
