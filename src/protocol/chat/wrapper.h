// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/result.h"
#include "net/http/http.h"

// The form in which front ends read every answer below /api/v1 (contract of the chat, section 1.2):
// {"code":200,"message":...,"data":...,"traceId":null,"timestamp":"..."}. Numbers of 64 bits are
// strings in it.
namespace parley::chat {

// The answer to a request that failed: 401, 403 and 400 as status and code, all else status 200 and
// code 500.
net::Response wrapped_refusal(const core::Error& error);

// One request; answers once.
struct WrappedResponder {
  net::Responder responder;

  core::Scheduler& scheduler() { return responder.scheduler(); }
  // `json`: the member `data`, as JSON text. `delay`, here and below: as net::Response::delay.
  void data(std::string_view json, core::Millis delay = core::Millis(0));
  // A string as `data`.
  void text(std::string_view value);
  void refuse(const core::Error& error, core::Millis delay = core::Millis(0));
};

// "2026-01-31 09:30:00", UTC.
std::string date_text(std::int64_t unix_ms);

// The body of a request, read once. Members that nobody asks for are ignored: front ends send more
// than Parley has. An empty body is an object without members.
class WrappedBody {
 public:
  explicit WrappedBody(std::string_view body);

  // Errors: `invalid_argument` (no JSON object; field "body").
  core::Result<void> check() const;
  // The member if it is a string; std::nullopt: absent, or null. Errors: `invalid_argument` (of
  // another type; the name as field).
  core::Result<std::optional<std::string>> text(std::string_view name) const;
  // The same of a member that must be there. Errors: `invalid_argument`.
  core::Result<std::string> required(std::string_view name) const;
  // Null if it is absent.
  std::optional<simdjson::dom::element> member(std::string_view name) const;

 private:
  simdjson::dom::parser parser_;
  std::optional<simdjson::dom::object> object_;  // std::nullopt: not one
  bool empty_ = false;
};

}  // namespace parley::chat
