// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The relay of the External Agent Protocol beside a Node `ws` relay of the same routing, and beside
// two bare round trips over loopback TCP. For messages per second the servers run on one processor
// and the load on another; for the round trip the servers run on any processor, because on one the
// relay's thread would wait for that of its log.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "pinned_server.h"
#include "relay_load.h"
#include "row.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kSessions = 16;
constexpr std::size_t kWindow = 8;

struct Settings {
  std::string bin;
  std::string peers;
  std::string out;
  int rounds = 11;
  std::size_t round_trips = 400;  // per round
  Seconds slice{0.4};
  std::size_t log_messages = 16'000;  // of all sessions, per round
};

// Echoes blocks of a fixed size on one connection after the other.
int serve_echo() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(at);
  check(bind(listener, reinterpret_cast<sockaddr*>(&at), size) == 0, "bind");
  check(listen(listener, 4) == 0, "listen");
  getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size);
  std::printf("%d\n", ntohs(at.sin_port));
  std::fflush(stdout);
  while (true) {
    const int peer = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) return 1;
    const int on = 1;
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    std::array<char, 65536> buffer{};
    ssize_t got = 0;
    while ((got = read(peer, buffer.data(), buffer.size())) > 0) {
      if (write(peer, buffer.data(), static_cast<std::size_t>(got)) != got) break;
    }
    close(peer);
  }
}

// The lower bound of a call and its result: as many bytes there and back, twice.
class Loopback {
 public:
  explicit Loopback(int port)
      : fd_(connect_to(static_cast<std::uint16_t>(port))),
        call_(tool_call("req-1")),
        result_(tool_result("req-1")) {}
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;
  ~Loopback() { close(fd_); }

  double two_trips_us() {
    const auto start = SteadyClock::now();
    trip(call_);
    trip(result_);
    return std::chrono::duration<double, std::micro>(SteadyClock::now() - start).count();
  }

 private:
  void trip(const std::string& block) {
    write_all(fd_, block);
    std::size_t got = 0;
    while (got < block.size()) {
      const ssize_t more = read(fd_, buffer_.data(), buffer_.size());
      check(more > 0, "read");
      got += static_cast<std::size_t>(more);
    }
  }

  int fd_;
  std::string call_;
  std::string result_;
  std::array<char, 65536> buffer_{};
};

