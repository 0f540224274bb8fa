// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "crowd.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "tests/support/http_client/scripted_server.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Seconds kPatience{120};
constexpr std::string_view kHeadEnd = "\r\n\r\n";
// Precedes the time in each piece.
constexpr std::string_view kBeforeStamp = "sent ";

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now().time_since_epoch())
      .count();
}

// A frame of a client.
std::string text_frame(const std::string& text) {
  check(text.size() < 65'536, "the length of a request");
  std::string frame{static_cast<char>(0x81U)};
  if (text.size() < 126) {
    frame.push_back(static_cast<char>(0x80U | text.size()));
  } else {
    frame.push_back(static_cast<char>(0x80U | 126U));
    frame.push_back(static_cast<char>(text.size() >> 8U));
    frame.push_back(static_cast<char>(text.size() & 0xffU));
  }
  frame.append(4, '\0');  // a mask of zeros leaves the payload as it is
  return frame + text;
}

}  // namespace

Crowd::Crowd(const PinnedServer& server, CrowdDialect dialect)
    : server_(server),
      dialect_(std::move(dialect)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      watchers_(dialect_.paths.size()) {
  connect_all();
}

Crowd::~Crowd() {
  for (const Watcher& watcher : watchers_) close(watcher.fd);
  close(epoll_);
}

void Crowd::connect_all() {
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    Watcher& watcher = watchers_[i];
    watcher.fd = connect_to(static_cast<std::uint16_t>(server_.port()));
    write_all(watcher.fd, "GET " + dialect_.paths[i] +
                              " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_.port()) +
                              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Sec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    check(epoll_ctl(epoll_, EPOLL_CTL_ADD, watcher.fd, &event) == 0, "epoll_ctl");
  }
  const auto is_open = [](const Watcher& watcher) { return watcher.open; };
  while (!std::all_of(watchers_.begin(), watchers_.end(), is_open)) poll_once();
}

void Crowd::start_all(Seconds time) {
  const auto first = SteadyClock::now();
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    const Seconds due = time * (static_cast<double>(i) / static_cast<double>(watchers_.size()));
    while (SteadyClock::now() < first + due) poll_once();
    write_all(watchers_[i].fd, text_frame(dialect_.requests[i]));
  }
}

void Crowd::poll_once() {
  std::array<epoll_event, 256> events{};
  const int count = epoll_wait(epoll_, events.data(), events.size(), 1);
  for (int i = 0; i < count; ++i) {
    read_some(watchers_[events.at(static_cast<std::size_t>(i)).data.u64]);
  }
}

void Crowd::read_some(Watcher& watcher) {
  std::array<char, 65536> buffer;
  const ssize_t got = recv(watcher.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  check(got > 0, "read from the server");
  const std::int64_t now = now_ns();
  watcher.in.append(buffer.data(), static_cast<std::size_t>(got));
  if (!watcher.open) {
    const std::size_t end = watcher.in.find(kHeadEnd);
    if (end == std::string::npos) return;
    check(watcher.in.starts_with("HTTP/1.1 101"), watcher.in.c_str());
    watcher.in.erase(0, end + kHeadEnd.size());
    watcher.open = true;
  }
  take_frames(watcher, now);
}

void Crowd::take_frames(Watcher& watcher, std::int64_t now) {
  std::string_view rest = watcher.in;
  while (rest.size() >= 2) {
    const auto byte = [rest](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(rest[i]));
    };
    std::size_t size = byte(1) & 0x7fU;
    std::size_t head = 2;
    const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (rest.size() < head + extra) break;
    if (extra > 0) size = 0;
    for (std::size_t i = 0; i < extra; ++i) size = size << 8U | byte(head + i);
    head += extra;
    if (rest.size() < head + size) break;
    const std::string_view payload = rest.substr(head, size);
    const bool is_ping = byte(0) == 0x89U;
    rest.remove_prefix(head + size);
    if (is_ping) continue;
    const FrameKind kind = dialect_.kind(payload);
    if (kind == FrameKind::piece) take_stamps(watcher, payload, now);
    if (kind != FrameKind::end) continue;
    check(!watcher.ended, "a run ended twice");
    watcher.ended = true;
    ++ended_;
  }
  watcher.in.erase(0, watcher.in.size() - rest.size());
}

void Crowd::take_stamps(Watcher& watcher, std::string_view frame, std::int64_t now) {
  if (measuring_) ++frames_;
  for (std::size_t at = frame.find(kBeforeStamp); at != std::string_view::npos;
       at = frame.find(kBeforeStamp, at)) {
    at += kBeforeStamp.size();
    std::int64_t sent = 0;
    std::from_chars(frame.data() + at, frame.data() + at + http_client::kStampMark.size(), sent);
    check(sent > 0, "a piece without its time");
    if (watcher.pieces++ == 0) ++begun_;
    if (measuring_) sample_.latencies_ms.push_back(static_cast<double>(now - sent) * 1e-6);
  }
}

CrowdSample Crowd::measure(Seconds time, std::size_t pieces) {
  const auto deadline = SteadyClock::now() + kPatience;
  const auto in_time = [deadline] {
    check(SteadyClock::now() < deadline, "the runs take too long");
  };
  start_all(time);
  for (; begun_ < watchers_.size(); in_time()) poll_once();
  measuring_ = true;
  const Seconds cpu = server_.cpu();
  const auto begin = SteadyClock::now();
  while (SteadyClock::now() < begin + time) poll_once();
  measuring_ = false;
  const Seconds took = SteadyClock::now() - begin;
  const auto count = static_cast<double>(sample_.latencies_ms.size());
  check(count > 0, "no piece came");
  if (ended_ > 0) std::fprintf(stderr, "%zu runs ended while the others were measured\n", ended_);
  sample_.cpu_us = (server_.cpu() - cpu).count() * 1e6 / count;
  sample_.pieces_per_frame = count / static_cast<double>(frames_);
  sample_.pieces_per_second = count / took.count();
  for (; ended_ < watchers_.size(); in_time()) poll_once();
  for (const Watcher& watcher : watchers_) check(watcher.pieces == pieces, "a piece is missing");
  sample_.resident_bytes = server_.peak_bytes();
  return std::move(sample_);
}

std::vector<double> Crowd::interrupt(Seconds time, const std::vector<std::string>& messages) {
  const auto deadline = SteadyClock::now() + kPatience;
  const auto poll = [this, deadline] {
    check(SteadyClock::now() < deadline, "the runs take too long");
    poll_once();
  };
  start_all(time);
  while (begun_ < watchers_.size()) poll();
  std::vector<double> out;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    check(!watchers_[i].ended, "a run ended before its time");
    const std::int64_t begin = now_ns();
    write_all(watchers_[i].fd, text_frame(messages[i]));
    while (!watchers_[i].ended) poll();
    out.push_back(static_cast<double>(now_ns() - begin) * 1e-6);
  }
  return out;
}

void Crowd::talk(Seconds time) {
  const auto deadline = SteadyClock::now() + kPatience;
  start_all(time);
  while (ended_ < watchers_.size()) {
    check(SteadyClock::now() < deadline, "the runs take too long");
    poll_once();
  }
}

}  // namespace parley::bench
