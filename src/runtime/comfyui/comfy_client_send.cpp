// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Exchanges of a ComfyClient.
#include <boost/json/stream_parser.hpp>
#include <utility>

#include "base/core/ask.h"
#include "base/core/utf8.h"
#include "runtime/comfyui/comfy_client.h"
#include "runtime/comfyui/json_access.h"
#include "runtime/comfyui/member_reader.h"

namespace parley::comfyui {
namespace {

using http_client::FetchEnd;
using http_client::FetchHead;

// Limit of an unsuccessful answer, in bytes: a refusal lists every fault of a workflow.
constexpr std::size_t kMaxRefusalBytes = 1U << 20U;

bool is_success(int status) { return status >= 200 && status < 300; }

constexpr std::size_t kMaxShownBytes = 500;

std::string shown(std::string_view text) {
  std::string out(core::utf8_truncate(text, kMaxShownBytes));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return out;
}

}  // namespace

struct ComfyClient::Exchange {
  explicit Exchange(Read what) : read(what) {}
  const Read read;
  std::optional<FetchHead> head;
  std::string text;
  boost::json::stream_parser parser{boost::json::storage_ptr(), json_options()};
  boost::system::error_code broken;
  std::optional<MemberReader> members;

  void take(std::string_view bytes) {
    if (!head || !is_success(head->status)) {
      if (text.size() < kMaxRefusalBytes) text.append(bytes.substr(0, kMaxRefusalBytes));
    } else if (read == Read::bytes) {
      text.append(bytes);
    } else if (read == Read::members) {
      members->feed(bytes);
    } else if (!broken && !bytes.empty()) {
      started = true;
      parser.write(bytes.data(), bytes.size(), broken);
    }
  }
  bool started = false;  // the JSON text has begun
};

http_client::FetchRequest ComfyClient::request_of(std::string method,
                                                  std::string_view target) const {
  http_client::FetchRequest request;
  request.method = std::move(method);
  request.url = address_.url(target);
  if (!options_.credentials.none()) {
    request.headers.push_back("Authorization: " + options_.credentials.authorization());
  }
  request.connect_timeout = options_.connect_timeout;
  request.idle_timeout = options_.request_timeout;
  request.total_timeout = options_.request_timeout;
  request.max_bytes = options_.max_json_bytes;
  request.ca_file = options_.ca_file;
  return request;
}

http_client::FetchRequest ComfyClient::post_of(std::string_view target, std::string json) const {
  http_client::FetchRequest request = request_of("POST", target);
  request.headers.emplace_back("Content-Type: application/json");
  request.body = std::move(json);
  return request;
}

// A request with all its attempts.
struct ComfyClient::Sending {
  std::uint64_t id = 0;
  http_client::FetchRequest request;
  Read read = Read::json;
  core::CancelToken cancel;
  Answered answered;
  std::function<void(std::string_view, std::string_view)> member;
  int retries_left = 0;
  core::Millis pause = kFirstRetryPause;
  core::TimerId timer = 0;  // of the next attempt
  core::CancelToken::Registration cancelled;
};

void ComfyClient::send(http_client::FetchRequest request, Read read,
                       const core::CancelToken& cancel, Answered answered,
                       std::function<void(std::string_view, std::string_view)> member) {
  auto sending = std::make_shared<Sending>();
  sending->id = ++last_exchange_;
  sending->cancel = exchanges_.try_emplace(sending->id, cancel).first->second.token();
  sending->retries_left = request.method == "GET" ? options_.max_retries : 0;
  sending->request = std::move(request);
  sending->read = read;
  sending->answered = std::move(answered);
  sending->member = std::move(member);
  attempt(sending);
}

void ComfyClient::attempt(const std::shared_ptr<Sending>& sending) {
  auto exchange = std::make_shared<Exchange>(sending->read);
  if (sending->read == Read::members) exchange->members.emplace(sending->member);
  http_client::FetchEvents events;
  events.on_head = [exchange](const FetchHead& head) { exchange->head = head; };
  events.on_body =
      core::while_alive(alive_, [exchange](std::string_view bytes) { exchange->take(bytes); });
  fetcher_.fetch(sending->request, std::move(events), home_, sending->cancel,
                 core::while_alive(alive_, [this, exchange, sending](const FetchEnd& end) {
                   if (!exchange->head && try_again(sending, end)) return;
                   exchanges_.erase(sending->id);
                   sending->answered(answer_of(*exchange, end));
                 }));
}

// False if there is no further attempt. A cancellation ends the pause.
bool ComfyClient::try_again(const std::shared_ptr<Sending>& sending, const FetchEnd& end) {
  const bool may_pass = end.kind == FetchEnd::Kind::unreachable || end.kind == FetchEnd::Kind::cut;
  if (!may_pass || sending->retries_left == 0 || sending->cancel.cancelled()) return false;
  --sending->retries_left;
  const core::Millis pause = std::exchange(sending->pause, sending->pause * 2);
  sending->timer = home_.after(pause, core::while_alive(alive_, [this, sending] {
                                 sending->timer = 0;
                                 sending->cancelled.reset();
                                 attempt(sending);
                               }));
  sending->cancelled = sending->cancel.on_cancel(
      core::while_alive(alive_, [this, weak = std::weak_ptr<Sending>(sending)] {
        const auto still = weak.lock();
        if (still == nullptr) return;
        home_.cancel(std::exchange(still->timer, 0));
        home_.post(core::while_alive(alive_, [this, still] { attempt(still); }));
      }));
  return true;
}

core::Result<ComfyClient::Answer> ComfyClient::answer_of(Exchange& exchange,
                                                         const FetchEnd& end) const {
  if (end.kind != FetchEnd::Kind::complete || !exchange.head) return core::fail(error_of(end));
  Answer answer;
  answer.status = exchange.head->status;
  answer.content_type = exchange.head->header("content-type").value_or("");
  answer.text = std::move(exchange.text);
  if (!is_success(answer.status)) {
    answer.text = options_.credentials.removed_from(std::move(answer.text));
    return answer;
  }
  if (exchange.read == Read::bytes) return answer;
  if (exchange.read == Read::members) {
    if (!exchange.members->complete()) return core::fail(no_json("its node classes"));
    return answer;
  }
  if (!exchange.started) return answer;  // an empty answer to a command
  if (!exchange.broken) exchange.parser.finish(exchange.broken);
  if (exchange.broken) return core::fail(no_json("a request"));
  answer.json = exchange.parser.release();
  return answer;
}

core::Error ComfyClient::no_json(std::string_view what) const {
  return {core::Code::internal, "The ComfyUI server at " + address_.origin() + " answered " +
                                    std::string(what) +
                                    " with something that is not complete, valid JSON."};
}

core::Error ComfyClient::error_of(const FetchEnd& end) const {
  const std::string place = "The ComfyUI server at " + address_.origin() + " ";
  switch (end.kind) {
    case FetchEnd::Kind::cancelled:
      return {core::Code::cancelled, "The request to the ComfyUI server was cancelled."};
    case FetchEnd::Kind::timed_out:
      return {core::Code::deadline_exceeded, place + "did not answer in time: " + end.failure};
    case FetchEnd::Kind::too_large:
      return {core::Code::resource_exhausted,
              place + "sent an answer that is too large: " + end.failure};
    case FetchEnd::Kind::unreachable:
      return {core::Code::unavailable, place + "cannot be reached: " + end.failure +
                                           " Is it running, and is this its address?"};
    case FetchEnd::Kind::invalid:
    case FetchEnd::Kind::refused:
      return {core::Code::invalid_argument, place + "cannot be queried: " + end.failure};
    default:
      return {core::Code::unavailable,
              place + "closed the connection before the end of its answer: " + end.failure};
  }
}

core::Error ComfyClient::error_of_status(int status, std::string_view text) const {
  std::string message = "The ComfyUI server at " + address_.origin() + " answered " +
                        std::to_string(status) + (text.empty() ? "" : ": ") + shown(text);
  if (status == 401) return {core::Code::unauthenticated, std::move(message)};
  if (status == 403) return {core::Code::permission_denied, std::move(message)};
  if (status == 404) return {core::Code::not_found, std::move(message)};
  if (status == 413) return {core::Code::resource_exhausted, std::move(message)};
  if (status >= 500) return {core::Code::unavailable, std::move(message)};
  if (status >= 300 && status < 400) {
    return {core::Code::internal, std::move(message) + " (redirects are not followed)"};
  }
  return {core::Code::invalid_argument, std::move(message)};
}

}  // namespace parley::comfyui
