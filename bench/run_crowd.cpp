// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "run_crowd.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>

#include "http/testing/scripted_server.h"
#include "stream_server.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Seconds kPatience{120};
constexpr std::string_view kHeadEnd = "\r\n\r\n";
// Before the time in each piece.
constexpr std::string_view kBeforeStamp = "sent ";

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now().time_since_epoch())
      .count();
}

}  // namespace

RunCrowd::RunCrowd(const PinnedServer& server, std::size_t runs, const std::string& message)
    : server_(server), message_(message), epoll_(epoll_create1(EPOLL_CLOEXEC)), watchers_(runs) {
  connect_all();
}

RunCrowd::~RunCrowd() {
  for (const Watcher& watcher : watchers_) close(watcher.fd);
  close(epoll_);
}

void RunCrowd::connect_all() {
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    Watcher& watcher = watchers_[i];
    watcher.fd = connect_to(static_cast<std::uint16_t>(server_.port()));
    write_all(watcher.fd, "GET /loom/ws?token=" + std::string(kStreamToken) +
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

void RunCrowd::start(Watcher& watcher) {
  const std::string request = R"({"type":"run","id":"r","message":")" + message_ + "\"}";
  check(request.size() < 126, "the length of a request");
  std::string frame{static_cast<char>(0x81U), static_cast<char>(0x80U | request.size())};
  frame.append(4, '\0');  // a mask of zeros leaves the payload as it is
  write_all(watcher.fd, frame + request);
}

void RunCrowd::poll_once() {
  std::array<epoll_event, 256> events{};
  const int count = epoll_wait(epoll_, events.data(), events.size(), 1);
  for (int i = 0; i < count; ++i) {
    read_some(watchers_[events.at(static_cast<std::size_t>(i)).data.u64]);
  }
}

void RunCrowd::read_some(Watcher& watcher) {
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

void RunCrowd::take_frames(Watcher& watcher, std::int64_t now) {
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
    if (payload.starts_with(R"({"type":"run_stream_event")")) {
      if (payload.find(R"("type":"message_chunk")") != std::string_view::npos) {
        take_stamps(watcher, payload, now);
      }
      continue;
    }
    check(payload.starts_with(R"({"type":"run_end")"), std::string(payload).c_str());
    watcher.ended = true;
    ++ended_;
  }
  watcher.in.erase(0, watcher.in.size() - rest.size());
}

void RunCrowd::take_stamps(Watcher& watcher, std::string_view frame, std::int64_t now) {
  for (std::size_t at = frame.find(kBeforeStamp); at != std::string_view::npos;
       at = frame.find(kBeforeStamp, at)) {
    at += kBeforeStamp.size();
    std::int64_t sent = 0;
    std::from_chars(frame.data() + at, frame.data() + at + http::kStampMark.size(), sent);
    check(sent > 0, "a piece without its time");
    if (watcher.pieces++ == 0) ++begun_;
    if (measuring_) sample_.latencies_ms.push_back(static_cast<double>(now - sent) * 1e-6);
  }
}

CrowdSample RunCrowd::measure(Seconds time, std::size_t pieces) {
  const auto deadline = SteadyClock::now() + kPatience;
  const auto in_time = [deadline] {
    check(SteadyClock::now() < deadline, "the runs take too long");
  };
  const auto first = SteadyClock::now();
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    const Seconds due = time * (static_cast<double>(i) / static_cast<double>(watchers_.size()));
    while (SteadyClock::now() < first + due) poll_once();
    start(watchers_[i]);
  }
  for (; begun_ < watchers_.size(); in_time()) poll_once();
  measuring_ = true;
  const Seconds cpu = server_.cpu();
  const auto begin = SteadyClock::now();
  while (SteadyClock::now() < begin + time) poll_once();
  measuring_ = false;
  const Seconds took = SteadyClock::now() - begin;
  const auto count = static_cast<double>(sample_.latencies_ms.size());
  check(ended_ == 0, "a run ended before its time");
  check(count > 0, "no piece came");
  sample_.cpu_us = (server_.cpu() - cpu).count() * 1e6 / count;
  sample_.pieces_per_second = count / took.count();
  for (; ended_ < watchers_.size(); in_time()) poll_once();
  for (const Watcher& watcher : watchers_) check(watcher.pieces == pieces, "a piece is missing");
  sample_.resident_bytes = server_.peak_bytes();
  return std::move(sample_);
}

}  // namespace parley::bench
