// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/net/http/http.h"

// Form of every answer below /api/v1 (contract of the chat, section 1.2):
// {"code":200,"message":...,"data":...,"traceId":null,"timestamp":"..."}. Numbers of 64 bits are
// strings in it.
namespace parley::chat {

// The answer to a failed request. 401, 403 and 400 are both status and code; any other error has
// status 200 and code 500.
net::Response wrapped_refusal(const core::Error& error);

// Responder of one request; answers once.
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

// The body of a request, read once. Members that no handler reads are ignored: front ends send more
// members than Parley uses. An empty body is an object without members.
class WrappedBody {
 public:
  explicit WrappedBody(std::string_view body);

  // Errors: `invalid_argument` (not a JSON object; field "body").
  core::Result<void> check() const;
  // The member if it is a string; std::nullopt: absent or null. Errors: `invalid_argument`
  // (another type; field: the name).
  core::Result<std::optional<std::string>> text(std::string_view name) const;
  // Like text(), for a required member. Further errors: `invalid_argument` (the member is missing).
  core::Result<std::string> required(std::string_view name) const;
  // std::nullopt: absent or null.
  std::optional<simdjson::dom::element> member(std::string_view name) const;

 private:
  simdjson::dom::parser parser_;
  std::optional<simdjson::dom::object> object_;  // std::nullopt: not an object
  bool empty_ = false;
};

}  // namespace parley::chat
