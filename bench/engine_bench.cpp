// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// engine_bench [--mode full|quick] --peers DIR --out FILE
//
// The cost of one step of the graph engine: processor time of this process for runs of 50 steps
// through a loop of two nodes that only count, on the real event loop. The peer is LangGraph.js
// with the same graph, in turns, each in its own process. "bare" has no checkpoints on either side.
// Otherwise LangGraph's MemorySaver keeps each checkpoint as bytes in memory and its updates are
// streamed as objects; Parley keeps checkpoints and all other events in memory, written as the JSON
// of the stream.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/json_writer.h"
#include "base/net/loop/loop.h"
#include "child_process.h"
#include "give_up.h"
#include "row.h"
#include "runtime/graph/execution.h"
#include "runtime/graph/state_graph.h"

namespace parley::bench {
namespace {

constexpr std::int64_t kSteps = 50;  // per run: the default limit of an agent
constexpr double kAimMicros = 20;
constexpr const char* kPeer = "LangGraph.js 1.7.3";

class CountState final : public graph::State {
 public:
  std::int64_t count = 0;
  std::string last = "a reply";

  std::unique_ptr<State> clone() const override { return std::make_unique<CountState>(*this); }
  void write(core::JsonWriter& json, std::uint64_t /*log_from*/) const override {
    json.begin_object();
    json.key("count").number(count);
    json.key("last").string(last);
    json.end_object();
  }
  core::Result<void> apply(const simdjson::dom::object& /*written*/) override { return {}; }
};

// Writes each event in its stored form and keeps it for the run: the work of a checkpointer in
// memory and of a watcher's frames together.
class KeepingSink final : public runtime::EventSink {
 public:
  void emit(std::string_view node_id, runtime::RunEvent event) override {
    kept_.push_back(runtime::stored_payload(event, node_id));
  }
  void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) override {
    done(core::Result<void>());
  }

 private:
  std::vector<std::string> kept_;
};

class DroppingSink final : public runtime::EventSink {
 public:
  void emit(std::string_view /*node_id*/, runtime::RunEvent /*event*/) override {}
  void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) override {
    done(core::Result<void>());
  }
};

enum class Kind : std::uint8_t {
  bare,   // no checkpoints, events dropped
  kept,   // checkpoints, every event written as JSON and kept
  later,  // the same, with nodes that answer in a later turn of the loop
};

std::shared_ptr<const graph::Graph> counting(bool later) {
  const auto count = [later](graph::NodeContext& context, CountState& state, graph::NodeDone done) {
    ++state.count;
    if (!later) return done(graph::Next::edges());
    context.scheduler().post([done = std::move(done)]() mutable { done(graph::Next::edges()); });
  };
  graph::StateGraph<CountState> builder;
  builder.node("a", count).node("b", count).edge("__start__", "a").edge("a", "b");
  builder.conditional(
      "b", [](const CountState& state) { return state.count < kSteps ? "more" : "enough"; },
      {{"more", "a"}, {"enough", "__end__"}});
  auto graph = builder.compile();
  if (!graph) give_up(graph.error().message);
  return *graph;
}

double cpu_micros() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// Runs, one after the other, on one loop.
class Runs {
 public:
  Runs(Kind kind, int runs) : kind_(kind), left_(runs), graph_(counting(kind == Kind::later)) {}

  // Microseconds of processor time per step.
  double measure() {
    const double steps = static_cast<double>(left_) * static_cast<double>(kSteps);
    const double before = cpu_micros();
    loop_.post([this] { next(); });
    loop_.run();
    return (cpu_micros() - before) / steps;
  }

 private:
  void next() {
    if (left_-- == 0) return loop_.stop();
    const bool bare = kind_ == Kind::bare;
    if (bare) {
      sink_ = std::make_unique<DroppingSink>();
    } else {
      sink_ = std::make_unique<KeepingSink>();
    }
    graph::ExecutionSetup setup{loop_, entropy_, *sink_, {}, "thread", false, !bare, {}};
    graph::Execution::start(graph_, std::make_unique<CountState>(), std::move(setup),
                            [this](const graph::ExecutionResult& result) {
                              if (result.steps != kSteps) give_up("a run did not end as it should");
                              next();
                            });
  }

  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  net::Loop loop_{clock_};
  Kind kind_;
  int left_;
  std::shared_ptr<const graph::Graph> graph_;
  std::unique_ptr<runtime::EventSink> sink_;
};

// The same with LangGraph: {"cpu_us":N,"steps":N}.
double theirs(ChildProcess& peer, std::string_view kind, int runs) {
  std::string order;
  core::JsonWriter json(order);
  json.begin_object();
  json.key("kind").string(kind);
  json.key("runs").number(runs);
  json.key("steps").number(kSteps);
  json.end_object();
  peer.write_line(order);
  const std::string answer = peer.read_line();
  const std::string before = "\"cpu_us\":";
  const std::size_t from = answer.find(before);
  if (from == std::string::npos) give_up("the peer said: " + answer);
  return std::strtod(answer.c_str() + from + before.size(), nullptr) /
         (static_cast<double>(runs) * static_cast<double>(kSteps));
}

struct Settings {
  int repetitions = 7;
  int our_runs = 2'000;
  int their_runs = 40;
};

int run(const std::string& peers, const std::string& out, const Settings& settings) {
  Row bare{"engine.step_cpu", "us", std::string(kPeer) + ", invoke, no checkpointer", {}, {}};
  Row kept{"engine.step_with_events_and_checkpoint_cpu",
           "us",
           std::string(kPeer) + ", stream of updates, MemorySaver",
           {},
           {}};
  Row later{"engine.asynchronous_step_with_events_and_checkpoint_cpu",
            "us",
            std::string(kPeer) + ", stream of updates, MemorySaver",
            {},
            {}};
  Row aim{"engine.step_beside_the_aim_cpu", "us", "the aim", {}, {}};
  ChildProcess peer({"/usr/bin/env", "node", peers + "/langgraph_steps.mjs"});
  // Not measured: warms up the peer's compiler and our allocator.
  for (const std::string_view kind : {"bare", "kept", "bare", "kept"}) theirs(peer, kind, 30);
  for (const Kind kind : {Kind::bare, Kind::kept, Kind::later}) Runs(kind, 200).measure();
  for (int i = 0; i < settings.repetitions; ++i) {
    bare.ours.push_back(Runs(Kind::bare, settings.our_runs).measure());
    bare.theirs.push_back(theirs(peer, "bare", settings.their_runs));
    kept.ours.push_back(Runs(Kind::kept, settings.our_runs).measure());
    kept.theirs.push_back(theirs(peer, "kept", settings.their_runs));
    later.ours.push_back(Runs(Kind::later, settings.our_runs).measure());
    later.theirs.push_back(kept.theirs.back());
    aim.ours.push_back(kept.ours.back());
    aim.theirs.push_back(kAimMicros);
  }
  return write_rows(out, {&bare, &kept, &later, &aim}) ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  std::string mode = "full";
  std::string peers;
  std::string out;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--mode") mode = argv[i + 1];
    if (option == "--peers") peers = argv[i + 1];
    if (option == "--out") out = argv[i + 1];
  }
  if (peers.empty() || out.empty() || (mode != "full" && mode != "quick")) {
    std::fprintf(stderr, "engine_bench [--mode full|quick] --peers DIR --out FILE\n");
    return 2;
  }
  parley::bench::Settings settings;
  if (mode == "quick") settings = {3, 500, 10};
  return parley::bench::run(peers, out, settings);
}
