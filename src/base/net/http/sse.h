// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/core/scheduler.h"
#include "base/net/http/http.h"

namespace parley::net {

struct SseEvent {
  std::string_view id;     // empty: none; omitted if it contains line ends or NUL
  std::string_view event;  // empty: "message"; omitted if it contains line ends
  std::string_view data;   // any text; each line becomes a data line
};

// The wire form of one event (WHATWG HTML section 9.2).
std::string sse_text(const SseEvent& event);

// The head of an event stream: content type, no caching, no buffering by proxies.
Response sse_head();

// Writes events to one client. After kKeepAlive without an event it writes a comment, so that
// proxies keep the stream open and a lost reader is detected. Used on the thread of `scheduler`.
// Destruction does not end the body.
class SseWriter {
 public:
  static constexpr core::Millis kKeepAlive{15'000};

  SseWriter(std::shared_ptr<BodyWriter> body, core::Scheduler& scheduler);
  ~SseWriter();
  SseWriter(const SseWriter&) = delete;
  SseWriter& operator=(const SseWriter&) = delete;

  void send(const SseEvent& event);
  // Sends the delay after which the client reconnects.
  void send_retry(core::Millis delay);
  void send_comment(std::string_view text);
  void end();
  bool open() const { return body_->open(); }
  BodyWriter& body() { return *body_; }

 private:
  void write(std::string_view text);
  void arm();

  std::shared_ptr<BodyWriter> body_;
  core::Scheduler& scheduler_;
  core::TimerId timer_ = 0;
  core::MonoTime written_at_;
};

}  // namespace parley::net
