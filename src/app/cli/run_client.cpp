// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_client.h"

#include <simdjson.h>

#include <chrono>
#include <memory>
#include <utility>

#include "base/core/line_splitter.h"

namespace parley::app {
namespace {

using core::Code;

// The part of an answer that has been received.
struct Answer {
  int status = 0;
  std::string body;
  core::LineSplitter lines{RunClient::kMaxLineBytes};  // for a stream
  bool line_too_long = false;
};

Code code_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Code::unauthenticated); ++i) {
    if (core::code_name(static_cast<Code>(i)) == name) return static_cast<Code>(i);
  }
  return Code::unknown;
}

// The error in the server's answer.
core::Error error_of(const Answer& answer) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  core::Error error{
      Code::unknown, "The server answered " + std::to_string(answer.status) + ".", {}};
  if (parser.parse(answer.body).get(object) != simdjson::SUCCESS) return error;
  std::string_view text;
  if (object["code"].get(text) == simdjson::SUCCESS) error.code = code_of(text);
  if (object["message"].get(text) == simdjson::SUCCESS) error.message = text;
  if (object["field"].get(text) == simdjson::SUCCESS) error.field = text;
  return error;
}

core::Result<void> outcome(const Answer& answer, const http_client::FetchEnd& end) {
  if (answer.status >= 300) return core::fail(error_of(answer));
  if (answer.line_too_long) {
    return core::fail(Code::resource_exhausted, "The server sent a line of more than " +
                                                    std::to_string(RunClient::kMaxLineBytes) +
                                                    " bytes.");
  }
  if (end.kind != http_client::FetchEnd::Kind::complete) {
    return core::fail(Code::unavailable, end.failure);
  }
  return {};
}

}  // namespace

RunClient::RunClient(http_client::Fetcher& fetcher, core::Scheduler& scheduler, std::string url,
                     std::string token, std::string ca_file)
    : fetcher_(fetcher),
      scheduler_(scheduler),
      url_(std::move(url)),
      token_(std::move(token)),
      ca_file_(std::move(ca_file)) {}

RunClient::~RunClient() { going_.cancel("The program ends."); }

http_client::FetchRequest RunClient::request(std::string method, const std::string& path) const {
  http_client::FetchRequest request;
  request.method = std::move(method);
  request.url = url_ + path;
  request.ca_file = ca_file_;
  if (!token_.empty()) request.headers.push_back("Authorization: Bearer " + token_);
  return request;
}

void RunClient::call(std::string method, std::string path, std::string body, Done done) {
  http_client::FetchRequest out = request(std::move(method), path);
  if (!body.empty()) out.headers.emplace_back("Content-Type: application/json");
  out.body = std::move(body);
  auto answer = std::make_shared<Answer>();
  http_client::FetchEvents events;
  events.on_head = [answer](const http_client::FetchHead& head) { answer->status = head.status; };
  events.on_body = [answer](std::string_view bytes) { answer->body += bytes; };
  fetcher_.fetch(std::move(out), std::move(events), scheduler_, going_.token(),
                 [answer, done = std::move(done)](const http_client::FetchEnd& end) mutable {
                   core::Result<void> result = outcome(*answer, end);
                   if (!result) return done(core::fail(std::move(result.error())));
                   done(std::move(answer->body));
                 });
}

void RunClient::follow(std::string path, Line on_line,
                       absl::AnyInvocable<void(core::Result<void>)> done) {
  http_client::FetchRequest out = request("GET", path);
  out.headers.emplace_back("Accept: application/x-ndjson");
  // Longer than a run may wait for a person.
  out.idle_timeout = std::chrono::hours(25);
  out.total_timeout = std::chrono::hours(24 * 365);
  out.max_bytes = SIZE_MAX / 2;
  auto answer = std::make_shared<Answer>();
  http_client::FetchEvents events;
  events.on_head = [answer](const http_client::FetchHead& head) { answer->status = head.status; };
  const auto stop = std::make_shared<core::CancelSource>(going_.token());
  events.on_body = [answer, stop, on_line = std::move(on_line)](std::string_view bytes) {
    if (answer->status >= 300) {
      answer->body += bytes;
      return;
    }
    answer->lines.feed(bytes, [&](std::string_view line, bool too_long) {
      answer->line_too_long = answer->line_too_long || too_long;
      if (!answer->line_too_long && !line.empty()) on_line(line);
    });
    if (answer->line_too_long) stop->cancel("A line is too long.");
  };
  fetcher_.fetch(std::move(out), std::move(events), scheduler_, stop->token(),
                 [answer, stop, done = std::move(done)](const http_client::FetchEnd& end) mutable {
                   done(outcome(*answer, end));
                 });
}

}  // namespace parley::app
