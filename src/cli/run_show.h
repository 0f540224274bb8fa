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

#include "cli/line_input.h"
#include "cli/run_client.h"
#include "cli/run_command.h"
#include "cli/run_host.h"
#include "cli/run_printer.h"
#include "cli/stream_file.h"
#include "core/clock.h"
#include "http_client/curl_fetcher.h"
#include "http_client/curl_loop.h"
#include "mcp/signal_watch.h"

namespace parley::app {

// What the runs of one command share: the server, the loop, the terminal. What is given outlives
// it; one thread.
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

// What one run is begun with; what is empty is not said.
struct RunAsk {
  std::string message;
  std::string session;
  std::string resume;  // a run that is gone on with; then there is no message
  std::string model;
  std::string approve;  // in place of the policies of the tools
};

// One run, from its start to its end, shown as it goes: a call that needs a word is asked about at
// the terminal, ^C cancels, a second one leaves.
class RunShow {
 public:
  RunShow(RunStage& stage, RunAsk ask);
  ~RunShow();
  RunShow(const RunShow&) = delete;
  RunShow& operator=(const RunShow&) = delete;

  // Returns the exit code of run_agent().
  int run();

  // Of a run that has begun; else empty.
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

  template <typename Use>
  auto while_alive(Use use) {
    return [alive = std::weak_ptr<int>(alive_), use = std::move(use)](auto&&... what) mutable {
      if (alive.lock()) use(std::forward<decltype(what)>(what)...);
    };
  }

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
  const bool asks_;  // a person sits at the terminal
  core::MonoTime began_;
  Facts facts_;
  std::optional<RunPrinter> printer_;
  std::uint64_t after_ = 0;
  int retries_ = 0;
  core::TimerId retry_ = 0;
  bool stopping_ = false;
  bool status_shown_ = false;
  std::deque<RunPrinter::Approval> waiting_;  // for a word; the first is asked about
  bool prompt_open_ = false;
  bool inbox_told_ = false;
  std::string reply_;
  std::optional<int> code_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace parley::app
