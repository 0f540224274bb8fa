// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/scheduler.h"
#include "base/net/http/http.h"
#include "base/net/http/sse.h"

namespace parley::mcp_http {

class ReplyChannel;
using ReplyChannelPtr = std::shared_ptr<ReplyChannel>;

// The answer to one HTTP request: one JSON document if it comes soon, else an event stream. Used on
// the thread of the connection; other threads may keep and drop it, and it is destroyed on its own.
class ReplyChannel : public std::enable_shared_from_this<ReplyChannel> {
 public:
  // The stream begins after kPatience without an answer, so that clients and proxies see a first
  // byte within a second.
  // Limit (MCP over HTTP): time until an event stream begins. Reached: the answer is a stream.
  static constexpr core::Millis kPatience{250};

  // `session`: the value of Mcp-Session-Id in the answer; empty: none.
  static ReplyChannelPtr make(net::Responder responder, std::string session = {});
  ~ReplyChannel();
  ReplyChannel(const ReplyChannel&) = delete;
  ReplyChannel& operator=(const ReplyChannel&) = delete;

  // Begins the wait for an answer: call once, before anything else.
  void wait();
  // Makes the stream begin with an event of this id without data, so that a client that loses it at
  // once can take it up again.
  void prime(std::string id) { priming_ = std::move(id); }
  // Begins the stream at once.
  void start_stream();
  // Sends a message that is not the last one.
  void send(std::string_view id, std::string_view message);
  // Sends the last message and ends the answer. `status` holds for a JSON document.
  void finish(int status, std::string_view id, std::string message);
  // Ends the answer without a message: an empty one with `status`, or the end of the stream.
  void end(int status);
  // Ends the stream; the client comes back after `retry` for the rest.
  void suspend(core::Millis retry);
  // Runs `task` once if the client goes before the end.
  void on_disconnect(core::Task task);

  bool open() const { return responder_.has_value() || (stream_ && stream_->open()); }
  core::Scheduler& scheduler() const { return scheduler_; }

 private:
  ReplyChannel(net::Responder responder, std::string session);
  net::Response head(int status, std::string_view type) const;

  core::Scheduler& scheduler_;
  std::optional<net::Responder> responder_;
  std::optional<net::SseWriter> stream_;
  const std::string session_;
  std::string priming_;
  core::Task gone_;
  core::TimerId timer_ = 0;
};

}  // namespace parley::mcp_http
