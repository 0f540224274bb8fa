// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/server/http_intake.h"

#include <algorithm>
#include <utility>

#include "base/core/assert.h"
#include "base/core/contain.h"
#include "base/core/id.h"

namespace parley::net {
namespace {

constexpr std::size_t kRequestIdBytes = 8;

HttpParserLimits parser_limits(const ServerOptions& options) {
  HttpParserLimits limits;
  limits.max_target_bytes = options.max_target_bytes;
  limits.max_header_bytes = options.max_header_bytes;
  limits.max_body_bytes = options.max_body_bytes;
  return limits;
}

std::string_view failure_reason(int status) {
  switch (status) {
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

std::string request_id_of(const Headers& headers, core::Entropy& entropy) {
  const std::string_view given = headers.get("X-Request-Id");
  return core::is_safe_id(given) ? std::string(given) : core::random_hex(entropy, kRequestIdBytes);
}

HttpIntake::HttpIntake(const Router& router, const ServerOptions& options, core::Entropy& entropy,
                       int hops)
    : router_(router),
      options_(options),
      entropy_(entropy),
      hops_(hops),
      parser_(parser_limits(options)) {}

std::size_t HttpIntake::feed(std::string_view bytes, const Stream& from,
                             const OriginPolicy& policy) {
  PARLEY_ASSERT(!ready_, "HTTP intake of " + from.peer() +
                             ": bytes are read before the request ahead of them was taken");
  const bool in_body = parser_.state() == HttpParser::State::body;
  PARLEY_ASSERT(in_body == reading_.has_value(),
                "HTTP intake of " + from.peer() + ": a body is read without its head, in state " +
                    std::to_string(static_cast<int>(parser_.state())));
  const std::size_t taken = parser_.feed(bytes);
  if (in_body) body_taken_ += taken;
  switch (parser_.state()) {
    case HttpParser::State::idle:
    case HttpParser::State::head:
      break;
    case HttpParser::State::body:
      if (in_body) break;
      begin(parser_.take_head(), from, policy);
      check_length();
      break;
    case HttpParser::State::complete:
      if (in_body) {
        reading_->request.body = parser_.take().body;
      } else {
        begin(parser_.take(), from, policy);
      }
      ready_ = true;
      break;
    case HttpParser::State::failed:
      refuse(parser_.status(), failure_reason(parser_.status()), parser_.reason());
      break;
  }
  return taken;
}

std::optional<Incoming> HttpIntake::take() {
  if (!std::exchange(ready_, false)) return std::nullopt;
  PARLEY_ASSERT(reading_.has_value(), "HTTP intake: a request is ready, and there is none");
  reading_->account = std::exchange(account_, {});
  return std::exchange(reading_, std::nullopt);
}

void HttpIntake::drop() {
  reading_.reset();
  ready_ = false;
  parser_.drop();
}

std::size_t Incoming::bytes() const {
  std::size_t bytes = sizeof(Incoming) + request.body.size() + request.path.size() +
                      request.query.size() + request.method.size();
  for (const auto& [name, value] : request.headers.all()) {
    bytes += 2 * sizeof(std::string) + name.size() + value.size();
  }
  return bytes;
}

Incoming HttpIntake::fail(int status, std::string_view rejected, std::string reason) {
  refuse(status, rejected, std::move(reason));
  return *take();
}

// Called when the head is complete.
void HttpIntake::begin(ParsedRequest head, const Stream& from, const OriginPolicy& policy) {
  PARLEY_ASSERT(!reading_, "HTTP intake: request " + reading_->request.id +
                               " was not taken when the next one began");
  Incoming& next = reading_.emplace();
  next.http_1_1 = head.http_1_1;
  next.keep_alive = head.keep_alive;
  next.upgrade = asks_for_websocket(head.headers);
  next.last = !next.keep_alive && !next.upgrade;
  head_bytes_ = 0;
  body_taken_ = 0;
  body_limit_ = options_.max_open_body_bytes;
  Request& request = next.request;
  request.id = request_id_of(head.headers, entropy_);
  request.peer = from.peer();
  request.secure = from.secure();
  request.http_1_1 = next.http_1_1;
  request.hops = hops_;
  if (!read_request(std::move(head), request)) {
    next.gate.answer = refusal(400, "The request target is malformed.");
    next.gate.rejected = "malformed";
    return;
  }
  next.gate = pass_gate(request, router_, policy);
  request.path_params = std::move(next.gate.match.params);
  head_bytes_ = next.bytes();
  if (!next.gate.answer && !next.gate.upgrade && next.gate.match.admit != nullptr) admit();
}

void HttpIntake::admit() {
  GateResult& gate = reading_->gate;
  tl::expected<Admission, Response> admission;
  const auto ran = core::contain(gate.match.pattern,
                                 [&] { admission = (*gate.match.admit)(reading_->request); });
  if (!ran) {
    gate.answer = refusal(500, "The server could not answer this request.");
    gate.rejected = "handler_failed";
  } else if (!admission) {
    gate.answer = std::move(admission.error());
    gate.rejected = "not_admitted";
  } else {
    const std::size_t most = admission->max_body_bytes;
    body_limit_ = most == 0 ? options_.max_body_bytes : std::min(most, options_.max_body_bytes);
    account_ = std::move(admission->account);
    reading_->request.owner = std::move(admission->owner);
  }
}

// Checks the announced body against its limit.
void HttpIntake::check_length() {
  const bool refused = reading_->gate.answer.has_value();
  parser_.limit_body(body_limit_);
  if (parser_.state() == HttpParser::State::failed) {
    refuse(parser_.status(), failure_reason(parser_.status()), parser_.reason());
  } else if (refused && parser_.expects_continue()) {
    // Without a "100 Continue" the client may or may not send its body: ends reading.
    refuse(0, {}, {});
  }
}

// Ends reading. A request that was refused before keeps that refusal as its answer.
void HttpIntake::refuse(int status, std::string_view rejected, std::string reason) {
  if (!reading_) {
    Incoming& next = reading_.emplace();
    next.request.method = parser_.partial().method;
    next.request.id = request_id_of({}, entropy_);
    next.http_1_1 = parser_.partial().http_1_1;
  }
  if (!reading_->gate.answer) {
    reading_->gate.answer = refusal(status, std::move(reason));
    reading_->gate.rejected = rejected;
  }
  reading_->keep_alive = false;
  reading_->upgrade = false;
  reading_->last = true;
  ready_ = true;
  // The connection may stay open until the client has read the refusal: frees the memory now.
  parser_.drop();
}

}  // namespace parley::net
