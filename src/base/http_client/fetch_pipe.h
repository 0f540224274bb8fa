// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/http_client/exchange_sink.h"
#include "base/http_client/fetcher.h"

namespace parley::http_client {

// Passes the head, bytes and end of one exchange from libcurl's thread to a scheduler. Each
// function states its thread.
class FetchPipe final : public ExchangeSink, public std::enable_shared_from_this<FetchPipe> {
 public:
  FetchPipe(FetchEvents events, core::Scheduler& scheduler, Fetcher::Done done)
      : events_(std::move(events)), scheduler_(scheduler), done_(std::move(done)) {}

  // Any thread. Each posts a delivery to the scheduler; all do nothing once the pipe is closed.
  void put_head(FetchHead head) override;
  // False: there is no room. drained_ is called once there is.
  bool put_body(std::string_view bytes) override;
  void put_end(FetchEnd end) override;

  // On the scheduler's thread: drops the parts not yet delivered and delivers `end`.
  void end_now(FetchEnd end);
  // Any thread. Stops all deliveries.
  void close() override;

  // On the scheduler's thread: `drained` is called when there is room again after put_body()
  // returned false. Set before anything is put.
  void on_drained(std::function<void()> drained) { drained_ = std::move(drained); }
  // On the scheduler's thread; unregistered at the end of the exchange.
  void watch_cancel(const core::CancelToken& cancel, std::function<void()> abort);

 private:
  enum class State : std::uint8_t { open, ended /* by end_now() */, closed };

  void ask_to_deliver();  // with mutex_ held
  bool ended_now();
  void deliver();
  void finish(FetchEnd end);

  // Used on the scheduler's thread only.
  FetchEvents events_;
  core::Scheduler& scheduler_;
  Fetcher::Done done_;
  core::CancelToken::Registration registration_;
  std::function<void()> drained_;

  std::mutex mutex_;  // guards the members below
  std::optional<FetchHead> head_;
  std::string body_;
  std::optional<FetchEnd> end_;
  bool asked_ = false;  // a delivery is posted
  bool full_ = false;   // put_body() returned false
  State state_ = State::open;
};

}  // namespace parley::http_client