// A temporary folder of one run of the benchmark.
class Scratch {
 public:
  Scratch()
      : path_(std::filesystem::temp_directory_path() /
              ("parley-relay-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Parley's server and the peer's, with or without their logs.
struct Servers {
  Servers(const Settings& settings, const Scratch& scratch, bool log, Place place)
      : ours({settings.bin + "/parley", "serve", "--listen", "127.0.0.1:0", "--data",
              scratch / (log ? "data-log" : "data"), "--token", "bench-token", "--log-level",
              "error", log ? "--studies-log=file" : "--studies-log=off", "--studies-records=0",
              "--studies-bytes=0", "--external-agent-guest-bytes=0",
              "--external-agent-guest-address-bytes=0"},
             place),
        theirs(log ? std::vector<std::string>{"/usr/bin/env", "node",
                                              settings.peers + "/ws_relay.mjs", scratch / "peer"}
                   : std::vector<std::string>{"/usr/bin/env", "node",
                                              settings.peers + "/ws_relay.mjs"},
               place) {}
  PinnedServer ours;
  PinnedServer theirs;
};

std::vector<double> round_trips(RelayPair& pair, std::size_t count) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(pair.round_trip_us());
  return all;
}

struct RoundTripRows {
  explicit RoundTripRows(const std::string& log)
      : p50{"relay.round_trip_p50_" + log, "us", "Node ws relay"},
        p99{"relay.round_trip_p99_" + log, "us", "Node ws relay"},
        floor{"relay.round_trip_p50_loopback_" + log, "us", "two bare loopback round trips"} {}
  Row p50;
  Row p99;
  Row floor;
};

void measure_round_trips(const Servers& servers, Loopback& loopback, const Settings& settings,
                         RoundTripRows& rows) {
  RelayPair ours(servers.ours.port(), "round-trip");
  RelayPair theirs(servers.theirs.port(), "round-trip");
  round_trips(ours, settings.round_trips);
  round_trips(theirs, settings.round_trips);
  for (int round = 0; round < settings.rounds; ++round) {
    const std::vector<double> our_times = round_trips(ours, settings.round_trips);
    std::vector<double> floor;
    for (std::size_t i = 0; i < settings.round_trips; ++i) floor.push_back(loopback.two_trips_us());
    const std::vector<double> their_times = round_trips(theirs, settings.round_trips);
    rows.p50.ours.push_back(quantile(our_times, 0.5));
    rows.p50.theirs.push_back(quantile(their_times, 0.5));
    rows.p99.ours.push_back(quantile(our_times, 0.99));
    rows.p99.theirs.push_back(quantile(their_times, 0.99));
    rows.floor.ours.push_back(quantile(our_times, 0.5));
    rows.floor.theirs.push_back(quantile(floor, 0.5));
  }
}

struct ThroughputRows {
  explicit ThroughputRows(const std::string& log)
      : rate{"relay.messages_per_second_" + log, "messages/s", "Node ws relay"},
        cpu{"relay.cpu_per_message_" + log, "us", "Node ws relay"} {}
  Row rate;
  Row cpu;
};

void measure_throughput(const Servers& servers, const Settings& settings, ThroughputRows& rows) {
  RelayThroughput ours(servers.ours, kSessions, kWindow);
  RelayThroughput theirs(servers.theirs, kSessions, kWindow);
  ours.measure(settings.slice);
  theirs.measure(settings.slice);
  for (int round = 0; round < settings.rounds; ++round) {
    const Throughput our_sample = ours.measure(settings.slice);
    const Throughput their_sample = theirs.measure(settings.slice);
    rows.rate.ours.push_back(our_sample.messages_per_second);
    rows.rate.theirs.push_back(their_sample.messages_per_second);
    rows.cpu.ours.push_back(our_sample.cpu_us);
    rows.cpu.theirs.push_back(their_sample.cpu_us);
  }
}

void measure_records(const Servers& servers, std::size_t sessions, const Settings& settings,
                     Row& row) {
  const std::size_t each = settings.log_messages / sessions / 32 * 32;
  for (int round = 0; round < settings.rounds; ++round) {
    row.ours.push_back(records_per_second(servers.ours, sessions, each));
    row.theirs.push_back(records_per_second(servers.theirs, sessions, each));
  }
}

int run(const Settings& settings) {
  pin_load();
  const Scratch scratch;
  const PinnedServer echo({own_path(), "serve-echo"}, Place::free);
  Loopback loopback(echo.port());
  std::vector<std::unique_ptr<RoundTripRows>> trips;
  std::vector<std::unique_ptr<ThroughputRows>> rates;
  const char* const kAppended = "Node ws relay, appendFileSync, nothing synced";
  Row one{"relay.records_per_second_1_session", "records/s", kAppended};
  Row many{"relay.records_per_second_16_sessions", "records/s", kAppended};
  for (const bool log : {true, false}) {
    const std::string name = log ? "log" : "no_log";
    trips.push_back(std::make_unique<RoundTripRows>(name));
    rates.push_back(std::make_unique<ThroughputRows>(name));
    {
      const Servers servers(settings, scratch, log, Place::free);
      measure_round_trips(servers, loopback, settings, *trips.back());
    }
    const Servers servers(settings, scratch, log, Place::pinned);
    measure_throughput(servers, settings, *rates.back());
    if (!log) continue;
    measure_records(servers, 1, settings, one);
    measure_records(servers, kSessions, settings, many);
  }
  std::vector<const Row*> rows;
  for (std::size_t i = 0; i < trips.size(); ++i) {
    for (const Row* row :
         {&trips[i]->p50, &trips[i]->p99, &trips[i]->floor, &rates[i]->rate, &rates[i]->cpu}) {
      rows.push_back(row);
    }
  }
  rows.push_back(&one);
  rows.push_back(&many);
  return write_rows(settings.out, rows) ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  using parley::bench::Settings;
  if (argc > 1 && std::string_view(argv[1]) == "serve-echo") return parley::bench::serve_echo();
  Settings settings;
  std::string mode = "full";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--mode") mode = argv[i + 1];
    if (option == "--bin") settings.bin = argv[i + 1];
    if (option == "--peers") settings.peers = argv[i + 1];
    if (option == "--out") settings.out = argv[i + 1];
  }
  if (settings.bin.empty() || settings.peers.empty() || settings.out.empty() ||
      (mode != "full" && mode != "quick")) {
    std::fprintf(stderr, "relay_bench [--mode full|quick] --bin DIR --peers DIR --out FILE\n");
    return 2;
  }
  if (mode == "quick") {
    settings.rounds = 3;
    settings.round_trips = 200;
    settings.slice = parley::bench::Seconds(0.15);
    settings.log_messages = 4'096;
  }
  return parley::bench::run(settings);
}
