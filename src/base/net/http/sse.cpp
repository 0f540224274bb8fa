// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/sse.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace parley::net {
namespace {

constexpr std::string_view kLineEnds = "\r\n";

void append_line(std::string& out, std::string_view field, std::string_view value) {
  out.append(field).append(": ").append(value).append("\n");
}

// CR LF, CR and LF all end a line for readers, so each begins a new data line.
void append_lines(std::string& out, std::string_view field, std::string_view text) {
  while (true) {
    const std::size_t end = std::min(text.find_first_of(kLineEnds), text.size());
    append_line(out, field, text.substr(0, end));
    if (end == text.size()) return;
    const bool pair = text.substr(end, 2) == kLineEnds;
    text.remove_prefix(end + (pair ? 2 : 1));
  }
}

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace

std::string sse_text(const SseEvent& event) {
  std::string out;
  out.reserve(event.data.size() + event.id.size() + event.event.size() + 32);
  if (!event.id.empty() && is_one_line(event.id)) append_line(out, "id", event.id);
  if (!event.event.empty() && is_one_line(event.event)) append_line(out, "event", event.event);
  append_lines(out, "data", event.data);
  out.append("\n");
  return out;
}

Response sse_head() {
  Response head;
  head.headers.add("Content-Type", "text/event-stream");
  head.headers.add("Cache-Control", "no-store");
  head.headers.add("X-Accel-Buffering", "no");
  return head;
}

SseWriter::SseWriter(std::shared_ptr<BodyWriter> body, core::Scheduler& scheduler)
    : body_(std::move(body)), scheduler_(scheduler), written_at_(scheduler.clock().mono()) {
  arm();
}

SseWriter::~SseWriter() { scheduler_.cancel(timer_); }

void SseWriter::send(const SseEvent& event) { write(sse_text(event)); }

void SseWriter::send_retry(core::Millis delay) {
  write("retry: " + std::to_string(delay.count()) + "\n\n");
}

void SseWriter::send_comment(std::string_view text) {
  std::string out;
  append_lines(out, "", text);
  out.append("\n");
  write(out);
}

void SseWriter::end() {
  scheduler_.cancel(std::exchange(timer_, 0));
  body_->end();
}

void SseWriter::write(std::string_view text) {
  written_at_ = scheduler_.clock().mono();
  body_->write(text);
}

void SseWriter::arm() {
  const auto idle = scheduler_.clock().mono() - written_at_;
  const auto wait = std::chrono::ceil<core::Millis>(kKeepAlive - idle);
  timer_ = scheduler_.after(wait, [this] {
    timer_ = 0;
    if (!body_->open()) return;
    if (scheduler_.clock().mono() - written_at_ >= kKeepAlive) send_comment("keep-alive");
    arm();
  });
}

}  // namespace parley::net
