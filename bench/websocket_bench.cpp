// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The WebSocket stack beside its peers: echo, fan-out and memory of idle connections. The servers
// run on one processor, the load on another, in turns.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "pinned_server.h"
#include "row.h"
#include "websocket_load.h"
#include "websocket_servers.h"

namespace parley::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kConnections = 1'000;

struct Settings {
  int repetitions = 9;
  Seconds warm_up{0.3};
  Seconds slice{0.4};
  std::size_t idle_connections = 10'000;
  std::string only;  // measures only rows whose name contains this text; empty: all

  bool wants(const std::string& name) const { return name.find(only) != std::string::npos; }
};

SteadyClock::time_point from_now(Seconds time) {
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(time);
}

// A thousand connections with one message in flight each.
class EchoLoad {
 public:
  explicit EchoLoad(const PinnedServer& server)
      : server_(server), load_(server.port(), "/echo", kConnections) {}

  // CPU microseconds of the server per message there and back.
  double measure(Seconds time) {
    const Seconds before = server_.cpu();
    for (std::size_t i = 0; i < load_.size(); ++i) load_.send(i, 1);
    std::size_t messages = 0;
    const auto end = from_now(time);
    while (SteadyClock::now() < end) messages += load_.poll_once(true);
    load_.await_messages(load_.size());
    messages += load_.size();
    return (server_.cpu() - before).count() * 1e6 / static_cast<double>(messages);
  }

 private:
  const PinnedServer& server_;
  WebSocketLoad load_;
};

// One publisher and a thousand subscribers: publishes a batch of messages, and the next batch once
// every subscriber has received the last one.
class FanOutLoad {
 public:
  FanOutLoad(const PinnedServer& server, std::size_t in_flight)
      : server_(server),
        subscribers_(server.port(), "/fan", kConnections),
        publisher_(server.port(), "/publish", 1),
        in_flight_(in_flight) {}
  FanOutLoad(const FanOutLoad&) = delete;
  FanOutLoad& operator=(const FanOutLoad&) = delete;

  struct Sample {
    double rate = 0;    // deliveries per second
    double cpu_us = 0;  // of the server, per delivery
  };

  Sample measure(Seconds time) {
    const Seconds before = server_.cpu();
    const auto begin = SteadyClock::now();
    const auto end = from_now(time);
    std::size_t delivered = 0;
    while (SteadyClock::now() < end) {
      publisher_.send(0, in_flight_);
      subscribers_.await_messages(in_flight_ * kConnections);
      delivered += in_flight_ * kConnections;
    }
    const auto count = static_cast<double>(delivered);
    return {count / Seconds(SteadyClock::now() - begin).count(),
            (server_.cpu() - before).count() * 1e6 / count};
  }

 private:
  const PinnedServer& server_;
  WebSocketLoad subscribers_;
  WebSocketLoad publisher_;
  std::size_t in_flight_;
};

// Measures Parley and the peer in short alternating turns, so that other load of the machine
// affects both.
void measure_echo(const PinnedServer& ours, const PinnedServer& theirs, const Settings& settings,
                  Row& row) {
  EchoLoad our_load(ours);
  EchoLoad their_load(theirs);
  our_load.measure(settings.warm_up);
  their_load.measure(settings.warm_up);
  for (int i = 0; i < settings.repetitions; ++i) {
    row.ours.push_back(our_load.measure(settings.slice));
    row.theirs.push_back(their_load.measure(settings.slice));
  }
}

void measure_fan_out(const PinnedServer& ours, const PinnedServer& theirs, std::size_t in_flight,
                     const Settings& settings, Row& rate, Row& cpu) {
  FanOutLoad our_load(ours, in_flight);
  FanOutLoad their_load(theirs, in_flight);
  our_load.measure(settings.warm_up);
  their_load.measure(settings.warm_up);
  for (int i = 0; i < settings.repetitions; ++i) {
    const FanOutLoad::Sample our_sample = our_load.measure(settings.slice);
    const FanOutLoad::Sample their_sample = their_load.measure(settings.slice);
    rate.ours.push_back(our_sample.rate);
    rate.theirs.push_back(their_sample.rate);
    cpu.ours.push_back(our_sample.cpu_us);
    cpu.theirs.push_back(their_sample.cpu_us);
  }
}

