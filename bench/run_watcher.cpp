// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "run_watcher.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "stream_server.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr std::size_t kBufferBytes = 16U << 20U;
constexpr std::size_t kReadBytes = 1U << 20U;
constexpr int kWakeBytes = 64 << 10;
constexpr int kPatienceMs = 1;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string authority(int port) { return "Host: 127.0.0.1:" + std::to_string(port) + "\r\n"; }

std::string authorization() {
  return std::string("Authorization: Bearer ") + kStreamToken + "\r\n";
}

std::string_view text_after(std::string_view json, std::string_view key) {
  const std::size_t at = json.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + key.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

std::uint64_t event_id_of(std::string_view frame) {
  constexpr std::string_view kKey = R"("event_id":)";
  const std::size_t at = frame.find(kKey);
  check(at != std::string_view::npos, "an event without a number");
  std::uint64_t id = 0;
  std::from_chars(frame.data() + at + kKey.size(), frame.data() + frame.size(), id);
  return id;
}

std::size_t body_bytes(std::string_view head) {
  constexpr std::string_view kKey = "Content-Length: ";
  const std::size_t at = head.find(kKey);
  check(at != std::string_view::npos, "an answer without a length");
  std::size_t size = 0;
  std::from_chars(head.data() + at + kKey.size(), head.data() + head.size(), size);
  return size;
}

}  // namespace

RunWatcher::RunWatcher(int port)
    : port_(port), fd_(connect_to(static_cast<std::uint16_t>(port))), in_(kBufferBytes) {
  check(setsockopt(fd_, SOL_SOCKET, SO_RCVLOWAT, &kWakeBytes, sizeof(kWakeBytes)) == 0, "lowat");
}

RunWatcher::~RunWatcher() { close(fd_); }

void RunWatcher::fill() {
  if (at_ == end_) at_ = end_ = 0;
  if (end_ + kReadBytes > in_.size()) {
    std::memmove(in_.data(), in_.data() + at_, end_ - at_);
    end_ -= at_;
    at_ = 0;
  }
  check(end_ + kReadBytes <= in_.size(), "the length of a message");
  // Wakes up for kWakeBytes, or after kPatienceMs for any amount.
  pollfd waits{fd_, POLLIN, 0};
  for (ssize_t got = -1; got <= 0;) {
    check(poll(&waits, 1, kPatienceMs) >= 0, "poll");
    got = recv(fd_, in_.data() + end_, kReadBytes, MSG_DONTWAIT);
    check(got > 0 || (got < 0 && errno == EAGAIN), "read from the server");
    if (got > 0) end_ += static_cast<std::size_t>(got);
  }
}

std::string RunWatcher::ask(const std::string& request) {
  write_all(fd_, request);
  while (unread().find(kHeadEnd) == std::string_view::npos) fill();
  const std::size_t head = unread().find(kHeadEnd) + kHeadEnd.size();
  const std::size_t size = body_bytes(unread().substr(0, head));
  while (unread().size() < head + size) fill();
  std::string body(unread().substr(head, size));
  at_ += head + size;
  return body;
}

void RunWatcher::upgrade() {
  if (std::exchange(upgraded_, true)) return;
  write_all(fd_, "GET /loom/ws HTTP/1.1\r\n" + authority(port_) + authorization() +
                     "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  while (unread().find(kHeadEnd) == std::string_view::npos) fill();
  at_ += unread().find(kHeadEnd) + kHeadEnd.size();
}

std::uint64_t RunWatcher::watch_websocket(const std::string& message, const Progress& progress) {
  upgrade();
  const std::string request = R"({"type":"run","id":"r","message":")" + message + "\"}";
  check(request.size() < 126, "the length of a request");
  std::string frame{static_cast<char>(0x81U), static_cast<char>(0x80U | request.size())};
  frame.append(4, '\0');  // a mask of zeros leaves the payload as it is
  write_all(fd_, frame + request);
  std::uint64_t events = 0;
  last_event_ = 0;
  while (!take_frames(events)) {
    if (events > 0) progress(events);
    fill();
  }
  return events;
}

