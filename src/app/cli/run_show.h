// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agents/mcp/signal_watch.h"
#include "app/cli/line_input.h"
#include "app/cli/run_client.h"
#include "app/cli/run_command.h"
#include "app/cli/run_host.h"
#include "app/cli/run_printer.h"
#include "base/core/clock.h"
#include "base/core/file_descriptor.h"
#include "base/core/result.h"
#include "base/http_client/curl_fetcher.h"
#include "base/http_client/curl_loop.h"

namespace parley::app {

// A file to which a stream is written as it arrives, so that other programs can follow it.
class StreamFile {
 public:
  // Creates a file of mode 0600; with `append` an existing file is continued. Errors:
  // `already_exists`, `permission_denied`, `not_found` (no such folder).
  static core::Result<std::unique_ptr<StreamFile>> open(const std::string& path, bool append);

  // Writes `text` without buffering. False: this or an earlier write has failed.
  bool write(std::string_view text);
  bool failed() const { return failed_; }
  const std::string& path() const { return path_; }

 private:
  StreamFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  const std::string path_;
  const core::FileDescriptor fd_;
  bool failed_ = false;
};

// Objects that the runs of one command share: the server, the loop, the terminal. The constructor's
// arguments must outlive it. Used on one thread.
struct RunStage {
  RunStage(const RunCommandOptions& options_in, const RunHost& host_in,
           const mcp::SignalWatch& signals_in, StreamFile* file_in);

  const RunCommandOptions& options;
  const RunHost& host;
  const mcp::SignalWatch& signals;
  StreamFile* const file;  // null: none
  const bool err_terminal;
  const core::SystemClock clock{};
  http_client::CurlLoop loop{clock};
  http_client::CurlFetcher fetcher{clock};
  LineInput input{loop};
};

// Parameters of one run. Empty members are not sent to the server.
struct RunAsk {
  std::string message;
  std::string session;
  std::string resume;  // id of a run to resume; then `message` is empty
  std::string model;
  std::string approve;  // replaces the policies of the tools
};

// Starts or resumes one run and shows it until its end. Asks at the terminal for each approval;
// elsewhere it names the inbox. The first ^C cancels the run, the second one returns at once.
class RunShow {
 public:
  RunShow(RunStage& stage, RunAsk ask);
  ~RunShow();
  RunShow(const RunShow&) = delete;
  RunShow& operator=(const RunShow&) = delete;

  // Returns the exit code of run_agent().
  int run();

  // Empty if the run has not begun.
  const std::string& session() const { return facts_.session; }
  const std::string& model() const { return facts_.model; }
  const std::string& reply() const { return reply_; }

 private:
  struct Facts {
    std::string id;
    std::string session;
    std::string kind;
    std::string model;
    std::uint64_t first_event = 0;
  };

  void start();
  void find_place();
  void on_place(const core::Result<std::string>& checkpoints);
  void on_begun(const core::Result<std::string>& answer);
  void follow();
  void on_line(std::string_view line);
  void keep(std::string_view line);
  void on_stream_end(const core::Result<void>& ended);
  void finish();
  void refuse(const core::Error& error);

  void take_approvals();
  void settle_approvals();
  void ask_next();
  void on_answer(std::optional<std::string> answer);
  void send_answer(const std::string& call_id, bool allow, const std::string& reason);

  void on_signal();
  void cancel_run();
  void show();
  bool erase_status();
  void show_status();
  std::string run_path() const;

  RunStage& stage_;
  const RunAsk ask_;
  RunClient client_;
  const bool asks_;  // true: stdin and stderr are terminals, so approvals are asked for here
  core::MonoTime began_;
  Facts facts_;
  std::optional<RunPrinter> printer_;
  std::uint64_t after_ = 0;
  int retries_ = 0;
  core::TimerId retry_ = 0;
  bool stopping_ = false;
  bool status_shown_ = false;
  std::deque<RunPrinter::Approval> waiting_;  // calls to ask about; the first is asked about now
  bool prompt_open_ = false;
  bool inbox_mentioned_ = false;
  std::string reply_;
  std::optional<int> code_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace parley::app
