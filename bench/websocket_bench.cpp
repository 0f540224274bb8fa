// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The WebSocket stack beside its peers: echo, fan-out and memory of idle connections. The servers
// run on one processor, the load on another, turn by turn.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.h"
#include "core/json_writer.h"
#include "websocket_load.h"
#include "websocket_servers.h"

namespace parley::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kConnections = 1'000;
constexpr int kServerProcessor = 0;
constexpr int kLoadProcessor = 1;

struct Settings {
  int repetitions = 9;
  Seconds warm_up{0.3};
  Seconds slice{0.4};
  std::size_t idle_connections = 10'000;
  std::string only;  // measures the rows with this in their names; empty: all

  bool wants(const std::string& name) const { return name.find(only) != std::string::npos; }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One figure of ours beside a peer's, measured in turns.
struct Row {
  std::string name;
  std::string unit;
  std::string peer;
  std::vector<double> ours;
  std::vector<double> theirs;
};

std::vector<double> ratios(const Row& row) {
  std::vector<double> all;
  for (std::size_t i = 0; i < row.ours.size(); ++i) all.push_back(row.ours[i] / row.theirs[i]);
  return all;
}

void write_row(core::JsonWriter& json, const Row& row) {
  const std::vector<double> all = ratios(row);
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  json.begin_object();
  json.key("name").string(row.name);
  json.key("value").number(median(row.ours));
  json.key("unit").string(row.unit);
  json.key("peer").string(row.peer);
  json.key("peer_value").number(median(row.theirs));
  json.key("ratio").number(median(all));
  json.key("ratio_min").number(*least);
  json.key("ratio_max").number(*most);
  json.end_object();
  std::printf("%-44s %12.3f %-14s %12.3f  ratio %.3f [%.3f..%.3f]\n", row.name.c_str(),
              median(row.ours), row.unit.c_str(), median(row.theirs), median(all), *least, *most);
}

// A server in a process of its own, pinned to its processor.
class Server {
 public:
  explicit Server(std::vector<std::string> command)
      : process_(pinned(std::move(command))), port_(std::atoi(process_.read_line().c_str())) {}

  int port() const { return port_; }

  // User and system time of all its threads.
  Seconds cpu() const {
    clockid_t clock = 0;
    timespec at{};
    if (clock_getcpuclockid(process_.pid(), &clock) != 0 || clock_gettime(clock, &at) != 0) {
      std::perror("clock_gettime");
      std::exit(1);
    }
    return Seconds(static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) * 1e-9);
  }

  double resident_bytes() const {
    std::ifstream file("/proc/" + std::to_string(process_.pid()) + "/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
  }

 private:
  static std::vector<std::string> pinned(std::vector<std::string> command) {
    std::vector<std::string> all = {"/usr/bin/taskset", "-c", std::to_string(kServerProcessor)};
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }

  ChildProcess process_;
  int port_;
};

SteadyClock::time_point from_now(Seconds time) {
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(time);
}

// A thousand connections that each have one message on its way.
class EchoLoad {
 public:
  explicit EchoLoad(const Server& server)
      : server_(server), load_(server.port(), "/echo", kConnections) {}

  // CPU microseconds of the server for one message there and back.
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
  const Server& server_;
  WebSocketLoad load_;
};

// One publisher and a thousand subscribers: some publications at a time, and the next when all of
// them have arrived everywhere.
class FanOutLoad {
 public:
  FanOutLoad(const Server& server, std::size_t in_flight)
      : server_(server),
        subscribers_(server.port(), "/fan", kConnections),
        publisher_(server.port(), "/publish", 1),
        in_flight_(in_flight) {}
  FanOutLoad(const FanOutLoad&) = delete;
  FanOutLoad& operator=(const FanOutLoad&) = delete;

  struct Sample {
    double rate = 0;    // deliveries a second
    double cpu_us = 0;  // of the server for one delivery
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
  const Server& server_;
  WebSocketLoad subscribers_;
  WebSocketLoad publisher_;
  std::size_t in_flight_;
};

// Both measure in short turns, ours and the peer's one after the other, so that what else the
// machine does falls on both.
void measure_echo(const Server& ours, const Server& theirs, const Settings& settings, Row& row) {
  EchoLoad our_load(ours);
  EchoLoad their_load(theirs);
  our_load.measure(settings.warm_up);
  their_load.measure(settings.warm_up);
  for (int i = 0; i < settings.repetitions; ++i) {
    row.ours.push_back(our_load.measure(settings.slice));
    row.theirs.push_back(their_load.measure(settings.slice));
  }
}

void measure_fan_out(const Server& ours, const Server& theirs, std::size_t in_flight,
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

// Memory of the server's process for each connection that has opened and sent one message.
double idle_bytes(const std::vector<std::string>& command, const Settings& settings) {
  const Server server(command);
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

void pin_load() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(kLoadProcessor, &processors);
  sched_setaffinity(0, sizeof(processors), &processors);
}

std::string own_path() {
  std::string path(4'096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return path;
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
    const Server ours(parley);
    const Server floor(bare);
    const Server theirs(node);
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

  std::string text;
  core::JsonWriter json(text);
  json.begin_array();
  for (const Row* row :
       {&echo_node, &echo_bare, &fan_one, &fan_one_cpu, &fan_eight, &fan_eight_cpu, &idle}) {
    if (!row->ours.empty()) write_row(json, *row);
  }
  json.end_array();
  std::ofstream file(out);
  file << text << '\n';
  return file.good() ? 0 : 1;
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
