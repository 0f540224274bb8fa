// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// stream_bench [--mode full|quick] [--only CASE] --peers DIR --out FILE
//
// Events of runs per second, and the cost of one, through engine, store and one watcher: runs of
// the react agent whose model streams pieces as fast as they are read and calls a tool after every
// few thousand, on the server's own code, watched over a socket from another process. The peer, in
// turns, is a Node server that writes the same events to a WebSocket or an HTTP body and appends
// them to a file. "batched": 64 pieces arrive in one turn of the loop, as from a busy connection to
// a model; "single": each arrives in a turn of its own.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/temp_folder.h"
#include "pinned_server.h"
#include "pouring_model.h"
#include "row.h"
#include "run_watcher.h"
#include "stream_gate.h"
#include "stream_server.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Settings {
  std::string peers;
  std::string out;
  std::string only;  // a case, such as "batched_websocket"; empty: all
  int repetitions = 7;
  std::size_t runs = 8;      // per repetition
  std::size_t replies = 10;  // of the model, per run
  std::size_t pieces = 5'000;
};

enum class Transport : std::uint8_t { websocket, ndjson };

struct Sample {
  double events_per_second = 0;
  double cpu_us = 0;
};

// A server, its gate, and one watcher per transport.
class Stream {
 public:
  Stream(std::vector<std::string> command, const std::string& gate)
      : gate_(gate),
        server_(std::move(command), Place::free),
        websocket_(server_.port()),
        http_(server_.port()) {}

  Sample measure(Transport transport, std::size_t runs, const Pour& pour) {
    Seconds time{0};
    std::uint64_t events = 0;
    const Seconds cpu = server_.cpu();
    for (std::size_t i = 0; i < runs; ++i) {
      gate_.set_seen(0);
      SteadyClock::time_point begin;
      const auto progress = [&](std::uint64_t seen) {
        if (gate_.seen() == 0) begin = SteadyClock::now();
        gate_.set_seen(seen);
      };
      const std::uint64_t seen = transport == Transport::websocket
                                     ? websocket_.watch_websocket(pour.message(), progress)
                                     : http_.watch_ndjson(pour.message(), progress);
      check(seen >= pour.replies * pour.pieces, "the number of events");
      time += SteadyClock::now() - begin;
      events += seen;
    }
    const auto count = static_cast<double>(events);
    return {count / time.count(), (server_.cpu() - cpu).count() * 1e6 / count};
  }

  // The store has as many events of a run as its watcher has seen.
  void check_stored(const Pour& pour) {
    gate_.set_seen(0);
    const std::uint64_t seen = http_.watch_ndjson(
        pour.message(), [this](std::uint64_t events) { gate_.set_seen(events); });
    check(http_.count_stored() == seen, "the number of stored events");
  }

 private:
  StreamGate gate_;
  PinnedServer server_;
  RunWatcher websocket_;
  RunWatcher http_;
};

struct Case {
  Case(std::string its_name, Transport over, std::size_t per_turn, const char* peer)
      : name(std::move(its_name)),
        transport(over),
        turn(per_turn),
        rate{"stream.events_per_second_" + name, "events/s", peer},
        cpu{"stream.cpu_per_event_" + name, "us", peer} {}
  std::string name;
  Transport transport;
  std::size_t turn;
  Row rate;
  Row cpu;
};

int run(const Settings& settings) {
  const core::TempFolder scratch("parley-stream");
  std::filesystem::create_directory(scratch.file("ours"));
  std::filesystem::permissions(scratch.file("ours"), std::filesystem::perms::owner_all);
  std::filesystem::create_directory(scratch.file("theirs"));
  Stream ours({own_path(), "serve", scratch.file("ours")}, scratch.file("ours/gate"));
  Stream theirs(
      {"/usr/bin/env", "node", settings.peers + "/event_stream.mjs", scratch.file("theirs")},
      scratch.file("theirs/gate"));
  constexpr std::size_t kBatch = 64;
  constexpr const char* kWs = "Node ws, lines appended to a file";
  constexpr const char* kHttp = "Node http, lines appended to a file";
  std::vector<Case> cases;
  cases.emplace_back("batched_websocket", Transport::websocket, kBatch, kWs);
  cases.emplace_back("batched_ndjson", Transport::ndjson, kBatch, kHttp);
  cases.emplace_back("single_websocket", Transport::websocket, 1, kWs);
  cases.emplace_back("single_ndjson", Transport::ndjson, 1, kHttp);
  if (!settings.only.empty()) {
    std::erase_if(cases, [&](const Case& it) { return it.name != settings.only; });
  }
  ours.check_stored({settings.replies, settings.pieces, kBatch});
  for (int i = -1; i < settings.repetitions; ++i) {
    for (Case& it : cases) {
      const Pour pour{settings.replies, settings.pieces, it.turn};
      const Sample our_sample = ours.measure(it.transport, settings.runs, pour);
      const Sample their_sample = theirs.measure(it.transport, settings.runs, pour);
      if (i < 0) continue;  // not measured: warms up the peer's compiler
      it.rate.ours.push_back(our_sample.events_per_second);
      it.rate.theirs.push_back(their_sample.events_per_second);
      it.cpu.ours.push_back(our_sample.cpu_us);
      it.cpu.theirs.push_back(their_sample.cpu_us);
    }
  }
  std::vector<const Row*> rows;
  for (const Case& it : cases) {
    rows.push_back(&it.rate);
    rows.push_back(&it.cpu);
  }
  return write_rows(settings.out, rows) ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  using parley::bench::Settings;
  if (argc == 3 && std::string_view(argv[1]) == "serve")
    return parley::bench::serve_streams(argv[2]);
  Settings settings;
  std::string mode = "full";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--mode") mode = argv[i + 1];
    if (option == "--peers") settings.peers = argv[i + 1];
    if (option == "--only") settings.only = argv[i + 1];
    if (option == "--out") settings.out = argv[i + 1];
  }
  if (settings.peers.empty() || settings.out.empty() || (mode != "full" && mode != "quick")) {
    std::fprintf(stderr, "stream_bench [--mode full|quick] [--only CASE] --peers DIR --out FILE\n");
    return 2;
  }
  if (mode == "quick") {
    settings.repetitions = 2;
    settings.runs = 1;
    settings.replies = 5;
  }
  return parley::bench::run(settings);
}