// True: the run has ended.
bool RunWatcher::take_frames(std::uint64_t& events) {
  while (true) {
    const std::string_view rest = unread();
    if (rest.size() < 2) return false;
    const auto byte = [rest](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(rest[i]));
    };
    std::size_t size = byte(1) & 0x7fU;
    std::size_t head = 2;
    const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (rest.size() < head + extra) return false;
    if (extra > 0) size = 0;
    for (std::size_t i = 0; i < extra; ++i) size = size << 8U | byte(head + i);
    head += extra;
    if (rest.size() < head + size) return false;
    at_ += head + size;
    const std::string_view payload = rest.substr(head, size);
    if (byte(0) == 0x89U) continue;  // a ping
    check(byte(0) == 0x81U, std::string(payload).c_str());
    if (payload.starts_with(R"({"type":"run_stream_event")")) {
      take_event(payload, events);
      continue;
    }
    check(payload.starts_with(R"({"type":"run_end")"), std::string(payload).c_str());
    last_run_ = text_after(payload, R"("run_id":")");
    ++events;
    return true;
  }
}

void RunWatcher::take_event(std::string_view frame, std::uint64_t& events) {
  const std::uint64_t id = event_id_of(frame);
  check(id == last_event_ + 1, "an event is missing, or comes twice");
  last_event_ = id;
  ++events;
}

std::uint64_t RunWatcher::watch_ndjson(const std::string& message, const Progress& progress) {
  const std::string body = R"({"message":")" + message + "\"}";
  const std::string run =
      ask("POST /v1/runs HTTP/1.1\r\n" + authority(port_) + authorization() +
          "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\n\r\n" + body);
  last_run_ = text_after(run, R"("id":")");
  check(!last_run_.empty(), run.c_str());
  return read_ndjson("/v1/runs/" + last_run_ + "/events", progress);
}

std::uint64_t RunWatcher::count_stored() {
  check(!upgraded_, "a WebSocket reads no stored runs");
  return read_ndjson("/v1/runs/" + last_run_ + "/events?follow=false", [](std::uint64_t) {});
}

std::uint64_t RunWatcher::read_ndjson(const std::string& path, const Progress& progress) {
  write_all(fd_, "GET " + path + " HTTP/1.1\r\n" + authority(port_) + authorization() +
                     "Accept: application/x-ndjson\r\n\r\n");
  while (unread().find(kHeadEnd) == std::string_view::npos) fill();
  check(unread().starts_with("HTTP/1.1 200"), std::string(unread()).c_str());
  at_ += unread().find(kHeadEnd) + kHeadEnd.size();
  lines_.clear();
  std::uint64_t events = 0;
  last_event_ = 0;
  while (!take_chunks(events)) {
    if (events > 0) progress(events);
    fill();
  }
  return events;
}

// Takes whole chunks. True: the body has ended.
bool RunWatcher::take_chunks(std::uint64_t& events) {
  while (true) {
    const std::string_view rest = unread();
    const std::size_t line = rest.find("\r\n");
    if (line == std::string_view::npos) return false;
    std::size_t size = 0;
    std::from_chars(rest.data(), rest.data() + line, size, 16);
    if (rest.size() < line + 2 + size + 2) return false;
    at_ += line + 2 + size + 2;
    if (size == 0) return true;
    lines_.append(rest.substr(line + 2, size));
    take_lines(events);
  }
}

void RunWatcher::take_lines(std::uint64_t& events) {
  std::string_view rest = lines_;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    if (end > 0) take_event(rest.substr(0, end), events);
    rest.remove_prefix(end + 1);
  }
  lines_.erase(0, lines_.size() - rest.size());
}

}  // namespace parley::bench
