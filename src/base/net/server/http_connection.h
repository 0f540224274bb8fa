// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/net/http/http.h"
#include "base/net/http/http_answer.h"
#include "base/net/http/http_gate.h"
#include "base/net/http/origin_policy.h"
#include "base/net/loop/assembly_budget.h"
#include "base/net/loop/send_limit.h"
#include "base/net/loop/stream.h"
#include "base/net/server/http_intake.h"
#include "base/net/server/http_tally.h"
#include "base/net/server/server.h"
#include "base/net/websocket/websocket_connection.h"

namespace parley::net {

// State shared by the HTTP connections of one thread; outlives them.
struct HttpShared {
  const Router& router;
  const ServerOptions& options;
  core::Entropy& entropy;
  HttpGauges& gauges;
  HttpTally& tally;  // of this thread
  WebSocketService& websockets;
  AssemblyBudget& budget;
  const std::atomic<bool>& draining;
  DateField date = {};
};

class HttpBody;

// One HTTP/1.1 connection of the server: reads requests, handles one at a time, answers in order.
// When the stream is closed, cut or has become a WebSocket, the connection calls `forget`, and its
// owner drops it. All calls are on the stream's thread. Responders and BodyWriters may outlive it.
class HttpConnection final : public StreamHandler,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  using Forget = std::function<void(HttpConnection&)>;

  // The lowest allowed rate of a body, and of the client's reading of its answers, checked once per
  // body_timeout, against slowloris attacks.
  // Limit (HTTP, bytes): least rate of a body in a second, received or taken, checked once in
  // `timeouts.body`. Reached: 408, closed, `timeout`; a stalled reader is cut, `stalled_reader`.
  static constexpr std::size_t kMinBodyBytesPerSecond = 512;
  // Requests that one connection has handled in a row before others have their turn.
  static constexpr unsigned kRequestsPerTurn = 16;
  // Bytes of requests behind the one in progress above which reading pauses. Reading and handling
  // also pause while more than Stream::kHighWatermark bytes of answers are queued.
  // Limit (HTTP): bytes read ahead. Reached: reading pauses.
  static constexpr std::size_t kReadAheadBytes = 256U << 10U;

  // `hops`: of its requests.
  HttpConnection(std::unique_ptr<Stream> stream, HttpShared& shared,
                 std::shared_ptr<const OriginPolicy> policy, int hops, Forget forget);
  ~HttpConnection() override;

  void start();
  // Instead of start(): answers with 503 and closes.
  void refuse_all();
  // Closes now if no request is in progress, else after the answer. Event streams are ended.
  void drain();
  // Drops the connection at once.
  void cut();

  void on_data(Stream& stream, char* data, std::size_t size) override;
  void on_end(Stream& stream) override;
  void on_drained(Stream& stream) override;
  void on_closed(Stream& stream) override;

  // Calls of the Responders and BodyWriters of this connection; `serial` names the request.
  void answer(std::uint64_t serial, Response response);
  std::shared_ptr<BodyWriter> start_body(std::uint64_t serial, Response head,
                                         core::Scheduler& scheduler);
  void set_on_disconnect(std::uint64_t serial, core::Task task);
  void write_body(std::string_view bytes);
  void end_body();
  void abandon_body();
  std::size_t queued() const;

 private:
  // The request in progress.
  struct Exchange;

  std::size_t consume(std::string_view bytes);
  bool clogged() const;
  bool may_parse() const;
  std::size_t held() const;
  void take_parsed();
  void resume();
  void pump();
  void count_turn();
  void work_on(Incoming incoming);
  void run_handler(const Router::Match& match, Request request);
  void upgrade(const Router::Match& match, Request request);
  std::unique_ptr<Stream> give_up_stream();
  void send(Response response);
  void send_delayed(std::uint64_t serial);
  void write_counted(std::string_view bytes);
  void count_written(std::size_t bytes);
  void complete(int status);
  void end_exchange(int status);
  void begin_close();
  void release_input();
  void cut_soon();
  void lose();
  void settle();
  bool hold_budget();
  void refuse_for_room();

  core::MonoTime now() const;
  std::string_view date();
  void log(int status) const;
  std::optional<core::MonoTime> deadline() const;
  void arm();
  void on_timer();
  std::uint64_t least_bytes() const;
  bool reader_stalls();
  bool body_goes_on();
  void restart_clocks(core::MonoTime at);
  // "connection of 127.0.0.1, request 3", for assertions.
  std::string label() const;
  void time_out();

  std::unique_ptr<Stream> stream_;
  HttpShared& shared_;
  std::shared_ptr<const OriginPolicy> policy_;
  Forget forget_;
  HttpIntake intake_;
  AssemblyShare share_;
  std::vector<Incoming> incoming_;
  std::string unread_;     // received bytes that may not be parsed yet
  std::string_view rest_;  // bytes behind the request that is begun; an upgrade passes them on
  std::unique_ptr<Exchange> exchange_;
  HttpBody* body_ = nullptr;  // the streamed body; null: none
  std::uint64_t last_serial_ = 0;

  bool closing_ = false;  // finish() was called
  bool last_ = false;     // no request after the last one is read
  bool hold_ = false;     // an upgrade is requested: the following bytes may not be HTTP
  bool pumping_ = false;
  bool had_turn_ = false;  // kRequestsPerTurn were handled: the others wait for a posted task
  unsigned handled_ = 0;   // since the last such task
  bool paused_ = false;
  bool peer_ended_ = false;
  bool continued_ = false;  // "100 Continue" was sent for the request that is being read

  HttpParser::State phase_ = HttpParser::State::idle;
  core::MonoTime phase_since_;
  core::MonoTime progress_at_;
  core::MonoTime rate_since_;  // begin of the period in which the rate of the body is measured
  std::uint64_t rate_mark_ = 0;
  SendLimit send_limit_;  // for streamed bodies
  std::uint64_t written_ = 0;
  std::uint64_t taken_mark_ = 0;  // the part of `written_` that the kernel had taken at
                                  // stalled_since_
  core::MonoTime stalled_since_;
  core::TimerId timer_ = 0;
  core::MonoTime timer_at_;
};

}  // namespace parley::net
