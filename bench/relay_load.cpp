// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "relay_load.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "user_interface.h"

namespace parley::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMovies = 12;
constexpr std::size_t kFloodBatch = 32;

// The constant members of a result: about 2.6 kB, as the reference's movie stage.
const std::string& result_body() {
  static const std::string body = [] {
    std::string visible;
    std::string items;
    for (std::size_t i = 1; i <= kMovies; ++i) {
      const std::string id = "m" + std::to_string(i);
      const std::string comma = i == 1 ? "" : ",";
      visible += comma + R"({"id":")" + id + R"(","value":"The Quiet Engine )" + id + R"("})";
      items += comma + R"({"id":")" + id + R"(","title":"The Quiet Engine )" + id +
               R"(","genre":["Drama","History"],"rating":"R","duration":)" +
               std::to_string(90 + i) + R"(,"posterUrl":"/posters/)" + id + R"(.jpg"})";
    }
    const std::string spec =
        R"({"stage":"movie","title":"Select Movie","description":"Choose a movie you want to watch",)"
        R"("visibleItems":[)" +
        visible +
        R"(],"state":{"booking":{},"selected":{"id":"m1","value":"The Quiet Engine m1"}},)"
        R"("items":[)" +
        items +
        R"(],"modification":{},"display":{"valueField":"title","component":"buttonGroup"}})";
    return R"("payload":{"ok":true,"toolName":"select","uiSpec":)" + spec +
           R"(,"messageHistory":[{"id":"sys-1795307773743-rwzix9p","type":"system",)"
           R"("timestamp":1795307773743,"stage":"movie"}]}})";
  }();
  return body;
}

double us_since(SteadyClock::time_point start) {
  return std::chrono::duration<double, std::micro>(SteadyClock::now() - start).count();
}

// Reads and discards `messages` messages to each host.
void drain(std::vector<RelayPair>& pairs, std::size_t messages) {
  std::vector<pollfd> ready;
  std::vector<std::size_t> missing(pairs.size(), messages);
  for (RelayPair& pair : pairs) ready.push_back({pair.host().fd(), POLLIN, 0});
  std::size_t open = pairs.size();
  while (open > 0) {
    check(poll(ready.data(), ready.size(), -1) > 0, "poll");
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (ready[i].revents == 0 || missing[i] == 0) continue;
      pairs[i].host().fill();
      while (pairs[i].host().next()) --missing[i];
      if (missing[i] > 0) continue;
      ready[i].fd = -1;
      --open;
    }
  }
}

}  // namespace

std::string tool_call(std::string_view id) {
  return R"({"v":"mvp-0.2","type":"tool.call","id":")" + std::string(id) +
         R"(","payload":{"toolName":"select","params":{"itemId":"m1"},)"
         R"("reason":"Pick the first available movie option to continue the flow."}})";
}

std::string tool_result(std::string_view id) {
  return R"({"v":"mvp-0.2","type":"tool.result","replyTo":")" + std::string(id) + "\"," +
         result_body();
}

RelayPair::RelayPair(int port, const std::string& session)
    : host_(port, "host", session), agent_(port, "agent", session) {
  agent_.send(
      R"({"v":"mvp-0.2","type":"session.start","id":"start","payload":{"studyId":"bench","participantId":"P1"}})");
  const std::string id(id_of(host_.await("session.start")));
  host_.send(R"({"v":"mvp-0.2","type":"session.started","replyTo":")" + id +
             R"(","payload":{"sessionId":"default"}})");
  agent_.await("session.started");
}

void RelayPair::ask_end() {
  agent_.send(
      R"({"v":"mvp-0.2","type":"session.end","id":"end","payload":{"reason":"study-complete"}})");
}

void RelayPair::answer_end() {
  const std::string id(id_of(host_.await("session.end")));
  host_.send(R"({"v":"mvp-0.2","type":"session.ended","replyTo":")" + id +
             R"(","payload":{"sessionId":"default","stateReset":true}})");
}

void RelayPair::await_end() { agent_.await("session.ended"); }

