// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_show.h"

#include <fcntl.h>
#include <poll.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <utility>

#include "app/cli/host_client.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/entropy.h"
#include "base/core/id.h"
#include "base/core/json_member.h"
#include "base/core/json_writer.h"
#include "base/core/percent.h"
#include "base/core/private_files.h"
#include "base/core/visible_text.h"
#include "runtime/stream/event_parser.h"
#include "runtime/stream/export_form.h"

namespace parley::app {

using core::Code;

core::Result<std::unique_ptr<StreamFile>> StreamFile::open(const std::string& path, bool append) {
  const int how = O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | (append ? 0 : O_EXCL);
  const int fd = ::open(path.c_str(), how, core::kPrivateFileMode);
  if (fd < 0) {
    const int error = errno;
    const Code code = error == EEXIST   ? Code::already_exists
                      : error == ENOENT ? Code::not_found
                                        : Code::permission_denied;
    return core::fail(code,
                      path + ": " + std::strerror(error) + ".");  // NOLINT(concurrency-mt-unsafe)
  }
  // The constructor is private, so make_unique cannot reach it.
  return std::unique_ptr<StreamFile>(new StreamFile(path, fd));
}

bool StreamFile::write(std::string_view text) {
  while (!failed_ && !text.empty()) {
    const ssize_t count = ::write(fd_.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    failed_ = count < 0;
    if (!failed_) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return !failed_;
}

namespace {

constexpr core::Millis kShowFrame{150};    // interval between updates of the status line
constexpr core::Millis kFollowDelay{500};  // delay before an interrupted stream is opened again
constexpr int kMaxFollows = 20;

std::string single_key(std::string_view line) {
  const auto frame = runtime::EventParser().parse(line);
  return frame ? runtime::export_form(*frame) : std::string();
}

}  // namespace

RunStage::RunStage(const RunCommandOptions& options_in, const RunHost& host_in,
                   const mcp::SignalWatch& signals_in, StreamFile* file_in)
    : options(options_in),
      host(host_in),
      signals(signals_in),
      file(file_in),
      err_terminal(stderr_is_terminal()) {}

RunShow::RunShow(RunStage& stage, RunAsk ask)
    : stage_(stage),
      ask_(std::move(ask)),
      client_(stage.fetcher, stage.loop, stage.host.url(), stage.host.token(),
              stage.host.ca_file()),
      asks_(stage.err_terminal && stage.input.is_terminal()) {}

RunShow::~RunShow() {
  stage_.input.cancel();
  stage_.loop.unwatch(stage_.signals.fd());
  if (retry_ != 0) stage_.loop.cancel(retry_);
}

int RunShow::run() {
  stage_.loop.watch(stage_.signals.fd(), POLLIN, [this](short) { on_signal(); });
  began_ = stage_.clock.mono();
  if (ask_.resume.empty()) {
    start();
  } else {
    find_place();
  }
  while (!code_) {
    stage_.loop.run_once(kShowFrame);
    show();
  }
  erase_status();
  return *code_;
}

// --- beginning ------------------------------------------------------------------------------

void RunShow::start() {
  // Chosen here, so that the run can be cancelled before the server answers.
  core::SystemEntropy entropy;
  facts_.id = "run-" + core::new_id(stage_.clock, entropy);
  std::string body;
  core::JsonWriter json(body);
  json.begin_object().key("message").string(ask_.message).key("run_id").string(facts_.id);
  const auto add = [&json](std::string_view name, const std::string& value) {
    if (!value.empty()) json.key(name).string(value);
  };
  add("agent", stage_.options.agent);
  add("model", ask_.model);
  add("session_id", ask_.session);
  add("working_folder", folder_or_here(stage_.options.working_folder));
  add("approve", ask_.approve);
  if (stage_.options.values) json.key("values").boolean(true);
  if (stage_.options.dry) json.key("dry").boolean(true);
  json.end_object();
  client_.call("POST", "/v1/runs", std::move(body),
               core::while_alive(
                   alive_, [this](const core::Result<std::string>& answer) { on_begun(answer); }));
}

// Finds the last checkpoint of the run to resume, from which it is shown.
void RunShow::find_place() {
  client_.call(
      "GET", "/v1/runs/" + core::percent_encoded(ask_.resume) + "/checkpoints", "",
      core::while_alive(alive_, [this](const core::Result<std::string>& all) { on_place(all); }));
}

void RunShow::on_place(const core::Result<std::string>& checkpoints) {
  if (!checkpoints) return refuse(checkpoints.error());
  simdjson::dom::parser parser;
  simdjson::dom::array all;
  if (parser.parse(*checkpoints)["checkpoints"].get(all) == simdjson::SUCCESS) {
    for (const simdjson::dom::element one : all) {
      std::uint64_t at = 0;
      if (one["event_id"].get(at) == simdjson::SUCCESS) after_ = at;
    }
  }
  std::string body;
  core::JsonWriter json(body);
  json.begin_object();
  if (!ask_.model.empty()) json.key("model").string(ask_.model);
  json.end_object();
  facts_.id = ask_.resume;
  client_.call("POST", "/v1/runs/" + core::percent_encoded(ask_.resume) + "/resume",
               std::move(body),
               core::while_alive(
                   alive_, [this](const core::Result<std::string>& answer) { on_begun(answer); }));
}

void RunShow::on_begun(const core::Result<std::string>& answer) {
  if (!answer) return refuse(answer.error());
  simdjson::dom::parser parser;
  simdjson::dom::object run;
  if (parser.parse(*answer).get(run) != simdjson::SUCCESS) {
    return refuse({core::Code::data_loss, "The server's answer cannot be read.", {}});
  }
  facts_ = {core::string_member(run, "id"), core::string_member(run, "session_id"),
            core::string_member(run, "kind"), core::string_member(run, "model"), 0};
  std::uint64_t first = 0;
  if (run["first_event"].get(first) == simdjson::SUCCESS && first > 0) {
    after_ = std::max(after_, first - 1);
  }
  const RunCommandOptions& options = stage_.options;
  RunPrinterOptions form;
  form.form = options.form;
  form.colour = stderr_has_colour();
  form.status_line = stage_.err_terminal;
  form.times = options.timestamp;
  form.streams_text = facts_.kind == "react" || facts_.kind == "dup";
  printer_.emplace(form);
  if (stage_.err_terminal && options.form == RunForm::readable) {
    std::cerr << "  " << core::visible_line(facts_.kind + " · " + facts_.model + " · " + facts_.id)
              << (options.dry ? " · dry" : "") << "\n";
  }
  follow();
  if (stopping_) cancel_run();
}

void RunShow::refuse(const core::Error& error) {
  const bool cancelled = error.code == core::Code::cancelled;
  if (cancelled) {
    complain({"The run was cancelled.", "", ""});
  } else {
    complain({"The run could not start.", error.message,
              error.field.empty() ? "" : "Field: " + error.field + "."});
  }
  if (stage_.options.form == RunForm::stream) {
    // Programs get the reply line that ends every stream.
    std::string line;
    core::JsonWriter json(line);
    json.begin_object().key("reply").string("");
    json.key("stop_reason").string(cancelled ? "cancelled" : "error");
    json.key("error").string(error.message).key("code").string(core::code_name(error.code));
    if (!error.field.empty()) json.key("field").string(error.field);
    json.end_object();
    keep(line);
    if (stage_.file == nullptr) std::cout << line << "\n" << std::flush;
  }
  code_ = cancelled                               ? kExitCancelled
          : error.code == core::Code::unavailable ? kExitUnreachable
                                                  : kExitUsage;
}

// --- the stream -----------------------------------------------------------------------------

std::string RunShow::run_path() const { return "/v1/runs/" + core::percent_encoded(facts_.id); }

void RunShow::follow() {
  std::string path = run_path() + "/events?after=" + std::to_string(after_);
  if (stage_.options.timestamp) path += "&times=true";
  client_.follow(
      std::move(path), core::while_alive(alive_, [this](std::string_view line) { on_line(line); }),
      core::while_alive(alive_, [this](const core::Result<void>& ended) { on_stream_end(ended); }));
}

void RunShow::on_line(std::string_view line) {
  retries_ = 0;
  printer_->on_frame(line);
  keep(line);
  after_ = std::max(after_, printer_->last_event_id());
  settle_approvals();
  take_approvals();
}

// Writes a frame to the file, if there is one.
void RunShow::keep(std::string_view line) {
  if (stage_.file == nullptr || stage_.file->failed()) return;
  const bool as_export = stage_.options.form == RunForm::single_key;
  const std::string text = as_export ? single_key(line) : std::string(line);
  if (text.empty() || stage_.file->write(text + "\n")) return;
  complain({"The stream cannot be written to " + stage_.file->path() + ".", "The disk may be full.",
            "The run continues; the server keeps its events."});
}

// The stream ends after the reply. If it ends earlier, because the server was lost or closed a slow
// reader's stream, it is opened again, up to kMaxFollows times in a row.
void RunShow::on_stream_end(const core::Result<void>& ended) {
  if (printer_->ending()) return finish();
  if (++retries_ > kMaxFollows) {
    complain({"The connection to the server was lost during the run.",
              ended ? "The event stream ended before the run." : ended.error().message,
              "`parley run --resume " + facts_.id + "` continues it."});
    code_ = kExitUnreachable;
    return;
  }
  retry_ = stage_.loop.after(kFollowDelay, [this] {
    retry_ = 0;
    follow();
  });
}

void RunShow::finish() {
  const RunPrinter::Ending& ending = *printer_->ending();
  reply_ = ending.reply;
  const bool readable = stage_.options.form == RunForm::readable;
  show();
  if (ending.stop_reason == "cancelled") {
    if (readable) {
      complain(
          {"The run was cancelled.", "", "`parley run --resume " + facts_.id + "` continues it."});
    }
    code_ = kExitCancelled;
  } else if (ending.stop_reason == "error") {
    if (readable) {
      complain({"The run failed.", ending.error,
                "`parley run --resume " + facts_.id + "` continues it from its last checkpoint."});
    }
    code_ = kExitFailure;
  } else {
    code_ = stage_.file != nullptr && stage_.file->failed() ? kExitFailure : kExitOk;
  }
}

// --- approvals ------------------------------------------------------------------------------

void RunShow::take_approvals() {
  while (auto approval = printer_->take_approval()) {
    if (asks_) {
      waiting_.push_back(std::move(*approval));
    } else if (!std::exchange(inbox_mentioned_, true)) {
      std::cerr << "  " << core::visible_line(approval->name)
                << " waits for approval. Answer in the inbox: " << client_.url() << "/\n";
    }
  }
  if (!prompt_open_) ask_next();
}

// Drops the questions about calls that another client has answered or that have ended.
void RunShow::settle_approvals() {
  for (const std::string& call_id : printer_->take_settled()) {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&call_id](const auto& one) { return one.call_id == call_id; });
    if (found == waiting_.end()) continue;
    const bool asked = prompt_open_ && found == waiting_.begin();
    waiting_.erase(found);
    if (!asked) continue;
    stage_.input.cancel();
    prompt_open_ = false;
    std::cerr << "\n  answered elsewhere\n";
    ask_next();
  }
}

void RunShow::ask_next() {
  if (waiting_.empty() || code_ || stopping_) return;
  show();
  // Discards the input typed before the question, which is no answer to it.
  if (!prompt_open_) stage_.input.forget();
  prompt_open_ = true;
  erase_status();
  std::cerr << approval_dangers(waiting_.front()) << "  Allow "
            << approval_question(waiting_.front())
            << " ?  [y]es, [n]o, or say why not: " << std::flush;
  stage_.input.next_line([this](std::optional<std::string> line) { on_answer(std::move(line)); });
}

void RunShow::on_answer(std::optional<std::string> answer) {
  prompt_open_ = false;
  const std::string answer_text(answer ? core::trimmed(*answer) : "no");
  if (!answer) std::cerr << "no\n";
  const std::string word = core::lowered(answer_text);
  if (word.empty()) return ask_next();
  const std::string call_id = waiting_.front().call_id;
  waiting_.pop_front();
  const bool allow = word == "y" || word == "yes";
  const bool plain = allow || word == "n" || word == "no";
  send_answer(call_id, allow, plain ? "" : answer_text);
  ask_next();
}

void RunShow::send_answer(const std::string& call_id, bool allow, const std::string& reason) {
  std::string body;
  core::JsonWriter json(body);
  json.begin_object().key("call_id").string(call_id).key("allow").boolean(allow);
  json.key("reason").string(reason).end_object();
  client_.call("POST", run_path() + "/approvals", std::move(body),
               [](const core::Result<std::string>& readable) {
                 if (!readable)
                   std::cerr << "  " << core::visible_line(readable.error().message) << "\n";
                 if (readable && readable->find("\"won\":false") != std::string::npos) {
                   std::cerr << "  already answered elsewhere\n";
                 }
               });
}

// --- ending and showing ---------------------------------------------------------------------

void RunShow::on_signal() {
  if (stage_.signals.take() == 0) return;
  if (std::exchange(stopping_, true)) {
    code_ = kExitCancelled;
    return;
  }
  stage_.input.cancel();
  waiting_.clear();
  if (std::exchange(prompt_open_, false)) std::cerr << "\n";
  if (!facts_.id.empty()) cancel_run();
}

void RunShow::cancel_run() {
  client_.call("POST", run_path() + "/cancel", "{}", [](const core::Result<std::string>&) {});
}

bool RunShow::erase_status() {
  if (!std::exchange(status_shown_, false)) return false;
  std::cerr << "\r\033[K" << std::flush;
  return true;
}

// Writes the printer's pending output, then the status line again.
void RunShow::show() {
  if (!printer_) return;
  std::vector<RunPrinter::Piece> output = printer_->take_output();
  if (stage_.file != nullptr && stage_.options.form != RunForm::readable) {
    std::erase_if(output, [](const RunPrinter::Piece& piece) { return !piece.to_stderr; });
  }
  if (output.empty()) return show_status();
  erase_status();
  // Repeats an open question below the new output.
  if (prompt_open_) std::cerr << "\n";
  for (const RunPrinter::Piece& piece : output) {
    if (piece.to_stderr) {
      std::cerr << piece.text << std::flush;
    } else {
      std::cout << for_stdout(piece.text) << std::flush;
    }
  }
  if (prompt_open_) {
    std::cerr << "  Allow " << approval_question(waiting_.front()) << " ?  " << std::flush;
    return;
  }
  show_status();
}

void RunShow::show_status() {
  if (!stage_.err_terminal || prompt_open_ || code_) return;
  const auto elapsed = std::chrono::duration_cast<core::Millis>(stage_.clock.mono() - began_);
  const std::string status = printer_->status(elapsed, terminal_columns(STDERR_FILENO));
  erase_status();
  if (status.empty()) return;
  std::cerr << status << std::flush;
  status_shown_ = true;
}

}  // namespace parley::app
