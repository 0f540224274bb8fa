// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/wrapper.h"

#include <utility>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/time_text.h"

namespace parley::chat {
namespace {

using core::Code;
using core::Result;

constexpr int kOk = 200;
constexpr int kFailed = 500;
constexpr std::string_view kDone = "操作成功";

// `data`: JSON text.
net::Response wrapped(int status, int code, std::string_view message, std::string_view data,
                      core::WallTime at) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("code").number(code).key("message").string(message);
  json.key("data").raw(data).key("traceId").null();
  json.key("timestamp").string(std::to_string(core::to_unix_ms(at))).end_object();
  net::Response response = net::Response::json(status, std::move(out));
  response.headers.set("Cache-Control", "no-store");
  return response;
}

int status_of(Code code) {
  switch (code) {
    case Code::unauthenticated:
      return 401;
    case Code::permission_denied:
      return 403;
    case Code::invalid_argument:
      return 400;
    default:
      return kOk;
  }
}

}  // namespace

net::Response wrapped_refusal(const core::Error& error) {
  const int status = status_of(error.code);
  return wrapped(status, status == kOk ? kFailed : status, error.message, "null",
                 std::chrono::floor<core::Millis>(std::chrono::system_clock::now()));
}

void WrappedResponder::data(std::string_view json, core::Millis delay) {
  net::Response response = wrapped(kOk, kOk, kDone, json, scheduler().clock().wall());
  response.delay = delay;
  responder.send(std::move(response));
}

void WrappedResponder::text(std::string_view value) {
  std::string json;
  core::append_json_string(json, value);
  data(json);
}

void WrappedResponder::refuse(const core::Error& error, core::Millis delay) {
  net::Response response = wrapped_refusal(error);
  response.delay = delay;
  responder.send(std::move(response));
}

std::string date_text(std::int64_t unix_ms) {
  std::string text = core::time_text(core::from_unix_ms(unix_ms));
  text.at(text.find('T')) = ' ';
  text.pop_back();
  return text;
}

WrappedBody::WrappedBody(std::string_view body) : empty_(body.empty()) {
  simdjson::dom::object object;
  if (!empty_ && parser_.parse(simdjson::padded_string(body)).get(object) == simdjson::SUCCESS) {
    object_ = object;
  }
}

Result<void> WrappedBody::check() const {
  if (empty_ || object_) return {};
  return core::fail(Code::invalid_argument, "The body must be a JSON object.", "body");
}

std::optional<simdjson::dom::element> WrappedBody::member(std::string_view name) const {
  simdjson::dom::element value;
  if (!object_ || (*object_)[name].get(value) != simdjson::SUCCESS || value.is_null()) {
    return std::nullopt;
  }
  return value;
}

Result<std::optional<std::string>> WrappedBody::text(std::string_view name) const {
  PARLEY_TRY_VOID(check());
  const std::optional<simdjson::dom::element> value = member(name);
  if (!value) return std::nullopt;
  std::string_view text;
  if (value->get(text) == simdjson::SUCCESS) return std::string(text);
  return core::fail(Code::invalid_argument, "\"" + std::string(name) + "\" must be a string.",
                    std::string(name));
}

Result<std::string> WrappedBody::required(std::string_view name) const {
  PARLEY_TRY(std::optional<std::string> value, text(name));
  if (value) return std::move(*value);
  return core::fail(Code::invalid_argument, "\"" + std::string(name) + "\" is missing.",
                    std::string(name));
}

}  // namespace parley::chat
