// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/server/http_connection.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/contain.h"
#include "base/core/loopback.h"
#include "base/net/http/compression.h"
#include "base/net/http/http_text.h"
#include "base/net/server/http_body.h"
#include "base/net/server/http_responder.h"
#include "base/net/websocket/websocket_handshake.h"

namespace parley::net {
namespace {

constexpr int kClientClosed = 499;
constexpr std::string_view kRetryAfterSeconds = "5";

}  // namespace

struct HttpConnection::Exchange {
  AnswerContext context;
  std::uint64_t serial = 0;
  std::string method;
  std::string path;
  std::string_view route;
  core::MonoTime started;
  std::uint64_t written_before = 0;
  core::Task on_disconnect;
  std::optional<Response> delayed;  // waits for its delay
  int status = 0;                   // status of a streamed answer
  bool head_sent = false;
};

HttpConnection::HttpConnection(std::unique_ptr<Stream> stream, HttpShared& shared,
                               std::shared_ptr<const OriginPolicy> policy, int hops, Forget forget)
    : stream_(std::move(stream)),
      shared_(shared),
      policy_(std::move(policy)),
      forget_(std::move(forget)),
      intake_(shared.router, shared.options, shared.entropy, hops) {
  phase_since_ = progress_at_ = stalled_since_ = now();
  stream_->count_to(shared_.budget, {});
  shared_.gauges.connections.fetch_add(1);
}

HttpConnection::~HttpConnection() {
  if (body_ != nullptr) body_->lost();
  PARLEY_ASSERT(!pumping_, label() + ": destroyed while it works on a request");
  if (exchange_ != nullptr) shared_.gauges.leave_request();
  if (stream_ != nullptr) {
    stream_->scheduler().cancel(timer_);
    shared_.gauges.leave_connection();
  }
}

std::string HttpConnection::label() const {
  return "connection of " + (stream_ ? stream_->peer() : std::string("(gone)")) + ", request " +
         std::to_string(last_serial_);
}

void HttpConnection::start() {
  stream_->set_handler(this);
  arm();
}

void HttpConnection::refuse_all() {
  stream_->set_handler(this);
  shared_.tally.rejected("max_connections");
  AnswerContext context;
  context.keep_alive = false;
  context.request_id = request_id_of({}, shared_.entropy);
  Response response =
      refusal(503, "The server has reached its limit of connections. Try again later.");
  response.headers.add("Retry-After", std::string(kRetryAfterSeconds));
  write_counted(render_head(response, context, BodyFraming::sized, date()));
  write_counted(response.body);
  begin_close();
}

void HttpConnection::drain() {
  if (stream_ == nullptr || closing_) return;
  if (body_ != nullptr && body_->is_event_stream()) {
    body_->lost();
    end_body();
  }
  if (exchange_ != nullptr) send_delayed(exchange_->serial);
  const bool at_rest = stream_ != nullptr && exchange_ == nullptr && incoming_.empty() &&
                       intake_.state() == HttpParser::State::idle;
  if (at_rest && !closing_) begin_close();
}

void HttpConnection::cut() {
  const auto self = shared_from_this();
  lose();
}

void HttpConnection::on_data(Stream& /*stream*/, char* data, std::size_t size) {
  const auto self = shared_from_this();
  shared_.tally.received(size);
  if (closing_ || last_) return;
  progress_at_ = now();
  const std::string_view bytes(data, size);
  if (!unread_.empty()) {
    unread_.append(bytes);
    return resume();
  }
  const std::size_t used = consume(bytes);
  if (stream_ == nullptr) return;
  if (!closing_ && !last_) unread_ = bytes.substr(used);
  settle();
}

void HttpConnection::on_end(Stream& /*stream*/) {
  const auto self = shared_from_this();
  peer_ended_ = true;
  if (closing_) return;
  if (body_ != nullptr) {
    // A reader of an event stream keeps its sending direction open; a client that closes it has
    // left.
    std::exchange(body_, nullptr)->lost();
    complete(kClientClosed);
    return;
  }
  if (exchange_ != nullptr) {
    // The client may have left, or only read from now on: a waiting handler may give up.
    if (exchange_->on_disconnect)
      stream_->scheduler().post(std::exchange(exchange_->on_disconnect, nullptr));
    return;
  }
  if (incoming_.empty() && unread_.empty()) begin_close();
}

// The peer has taken its answers: resumes reading and handling.
void HttpConnection::on_drained(Stream& /*stream*/) {
  const auto self = shared_from_this();
  if (closing_) return;
  restart_clocks(now());
  resume();
}

void HttpConnection::on_closed(Stream& /*stream*/) {
  const auto self = shared_from_this();
  lose();
}

// Parses as many bytes as are allowed now and handles the requests. Returns the number of bytes
// consumed.
std::size_t HttpConnection::consume(std::string_view bytes) {
  const std::size_t size = bytes.size();
  while (!bytes.empty() && may_parse()) {
    const std::size_t taken = intake_.feed(bytes, *stream_, *policy_);
    PARLEY_ASSERT(taken > 0 && taken <= bytes.size(), label() + ": " + std::to_string(taken) +
                                                          " of " + std::to_string(bytes.size()) +
                                                          " bytes are read");
    bytes.remove_prefix(taken);
    take_parsed();
    rest_ = bytes;
    pump();
    rest_ = {};
    if (stream_ == nullptr) break;
  }
  return size - bytes.size();
}

// True while the peer does not take its answers: its requests are neither read nor handled.
bool HttpConnection::clogged() const { return stream_->queued() > Stream::kHighWatermark; }

bool HttpConnection::may_parse() const {
  if (closing_ || last_ || hold_ || had_turn_ || clogged()) return false;
  if (incoming_.size() >= std::max<std::size_t>(shared_.options.max_pipelined, 1)) return false;
  const bool busy = exchange_ != nullptr || !incoming_.empty();
  return !busy || held() <= kReadAheadBytes;
}

std::size_t HttpConnection::held() const {
  std::size_t bytes = intake_.held();
  for (const Incoming& one : incoming_) bytes += one.bytes();
  return bytes;
}

void HttpConnection::take_parsed() {
  if (intake_.state() != phase_) {
    phase_ = intake_.state();
    restart_clocks(progress_at_);
  }
  std::optional<Incoming> next = intake_.take();
  if (!next) return;
  PARLEY_ASSERT(!last_ && !hold_,
                label() + ": a request is read behind the last, or behind an upgrade");
  last_ = next->last;
  hold_ = next->upgrade;
  continued_ = false;
  phase_ = HttpParser::State::idle;
  phase_since_ = progress_at_;
  incoming_.push_back(std::move(*next));
}

// Continues with bytes that arrived before.
void HttpConnection::resume() {
  std::string bytes = std::exchange(unread_, std::string());
  rest_ = bytes;
  pump();
  rest_ = {};
  if (stream_ == nullptr) return;
  const std::size_t used = consume(bytes);
  if (stream_ == nullptr) return;
  if (!closing_ && !last_) unread_ = used == 0 ? std::move(bytes) : bytes.substr(used);
  settle();
}

void HttpConnection::pump() {
  if (pumping_) return;
  pumping_ = true;
  while (stream_ != nullptr && !closing_ && exchange_ == nullptr && !incoming_.empty() &&
         !clogged() && !had_turn_) {
    Incoming next = std::move(incoming_.front());
    incoming_.erase(incoming_.begin());
    const auto done = core::contain("request", [&] { work_on(std::move(next)); });
    if (!done && stream_ != nullptr) cut_soon();
  }
  pumping_ = false;
}

// A client may send thousands of requests at once; other connections are served in between.
void HttpConnection::count_turn() {
  if (++handled_ < kRequestsPerTurn) return;
  had_turn_ = true;
  stream_->scheduler().post(core::unless_gone(weak_from_this(), [](HttpConnection& self) {
    self.handled_ = 0;
    self.had_turn_ = false;
    if (self.stream_ != nullptr && !self.closing_) self.resume();
  }));
}

void HttpConnection::work_on(Incoming incoming) {
  count_turn();
  PARLEY_ASSERT(exchange_ == nullptr && body_ == nullptr && !closing_,
                label() + ": the next one begins before it is answered, or after the end");
  exchange_ = std::make_unique<Exchange>();
  exchange_->serial = ++last_serial_;
  exchange_->started = now();
  exchange_->written_before = written_;
  shared_.gauges.in_flight.fetch_add(1);
  Request& request = incoming.request;
  GateResult& gate = incoming.gate;
  AnswerContext& context = exchange_->context;
  context.http_1_1 = incoming.http_1_1;
  context.keep_alive = incoming.keep_alive;
  context.head_only = request.method == "HEAD";
  context.takes_gzip = accepts_coding(request.headers, "gzip");
  context.has_origin = request.headers.has("Origin");
  context.request_id = request.id;
  // Not for names of this computer, which other servers without TLS may share.
  if (!incoming.account.empty()) stream_->count_to(shared_.budget, incoming.account);
  const auto host = HostPort::parse(request.headers.get("Host"));
  context.strict_transport = request.secure && !(host && core::is_loopback_name(host->host));
  if (gate.origin_allowed) context.allowed_origin = request.headers.get("Origin");
  exchange_->method = request.method;
  exchange_->path = request.path;
  exchange_->route = gate.match.pattern;
  if (!gate.rejected.empty()) shared_.tally.rejected(gate.rejected);
  if (gate.answer) {
    send(std::move(*gate.answer));
  } else if (gate.upgrade) {
    upgrade(gate.match, std::move(request));
  } else {
    run_handler(gate.match, std::move(request));
  }
}

void HttpConnection::run_handler(const Router::Match& match, Request request) {
  // An exception destroys the Responder, which answers 500.
  static_cast<void>(core::contain(match.pattern, [&] {
    (*match.handler)(std::move(request),
                     make_responder(weak_from_this(), exchange_->serial, stream_->scheduler()));
  }));
}

void HttpConnection::upgrade(const Router::Match& match, Request request) {
  if (shared_.draining.load()) return send(refusal(503, "The server is shutting down."));
  const auto handshake = answer_handshake(request, *match.websocket_options);
  if (!handshake) {
    shared_.tally.rejected("bad_handshake");
    return send(handshake.error());
  }
  tl::expected<AcceptedWebSocket, Response> accepted;
  static_cast<void>(core::contain(match.pattern, [&] { accepted = (*match.acceptor)(request); }));
  if (!accepted) return send(std::move(accepted.error()));
  if (accepted->handler == nullptr && !accepted->take_over) {
    return send(refusal(500, "The server could not open this WebSocket."));
  }
  PARLEY_ASSERT(!exchange_->head_sent && incoming_.empty(),
                label() + ": becomes a WebSocket after its answer, or with " +
                    std::to_string(incoming_.size()) + " requests behind it");
  if (accepted->take_over) {
    const std::string already_read(rest_);
    std::unique_ptr<Stream> stream = give_up_stream();
    stream->set_handler(nullptr);
    stream->pause_reading(true);
    return accepted->take_over(std::move(stream), already_read);
  }
  write_counted(handshake->head("X-Request-Id: " + request.id + "\r\n"));
  WebSocketParams params;
  params.max_message_bytes = match.websocket_options->max_message_bytes;
  params.max_open_message_bytes = match.websocket_options->max_open_message_bytes;
  params.account = std::move(accepted->account);
  params.deflate = handshake->deflate;
  params.subprotocol = handshake->subprotocol;
  const std::string already_read(rest_);
  WebSocketService& websockets = shared_.websockets;
  websockets.adopt(give_up_stream(), std::move(accepted->handler), params, already_read);
}

// The stream, which is that of a WebSocket from now on; this connection is gone.
std::unique_ptr<Stream> HttpConnection::give_up_stream() {
  end_exchange(101);
  shared_.gauges.leave_connection();
  stream_->scheduler().cancel(std::exchange(timer_, 0));
  if (std::exchange(paused_, false)) stream_->pause_reading(false);
  std::unique_ptr<Stream> stream = std::move(stream_);
  forget_(*this);
  return stream;
}

void HttpConnection::answer(std::uint64_t serial, Response response) {
  const bool known = stream_ != nullptr && !closing_ && exchange_ != nullptr &&
                     exchange_->serial == serial && !exchange_->head_sent;
  if (known && !core::contain("answer", [&] { send(std::move(response)); }) && stream_) cut_soon();
}

void HttpConnection::send_delayed(std::uint64_t serial) {
  if (exchange_ == nullptr || exchange_->serial != serial || !exchange_->delayed) return;
  answer(serial, *std::exchange(exchange_->delayed, std::nullopt));
}

void HttpConnection::send(Response response) {
  PARLEY_ASSERT(exchange_ != nullptr && !exchange_->head_sent && !exchange_->delayed,
                label() + ": answered twice, with " + std::to_string(response.status));
  if (response.delay > core::Millis(0) && !shared_.draining.load()) {
    const core::Millis delay = std::exchange(response.delay, core::Millis(0));
    exchange_->delayed = std::move(response);
    auto later = [serial = exchange_->serial](HttpConnection& self) { self.send_delayed(serial); };
    stream_->scheduler().after(delay, core::unless_gone(weak_from_this(), later));
    return;
  }
  AnswerContext& context = exchange_->context;
  if (shared_.draining.load() || response.headers.lists("Connection", "close")) {
    context.keep_alive = false;
  }
  if (is_bodyless(response.status)) {
    response.body.clear();
    response.shared_body = {};
  }
  compress_if_worthwhile(response, context);
  exchange_->head_sent = true;
  const int status = response.status;
  write_counted(render_head(response, context, BodyFraming::sized, date()));
  if (!context.head_only) {
    count_written(response.content().size());
    if (response.shared_body.empty()) {
      stream_->write_own(std::move(response.body));
    } else {
      stream_->write_shared(response.shared_body);
    }
  }
  complete(status);
}

std::shared_ptr<BodyWriter> HttpConnection::start_body(std::uint64_t serial, Response head,
                                                       core::Scheduler& scheduler) {
  const bool known = stream_ != nullptr && !closing_ && exchange_ != nullptr &&
                     exchange_->serial == serial && !exchange_->head_sent;
  if (!known) return std::make_shared<HttpBody>(nullptr, scheduler, false);
  PARLEY_ASSERT(body_ == nullptr && !exchange_->delayed,
                label() + ": answered twice, with " + std::to_string(head.status));
  AnswerContext& context = exchange_->context;
  const bool no_body = context.head_only || is_bodyless(head.status);
  const bool events = head.headers.get("Content-Type").starts_with("text/event-stream");
  BodyFraming framing = context.http_1_1 ? BodyFraming::chunked : BodyFraming::until_end;
  if (is_bodyless(head.status)) framing = BodyFraming::sized;
  if (shared_.draining.load() || framing == BodyFraming::until_end) context.keep_alive = false;
  exchange_->head_sent = true;
  exchange_->status = head.status;
  write_counted(render_head(head, context, framing, date()));
  auto body = std::make_shared<HttpBody>(no_body ? nullptr : this, scheduler, events);
  if (no_body) {
    complete(head.status);
  } else {
    body_ = body.get();
    body->write(head.body);
    arm();
  }
  return body;
}

void HttpConnection::set_on_disconnect(std::uint64_t serial, core::Task task) {
  if (stream_ == nullptr || exchange_ == nullptr || exchange_->serial != serial) return;
  if (peer_ended_) {
    stream_->scheduler().post(std::move(task));
  } else {
    exchange_->on_disconnect = std::move(task);
  }
}

void HttpConnection::write_body(std::string_view bytes) {
  PARLEY_ASSERT(body_ != nullptr && exchange_ != nullptr && exchange_->head_sent && !closing_,
                label() + ": " + std::to_string(bytes.size()) +
                    " bytes of a body are written before its head or behind its end");
  if (!send_limit_.admit(written_, stream_->queued(), bytes.size(),
                         shared_.options.max_queue_bytes)) {
    shared_.tally.rejected("slow_reader");
    std::exchange(body_, nullptr)->lost();
    cut_soon();
    return;
  }
  if (exchange_->context.http_1_1) write_counted(chunk_line(bytes.size()));
  write_counted(bytes);
  if (exchange_->context.http_1_1) write_counted("\r\n");
  arm();
}

void HttpConnection::end_body() {
  PARLEY_ASSERT(body_ != nullptr && exchange_ != nullptr && exchange_->head_sent && !closing_,
                label() + ": a body ends before its head, or twice");
  body_ = nullptr;
  if (exchange_->context.http_1_1) write_counted("0\r\n\r\n");
  complete(exchange_->status);
}

void HttpConnection::abandon_body() {
  PARLEY_ASSERT(body_ != nullptr && exchange_ != nullptr,
                label() + ": a body is dropped behind its end");
  body_ = nullptr;
  shared_.tally.rejected("abandoned_body");
  cut_soon();
}

std::size_t HttpConnection::queued() const { return stream_ == nullptr ? 0 : stream_->queued(); }

void HttpConnection::write_counted(std::string_view bytes) {
  count_written(bytes.size());
  stream_->write(bytes);
}

void HttpConnection::count_written(std::size_t bytes) {
  if (stream_->queued() == 0) {
    stalled_since_ = now();
    taken_mark_ = written_;
  }
  written_ += bytes;
  shared_.tally.sent(bytes);
}

// Called when the answer is written: closes the connection or continues with the next request.
void HttpConnection::complete(int status) {
  PARLEY_ASSERT(exchange_ != nullptr && exchange_->head_sent && body_ == nullptr,
                label() + ": complete with " + std::to_string(status) +
                    " before its head, before the end of its body, or twice");
  const bool keep_alive =
      exchange_->context.keep_alive && status != kClientClosed && !shared_.draining.load();
  end_exchange(status);
  // Only the last request read can be the upgrade.
  hold_ = !incoming_.empty() && incoming_.back().upgrade;
  restart_clocks(now());
  if (!keep_alive) {
    begin_close();
  } else if (!pumping_) {
    if (incoming_.empty() && unread_.empty()) {
      settle();
    } else {
      stream_->scheduler().post(core::unless_gone(weak_from_this(), [](HttpConnection& self) {
        if (self.stream_ != nullptr) self.resume();
      }));
    }
  }
}

// Counts and logs the request in progress, and ends it.
void HttpConnection::end_exchange(int status) {
  PARLEY_ASSERT(exchange_ != nullptr && exchange_->serial == last_serial_,
                label() + ": ended twice, with " + std::to_string(status));
  shared_.tally.request(exchange_->route, exchange_->method, status);
  log(status);
  exchange_.reset();
  shared_.gauges.leave_request();
}

void HttpConnection::begin_close() {
  PARLEY_ASSERT(!closing_ && exchange_ == nullptr && body_ == nullptr,
                label() + ": closed twice, or before it is answered");
  closing_ = true;
  release_input();
  stream_->scheduler().cancel(std::exchange(timer_, 0));
  if (std::exchange(paused_, false)) stream_->pause_reading(false);
  stream_->finish();
}

// Frees what was received and will not be read: the connection may stay for a while.
void HttpConnection::release_input() {
  std::vector<Incoming>().swap(incoming_);
  std::string().swap(unread_);
  intake_.drop();
  share_.hold(0);
}

void HttpConnection::cut_soon() {
  last_ = true;
  stream_->scheduler().post(
      core::unless_gone(weak_from_this(), [](HttpConnection& self) { self.lose(); }));
}

// Called when the connection is lost: notifies body and handler, drops the stream and calls
// `forget`.
void HttpConnection::lose() {
  if (stream_ == nullptr) return;
  if (body_ != nullptr) std::exchange(body_, nullptr)->lost();
  if (exchange_ != nullptr) {
    if (exchange_->on_disconnect)
      stream_->scheduler().post(std::exchange(exchange_->on_disconnect, nullptr));
    end_exchange(kClientClosed);
  }
  release_input();
  stream_->scheduler().cancel(std::exchange(timer_, 0));
  shared_.gauges.leave_connection();
  stream_.reset();
  forget_(*this);
}

// Updates, after each change of state, whether reading is paused, "100 Continue" and the timer.
void HttpConnection::settle() {
  if (stream_ == nullptr || closing_) return;
  if (!hold_budget()) return refuse_for_room();
  const bool at_rest = exchange_ == nullptr && incoming_.empty();
  if (peer_ended_ && at_rest && unread_.empty()) return begin_close();
  if (const bool full = !unread_.empty(); full != paused_) {
    paused_ = full;
    stream_->pause_reading(full);
  }
  if (at_rest && !continued_ && intake_.expects_continue()) {
    continued_ = true;
    write_counted("HTTP/1.1 100 Continue\r\n\r\n");
  }
  arm();
}

// Counts the bytes held of requests that are not in progress; false if the budget is exhausted.
bool HttpConnection::hold_budget() {
  const std::size_t bytes = held() + (unread_.empty() ? 0 : unread_.capacity());
  if (bytes == 0 && share_.held() == 0) return true;
  share_.use(shared_.budget, intake_.account(), stream_->peer());
  return share_.hold(bytes);
}

void HttpConnection::refuse_for_room() {
  std::string().swap(unread_);
  last_ = true;
  // The requests that wait are dropped with what was read of the next one: the answer is the last.
  std::vector<Incoming>().swap(incoming_);
  incoming_.push_back(intake_.fail(
      503, "assembly_full",
      "The server has reached its limit of bytes of unfinished requests. Try again later."));
  incoming_.back().gate.answer->headers.set("Retry-After", std::string(kRetryAfterSeconds));
  pump();
  if (stream_ != nullptr && !closing_) arm();
}

core::MonoTime HttpConnection::now() const { return stream_->scheduler().clock().mono(); }

std::string_view HttpConnection::date() {
  return shared_.date.at(stream_->scheduler().clock().wall());
}

// Logs neither the query nor a field, because a token may be in them.
void HttpConnection::log(int status) const {
  if (!shared_.options.log_requests) return;
  const auto took = std::chrono::duration<double, std::milli>(now() - exchange_->started).count();
  spdlog::info("request {} {} {} {} -> {} {} B {:.1f} ms", exchange_->context.request_id,
               stream_->peer(), exchange_->method.empty() ? "-" : exchange_->method,
               logged_path(shared_.router, exchange_->path, exchange_->route), status,
               written_ - exchange_->written_before, took);
}

}  // namespace parley::net