// Memory of the server's process per connection that has opened and sent one message.
double idle_bytes(const std::vector<std::string>& command, const Settings& settings) {
  const PinnedServer server(command);
  const auto use = [&server](WebSocketLoad& load) {
    for (std::size_t i = 0; i < load.size(); ++i) {
      load.send(i, 1);
      load.await_messages(1);
    }
    usleep(200'000);
    return server.resident_bytes();
  };
  WebSocketLoad first(server.port(), "/echo", 1);
  const double before = use(first);
  WebSocketLoad load(server.port(), "/echo", settings.idle_connections);
  return (use(load) - before) / static_cast<double>(settings.idle_connections);
}

int run(const std::string& peers, const std::string& out, const Settings& settings) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  pin_load();
  const std::vector<std::string> parley = {own_path(), "serve-parley"};
  const std::vector<std::string> bare = {own_path(), "serve-bare"};
  const std::vector<std::string> node = {"/usr/bin/env", "node", peers + "/ws_echo.mjs"};

  const char* const kNode = "Node ws 8.23.0";
  const char* const kBare = "bare epoll echo";
  Row echo_node{"websocket.echo_cpu_per_message", "us", kNode, {}, {}};
  Row echo_bare{"websocket.echo_cpu_per_message_bare", "us", kBare, {}, {}};
  Row fan_one{"websocket.fan_out_1000_in_flight_1", "deliveries/s", kNode, {}, {}};
  Row fan_eight{"websocket.fan_out_1000_in_flight_8", "deliveries/s", kNode, {}, {}};
  Row fan_one_cpu{"websocket.fan_out_1000_in_flight_1_cpu", "us", kNode, {}, {}};
  Row fan_eight_cpu{"websocket.fan_out_1000_in_flight_8_cpu", "us", kNode, {}, {}};
  Row idle{"websocket.idle_connection_memory", "bytes", kNode, {}, {}};
  {
    const PinnedServer ours(parley);
    const PinnedServer floor(bare);
    const PinnedServer theirs(node);
    if (settings.wants(echo_node.name)) measure_echo(ours, theirs, settings, echo_node);
    if (settings.wants(echo_bare.name)) measure_echo(ours, floor, settings, echo_bare);
    if (settings.wants(fan_one.name)) {
      measure_fan_out(ours, theirs, 1, settings, fan_one, fan_one_cpu);
    }
    if (settings.wants(fan_eight.name)) {
      measure_fan_out(ours, theirs, 8, settings, fan_eight, fan_eight_cpu);
    }
  }
  if (settings.wants(idle.name)) {
    idle.ours.push_back(idle_bytes(parley, settings));
    idle.theirs.push_back(idle_bytes(node, settings));
  }

  const bool written = write_rows(
      out, {&echo_node, &echo_bare, &fan_one, &fan_one_cpu, &fan_eight, &fan_eight_cpu, &idle});
  return written ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "serve-parley") return parley::bench::serve_parley();
  if (first == "serve-bare") return parley::bench::serve_bare();
  parley::bench::Settings settings;
  std::string mode = "full";
  std::string peers;
  std::string out;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--mode") mode = argv[i + 1];
    if (option == "--peers") peers = argv[i + 1];
    if (option == "--out") out = argv[i + 1];
    if (option == "--only") settings.only = argv[i + 1];
  }
  if (peers.empty() || out.empty() || (mode != "full" && mode != "quick")) {
    std::fprintf(stderr,
                 "websocket_bench [--mode full|quick] --peers DIR --out FILE [--only NAME]\n");
    return 2;
  }
  if (mode == "quick") {
    settings.repetitions = 5;
    settings.warm_up = parley::bench::Seconds(0.1);
    settings.slice = parley::bench::Seconds(0.15);
    settings.idle_connections = 2'000;
  }
  return parley::bench::run(peers, out, settings);
}
