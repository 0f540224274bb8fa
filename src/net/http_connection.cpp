// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http_connection.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/id.h"
#include "net/compression.h"
#include "net/http_body.h"
#include "net/http_responder.h"
#include "net/http_text.h"
#include "net/websocket_handshake.h"

namespace parley::net {
namespace {

constexpr std::size_t kRequestIdBytes = 8;
// A body from here on is handed to the stream instead of being copied.
constexpr std::size_t kSharedBodyBytes = 16U << 10U;
constexpr int kClientClosed = 499;

HttpParserLimits parser_limits(const ServerOptions& options) {
  HttpParserLimits limits;
  limits.max_target_bytes = options.max_target_bytes;
  limits.max_header_bytes = options.max_header_bytes;
  limits.max_body_bytes = options.max_body_bytes;
  return limits;
}

std::string_view failure_reason(int status) {
  switch (status) {
    case 408:
      return "timeout";
    case 413:
      return "body_too_large";
    case 414:
      return "target_too_long";
    case 431:
      return "header_too_large";
    case 501:
      return "unknown_coding";
    case 505:
      return "unknown_version";
    default:
      return "malformed";
  }
}

}  // namespace

struct HttpConnection::Exchange {
  AnswerContext context;
  std::uint64_t serial = 0;
  std::string method;
  std::string path;
  std::string_view route;
  core::MonoTime started;
  std::uint64_t written_before = 0;
  core::Task on_gone;
  int status = 0;  // of a streamed answer
  bool head_sent = false;
};

HttpConnection::HttpConnection(std::unique_ptr<Stream> stream, HttpShared& shared,
                               std::shared_ptr<const OriginPolicy> policy, Forget forget)
    : stream_(std::move(stream)),
      shared_(shared),
      policy_(std::move(policy)),
      forget_(std::move(forget)),
      parser_(parser_limits(shared.options)) {
  phase_since_ = progress_at_ = stalled_since_ = now();
  shared_.gauges.connections.fetch_add(1);
}

HttpConnection::~HttpConnection() {
  if (body_ != nullptr) body_->lost();
  if (exchange_ != nullptr) shared_.gauges.in_flight.fetch_sub(1);
  if (stream_ != nullptr) {
    stream_->scheduler().cancel(timer_);
    shared_.gauges.connections.fetch_sub(1);
  }
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
  context.request_id = core::random_hex(shared_.entropy, kRequestIdBytes);
  Response response = refusal(503, "The server has as many connections as it can take; try again.");
  response.headers.add("Retry-After", "5");
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
  const bool at_rest =
      exchange_ == nullptr && incoming_.empty() && parser_.state() == HttpParser::State::idle;
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
  if (unread_.empty()) {
    consume(bytes);
  } else {
    std::string all = std::exchange(unread_, std::string());
    all.append(bytes);
    consume(all);
  }
}

void HttpConnection::on_end(Stream& /*stream*/) {
  const auto self = shared_from_this();
  peer_ended_ = true;
  if (closing_) return;
  if (body_ != nullptr) {
    // Whoever reads a stream of events keeps its own side open; this one has left.
    std::exchange(body_, nullptr)->lost();
    complete(kClientClosed);
    return;
  }
  if (exchange_ != nullptr) {
    // It may still read the answer, but nobody can tell: whoever waits long is told.
    if (exchange_->on_gone) stream_->scheduler().post(std::exchange(exchange_->on_gone, nullptr));
    return;
  }
  if (incoming_.empty()) begin_close();
}

void HttpConnection::on_closed(Stream& /*stream*/) {
  const auto self = shared_from_this();
  lose();
}

// Parses what there is, as far as it may be parsed now, and works on it.
void HttpConnection::consume(std::string_view bytes) {
  while (!bytes.empty() && may_parse()) {
    bytes.remove_prefix(parser_.feed(bytes));
    take_parsed();
    rest_ = bytes;
    pump();
    rest_ = {};
    if (stream_ == nullptr) return;
  }
  if (closing_ || last_) bytes = {};
  unread_ = std::string(bytes);
  settle();
}

bool HttpConnection::may_parse() const {
  if (closing_ || last_ || hold_) return false;
  if (incoming_.size() >= std::max<std::size_t>(shared_.options.max_pipelined, 1)) return false;
  const bool busy = exchange_ != nullptr || !incoming_.empty();
  return !busy || parser_.buffered() <= kReadAheadBytes;
}

void HttpConnection::take_parsed() {
  if (parser_.state() != phase_) {
    phase_ = parser_.state();
    phase_since_ = progress_at_;
  }
  Incoming next;
  if (parser_.state() == HttpParser::State::failed) {
    next.parsed.method = parser_.partial().method;
    next.parsed.http_1_1 = parser_.partial().http_1_1;
    next.failed_status = parser_.status();
    next.reason = parser_.reason();
    last_ = true;
  } else if (parser_.state() == HttpParser::State::complete) {
    next.parsed = parser_.take();
    last_ = !next.parsed.keep_alive && !asks_for_websocket(next.parsed.headers);
    hold_ = asks_for_websocket(next.parsed.headers);
    continued_ = false;
  } else {
    return;
  }
  phase_ = HttpParser::State::idle;
  phase_since_ = progress_at_;
  incoming_.push_back(std::move(next));
}

// Goes on after an answer that was not given at once.
void HttpConnection::resume() {
  const std::string bytes = std::exchange(unread_, std::string());
  rest_ = bytes;
  pump();
  rest_ = {};
  if (stream_ != nullptr) consume(bytes);
}

void HttpConnection::pump() {
  if (pumping_) return;
  pumping_ = true;
  while (stream_ != nullptr && !closing_ && exchange_ == nullptr && !incoming_.empty()) {
    Incoming next = std::move(incoming_.front());
    incoming_.erase(incoming_.begin());
    work_on(std::move(next));
  }
  pumping_ = false;
}

void HttpConnection::work_on(Incoming incoming) {
  exchange_ = std::make_unique<Exchange>();
  exchange_->serial = ++last_serial_;
  exchange_->started = now();
  exchange_->written_before = written_;
  shared_.gauges.in_flight.fetch_add(1);
  AnswerContext& context = exchange_->context;
  context.http_1_1 = incoming.parsed.http_1_1;
  context.keep_alive = incoming.parsed.keep_alive && incoming.failed_status == 0;
  context.head_only = incoming.parsed.method == "HEAD";
  context.takes_gzip = accepts_coding(incoming.parsed.headers, "gzip");
  context.has_origin = incoming.parsed.headers.has("Origin");
  const std::string_view given_id = incoming.parsed.headers.get("X-Request-Id");
  context.request_id = core::is_safe_id(given_id)
                           ? std::string(given_id)
                           : core::random_hex(shared_.entropy, kRequestIdBytes);
  exchange_->method = incoming.parsed.method;
  if (incoming.failed_status != 0) {
    shared_.tally.rejected(failure_reason(incoming.failed_status));
    send(refusal(incoming.failed_status, std::move(incoming.reason)));
    return;
  }
  Request request;
  request.id = context.request_id;
  request.peer = stream_->peer();
  request.secure = stream_->secure();
  if (!read_request(std::move(incoming.parsed), request)) {
    shared_.tally.rejected("malformed");
    send(refusal(400, "The request target is malformed."));
    return;
  }
  exchange_->path = request.path;
  GateResult gate = pass_gate(request, shared_.router, *policy_);
  if (!gate.rejected.empty()) shared_.tally.rejected(gate.rejected);
  if (gate.origin_allowed) context.allowed_origin = request.headers.get("Origin");
  exchange_->route = gate.match.pattern;
  request.path_params = std::move(gate.match.params);
  if (gate.answer) {
    send(std::move(*gate.answer));
  } else if (gate.upgrade) {
    upgrade(gate.match, std::move(request));
  } else {
    run_handler(gate.match, std::move(request));
  }
}

void HttpConnection::run_handler(const Router::Match& match, Request request) {
  const std::string id = request.id;
  try {
    (*match.handler)(std::move(request),
                     make_responder(weak_from_this(), exchange_->serial, stream_->scheduler()));
  } catch (const std::exception& error) {
    // The Responder went with the exception and has answered 500.
    spdlog::error("request {}: a handler failed: {}", id, error.what());
  }
}

void HttpConnection::upgrade(const Router::Match& match, Request request) {
  if (shared_.draining.load()) return send(refusal(503, "The server is shutting down."));
  const auto handshake = answer_handshake(request, *match.websocket_options);
  if (!handshake) {
    shared_.tally.rejected("bad_handshake");
    return send(handshake.error());
  }
  tl::expected<std::unique_ptr<WebSocketHandler>, Response> accepted = nullptr;
  try {
    accepted = (*match.acceptor)(request);
  } catch (const std::exception& error) {
    spdlog::error("request {}: an acceptor failed: {}", request.id, error.what());
    return send(refusal(500, "The server could not open this WebSocket."));
  }
  if (!accepted) return send(std::move(accepted.error()));
  if (*accepted == nullptr) return send(refusal(500, "The server could not open this WebSocket."));
  write_counted(handshake->head("X-Request-Id: " + request.id + "\r\n"));
  WebSocketParams params;
  params.max_message_bytes = match.websocket_options->max_message_bytes;
  params.deflate = handshake->deflate;
  params.subprotocol = handshake->subprotocol;
  shared_.tally.request(exchange_->route, exchange_->method, 101);
  log(101);
  exchange_.reset();
  shared_.gauges.in_flight.fetch_sub(1);
  shared_.gauges.connections.fetch_sub(1);
  stream_->scheduler().cancel(std::exchange(timer_, 0));
  std::unique_ptr<Stream> stream = std::move(stream_);
  const std::string already_read(rest_);
  WebSocketService& websockets = shared_.websockets;
  forget_(*this);
  websockets.adopt(std::move(stream), std::move(*accepted), params, already_read);
}

void HttpConnection::answer(std::uint64_t serial, Response response) {
  const bool known = stream_ != nullptr && !closing_ && exchange_ != nullptr &&
                     exchange_->serial == serial && !exchange_->head_sent;
  if (known) send(std::move(response));
}

void HttpConnection::send(Response response) {
  AnswerContext& context = exchange_->context;
  if (shared_.draining.load() || response.headers.lists("Connection", "close")) {
    context.keep_alive = false;
  }
  if (is_bodyless(response.status)) response.body.clear();
  compress_if_worthwhile(response, context);
  exchange_->head_sent = true;
  const int status = response.status;
  write_counted(render_head(response, context, BodyFraming::sized, date()));
  if (!context.head_only && response.body.size() >= kSharedBodyBytes) {
    written_ += response.body.size();
    shared_.tally.sent(response.body.size());
    stream_->write_shared(std::make_shared<const std::string>(std::move(response.body)));
  } else if (!context.head_only) {
    write_counted(response.body);
  }
  complete(status);
}

std::shared_ptr<BodyWriter> HttpConnection::start_body(std::uint64_t serial, Response head,
                                                       core::Scheduler& scheduler) {
  const bool known = stream_ != nullptr && !closing_ && exchange_ != nullptr &&
                     exchange_->serial == serial && !exchange_->head_sent;
  if (!known) return std::make_shared<HttpBody>(nullptr, scheduler, false);
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

void HttpConnection::set_on_gone(std::uint64_t serial, core::Task task) {
  if (stream_ == nullptr || exchange_ == nullptr || exchange_->serial != serial) return;
  if (peer_ended_) {
    stream_->scheduler().post(std::move(task));
  } else {
    exchange_->on_gone = std::move(task);
  }
}

void HttpConnection::write_body(std::string_view bytes) {
  const std::size_t waiting = stream_->queued();
  if (waiting > 0 && waiting + bytes.size() > shared_.options.max_queue_bytes) {
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
  body_ = nullptr;
  if (exchange_->context.http_1_1) write_counted("0\r\n\r\n");
  complete(exchange_->status);
}

void HttpConnection::abandon_body() {
  body_ = nullptr;
  shared_.tally.rejected("abandoned_body");
  cut_soon();
}

std::size_t HttpConnection::queued() const { return stream_ == nullptr ? 0 : stream_->queued(); }

void HttpConnection::write_counted(std::string_view bytes) {
  if (stream_->queued() == 0) {
    stalled_since_ = now();
    taken_mark_ = written_;
  }
  written_ += bytes.size();
  shared_.tally.sent(bytes.size());
  stream_->write(bytes);
}

// The answer is written; what is next?
void HttpConnection::complete(int status) {
  shared_.tally.request(exchange_->route, exchange_->method, status);
  log(status);
  const bool keep_alive =
      exchange_->context.keep_alive && status != kClientClosed && !shared_.draining.load();
  exchange_.reset();
  shared_.gauges.in_flight.fetch_sub(1);
  hold_ = false;
  phase_since_ = progress_at_ = now();
  if (!keep_alive) {
    begin_close();
  } else if (!pumping_) {
    if (incoming_.empty() && unread_.empty()) {
      settle();
    } else {
      stream_->scheduler().post([weak = weak_from_this()] {
        if (const auto self = weak.lock(); self && self->stream_ != nullptr) self->resume();
      });
    }
  }
}

void HttpConnection::begin_close() {
  closing_ = true;
  incoming_.clear();
  unread_.clear();
  stream_->scheduler().cancel(std::exchange(timer_, 0));
  if (std::exchange(paused_, false)) stream_->pause_reading(false);
  stream_->finish();
}

void HttpConnection::cut_soon() {
  last_ = true;
  stream_->scheduler().post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->lose();
  });
}

// The connection is gone: tells everybody, drops the stream and leaves its owner.
void HttpConnection::lose() {
  if (stream_ == nullptr) return;
  if (body_ != nullptr) std::exchange(body_, nullptr)->lost();
  if (exchange_ != nullptr) {
    if (exchange_->on_gone) stream_->scheduler().post(std::exchange(exchange_->on_gone, nullptr));
    shared_.tally.request(exchange_->route, exchange_->method, kClientClosed);
    log(kClientClosed);
    exchange_.reset();
    shared_.gauges.in_flight.fetch_sub(1);
  }
  incoming_.clear();
  unread_.clear();
  stream_->scheduler().cancel(std::exchange(timer_, 0));
  shared_.gauges.connections.fetch_sub(1);
  stream_.reset();
  forget_(*this);
}

// Brings reading, leave to send a body, and the timer in line with where the connection stands.
void HttpConnection::settle() {
  if (stream_ == nullptr || closing_) return;
  const bool at_rest = exchange_ == nullptr && incoming_.empty();
  if (peer_ended_ && at_rest && unread_.empty()) return begin_close();
  if (const bool full = !unread_.empty(); full != paused_) {
    paused_ = full;
    stream_->pause_reading(full);
  }
  if (at_rest && !continued_ && parser_.expects_continue()) {
    continued_ = true;
    write_counted("HTTP/1.1 100 Continue\r\n\r\n");
  }
  arm();
}

core::MonoTime HttpConnection::now() const { return stream_->scheduler().clock().mono(); }

std::string_view HttpConnection::date() {
  const core::WallTime at = stream_->scheduler().clock().wall();
  const std::int64_t second = core::to_unix_s(at);
  if (shared_.date.empty() || second != shared_.date_second) {
    shared_.date = http_date(at);
    shared_.date_second = second;
  }
  return shared_.date;
}

// Never the query and never a field: a token may be in them.
void HttpConnection::log(int status) const {
  if (!shared_.options.log_requests) return;
  const auto took = std::chrono::duration<double, std::milli>(now() - exchange_->started).count();
  spdlog::info("request {} {} {} {} -> {} {} B {:.1f} ms", exchange_->context.request_id,
               stream_->peer(), exchange_->method.empty() ? "-" : exchange_->method,
               exchange_->path.empty() ? "-" : exchange_->path, status,
               written_ - exchange_->written_before, took);
}

std::optional<core::MonoTime> HttpConnection::deadline() const {
  if (closing_) return std::nullopt;
  const ServerOptions& options = shared_.options;
  std::optional<core::MonoTime> earliest;
  const auto consider = [&](core::MonoTime at) {
    if (!earliest || at < *earliest) earliest = at;
  };
  if (stream_->queued() > 0) consider(stalled_since_ + options.body_timeout);
  if (exchange_ != nullptr || !incoming_.empty()) return earliest;
  switch (parser_.state()) {
    case HttpParser::State::idle:
      if (!earliest) consider(phase_since_ + options.idle_timeout);
      break;
    case HttpParser::State::head:
      consider(phase_since_ + options.header_timeout);
      break;
    case HttpParser::State::body: {
      const std::chrono::seconds earned(parser_.buffered() / kMinBodyBytesPerSecond);
      consider(progress_at_ + options.body_timeout);
      consider(phase_since_ + options.body_timeout + earned);
      break;
    }
    case HttpParser::State::complete:
    case HttpParser::State::failed:
      break;
  }
  return earliest;
}

// One timer serves all waits: it is moved only when it would come too late.
void HttpConnection::arm() {
  if (stream_ == nullptr || closing_) return;
  const auto at = deadline();
  if (!at || (timer_ != 0 && timer_at_ <= *at)) return;
  core::Scheduler& scheduler = stream_->scheduler();
  scheduler.cancel(timer_);
  timer_at_ = *at;
  timer_ = scheduler.after(std::chrono::ceil<core::Millis>(*at - now()), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_timer();
  });
}

void HttpConnection::on_timer() {
  timer_ = 0;
  if (stream_ == nullptr || closing_) return;
  const std::uint64_t taken = written_ - std::min<std::uint64_t>(written_, stream_->queued());
  if (stream_->queued() == 0 || taken != taken_mark_) {
    taken_mark_ = taken;
    stalled_since_ = now();
  } else if (stalled_since_ + shared_.options.body_timeout <= now()) {
    shared_.tally.rejected("stalled_reader");
    return lose();
  }
  if (const auto at = deadline(); at && *at <= now()) return time_out();
  arm();
}

// The client took too long to send. Between requests that is no fault.
void HttpConnection::time_out() {
  if (parser_.state() == HttpParser::State::idle) return begin_close();
  Incoming late;
  late.parsed.method = parser_.partial().method;
  late.parsed.http_1_1 = parser_.partial().http_1_1;
  late.failed_status = 408;
  late.reason = parser_.state() == HttpParser::State::head
                    ? "The request's head did not arrive in time."
                    : "The request's body did not arrive in time.";
  last_ = true;
  incoming_.push_back(std::move(late));
  pump();
}

}  // namespace parley::net
