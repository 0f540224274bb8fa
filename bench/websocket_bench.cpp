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
  int repetitions = 5;
  Seconds warm_up{0.3};
  Seconds measured{1.5};
  std::size_t idle_connections = 10'000;
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

// CPU microseconds of the server for one message there and back, with one on its way on each
// connection.
double echo_cpu_us(const Server& server, const Settings& settings) {
  WebSocketLoad load(server.port(), "/echo", kConnections);
  for (std::size_t i = 0; i < load.size(); ++i) load.send_one(i);
  const auto run_until = [&load](SteadyClock::time_point end) {
    std::size_t messages = 0;
    while (SteadyClock::now() < end) messages += load.poll_once(true);
    return messages;
  };
  const auto until = [](Seconds from_now) {
    return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(from_now);
  };
  run_until(until(settings.warm_up));
  const Seconds before = server.cpu();
  const std::size_t messages = run_until(until(settings.measured));
  return (server.cpu() - before).count() * 1e6 / static_cast<double>(messages);
}

// Deliveries a second from one publisher to all subscribers, with `in_flight` publications on
// their way at a time.
double fan_out_rate(const Server& server, const Settings& settings, std::size_t in_flight) {
  WebSocketLoad subscribers(server.port(), "/fan", kConnections);
  WebSocketLoad publisher(server.port(), "/publish", 1);
  std::size_t published = 0;
  std::size_t delivered = 0;
  const auto run_for = [&](Seconds time) {
    const auto begin = SteadyClock::now();
    const std::size_t before = delivered;
    while (SteadyClock::now() - begin < time) {
      while (published * kConnections < delivered + in_flight * kConnections) {
        publisher.send_one(0);
        ++published;
      }
      delivered += subscribers.poll_once(false);
    }
    return static_cast<double>(delivered - before) / Seconds(SteadyClock::now() - begin).count();
  };
  run_for(settings.warm_up);
  const double rate = run_for(settings.measured);
  while (delivered < published * kConnections) delivered += subscribers.poll_once(false);
  return rate;
}

// Memory of the server's process for each connection that has opened and sent one message.
double idle_bytes(const std::vector<std::string>& command, const Settings& settings) {
  const Server server(command);
  const auto use = [&server](WebSocketLoad& load) {
    for (std::size_t i = 0; i < load.size(); ++i) {
      load.send_one(i);
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
  Row idle{"websocket.idle_connection_memory", "bytes", kNode, {}, {}};
  for (int i = 0; i < settings.repetitions; ++i) {
    const Server ours(parley);
    const Server floor(bare);
    const Server theirs(node);
    echo_node.ours.push_back(echo_cpu_us(ours, settings));
    echo_node.theirs.push_back(echo_cpu_us(theirs, settings));
    echo_bare.theirs.push_back(echo_cpu_us(floor, settings));
    // Ours again, right beside this peer.
    echo_bare.ours.push_back(echo_cpu_us(ours, settings));
    fan_one.ours.push_back(fan_out_rate(ours, settings, 1));
    fan_one.theirs.push_back(fan_out_rate(theirs, settings, 1));
    fan_eight.ours.push_back(fan_out_rate(ours, settings, 8));
    fan_eight.theirs.push_back(fan_out_rate(theirs, settings, 8));
  }
  idle.ours.push_back(idle_bytes(parley, settings));
  idle.theirs.push_back(idle_bytes(node, settings));

  std::string text;
  core::JsonWriter json(text);
  json.begin_array();
  for (const Row* row : {&echo_node, &echo_bare, &fan_one, &fan_eight, &idle}) {
    write_row(json, *row);
  }
  json.end_array();
  std::ofstream file(out);
  file << text << '\n';
  return file.good() ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "serve-parley") return parley::bench::serve_parley();
  if (mode == "serve-bare") return parley::bench::serve_bare();
  if (argc < 3) {
    std::fprintf(stderr, "websocket_bench PEERS_DIR OUT [quick]\n");
    return 2;
  }
  parley::bench::Settings settings;
  if (argc > 3 && std::string_view(argv[3]) == "quick") {
    settings.repetitions = 1;
    settings.warm_up = parley::bench::Seconds(0.1);
    settings.measured = parley::bench::Seconds(0.5);
    settings.idle_connections = 2'000;
  }
  return parley::bench::run(argv[1], argv[2], settings);
}