double RelayPair::round_trip_us() {
  const std::string call = tool_call("req-" + std::to_string(++calls_));
  const auto start = SteadyClock::now();
  agent_.send(call);
  host_.send(tool_result(id_of(host_.await("tool.call"))));
  agent_.await("tool.result");
  return us_since(start);
}

RelayThroughput::RelayThroughput(const PinnedServer& server, std::size_t sessions,
                                 std::size_t window)
    : server_(server), window_(window), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  for (std::size_t i = 0; i < sessions; ++i) {
    pairs_.emplace_back(server.port(), "throughput-" + std::to_string(i));
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = 2 * i;
    check(epoll_ctl(epoll_, EPOLL_CTL_ADD, pairs_[i].host().fd(), &event) == 0, "epoll_ctl");
    event.data.u64 = 2 * i + 1;
    check(epoll_ctl(epoll_, EPOLL_CTL_ADD, pairs_[i].agent().fd(), &event) == 0, "epoll_ctl");
  }
}

RelayThroughput::~RelayThroughput() { close(epoll_); }

std::size_t RelayThroughput::turn(bool resume) {
  std::array<epoll_event, 64> ready{};
  const int count = epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), -1);
  check(count > 0, "epoll_wait");
  std::size_t answered = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    RelayPair& pair = pairs_[ready[i].data.u64 / 2];
    const bool is_host = ready[i].data.u64 % 2 == 0;
    RelaySocket& socket = is_host ? pair.host() : pair.agent();
    socket.fill();
    while (const auto message = socket.next()) {
      if (is_host && is_type(*message, "tool.call")) socket.queue(tool_result(id_of(*message)));
      if (is_host || !is_type(*message, "tool.result")) continue;
      ++answered;
      if (resume) socket.queue(tool_call("req-" + std::to_string(++calls_)));
    }
    socket.flush();
  }
  if (!resume) under_way_ -= answered;
  return answered;
}

Throughput RelayThroughput::measure(Seconds time) {
  const Seconds before = server_.cpu();
  const auto start = SteadyClock::now();
  const auto end = start + std::chrono::duration_cast<SteadyClock::duration>(time);
  for (RelayPair& pair : pairs_) {
    for (std::size_t i = 0; i < window_; ++i) {
      pair.agent().queue(tool_call("req-" + std::to_string(++calls_)));
    }
    pair.agent().flush();
  }
  under_way_ = pairs_.size() * window_;
  std::size_t calls = 0;
  while (SteadyClock::now() < end) calls += turn(true);
  while (under_way_ > 0) calls += turn(false);
  const auto messages = static_cast<double>(2 * calls);  // the calls and their results
  return {messages / Seconds(SteadyClock::now() - start).count(),
          (server_.cpu() - before).count() * 1e6 / messages};
}

double records_per_second(const PinnedServer& server, std::size_t sessions, std::size_t messages) {
  static std::size_t run = 0;
  ++run;
  std::vector<RelayPair> pairs;
  for (std::size_t i = 0; i < sessions; ++i) {
    pairs.emplace_back(server.port(), "log-" + std::to_string(run) + "-" + std::to_string(i));
  }
  const std::string message =
      R"({"v":"mvp-0.2","type":"agent.message","payload":{"text":"I will choose a date next to )"
      R"(narrow the available showtimes, because the participant prefers the evening."}})";
  // Presence messages of the joins may still be on the way to a host.
  for (RelayPair& pair : pairs) pair.round_trip_us();
  const auto start = SteadyClock::now();
  std::jthread hosts([&] { drain(pairs, messages); });
  for (std::size_t sent = 0; sent < messages; sent += kFloodBatch) {
    for (RelayPair& pair : pairs) {
      for (std::size_t i = 0; i < kFloodBatch; ++i) pair.agent().queue(message);
      pair.agent().flush();
    }
  }
  hosts.join();
  for (RelayPair& pair : pairs) pair.ask_end();
  for (RelayPair& pair : pairs) pair.answer_end();
  for (RelayPair& pair : pairs) pair.await_end();
  const double took = us_since(start) / 1e6;
  return static_cast<double>(2 * sessions * messages) / took;
}

}  // namespace parley::bench
