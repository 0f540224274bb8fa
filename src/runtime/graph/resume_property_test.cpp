// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random graphs, from a seed: rows, loops, choices, parallel parts, graphs within graphs; nodes
// that answer at once or later, that fail and are tried again, that are kept in their midst, that
// prune their log. Wherever such a run is resumed it ends as if nothing had happened, and what it
// wrote adds up to its state.
#include <gmock/gmock.h>

#include <set>

#include "runtime/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using End = ExecutionResult::End;
using runtime::RecordingSink;

constexpr std::uint64_t kSeeds = 120;

// Makes a graph of a seed. The nodes' doings depend only on their names and on the state; when they
// answer depends on `pace`, which differs from run to run.
class RandomGraph {
 public:
  RandomGraph(std::uint64_t seed, core::SeededEntropy& pace) : random_(seed), pace_(pace) {}

  std::shared_ptr<const Graph> make(int depth = 0) {
    GraphBuilder builder;
    std::string at(kStart);
    const std::uint64_t parts = 1 + pick(4);
    for (std::uint64_t i = 0; i < parts; ++i) at = add_part(builder, at, depth);
    builder.edge(at, std::string(kEnd));
    const auto graph = builder.compile({100'000});
    EXPECT_TRUE(graph) << graph.error().message;
    return graph ? *graph : nullptr;
  }

 private:
  std::uint64_t pick(std::uint64_t count) { return random_.next_u64() % count; }

  std::string add_node(GraphBuilder& builder) {
    const std::string name = "n" + std::to_string(++names_);
    NodeOptions options;
    const bool fails = pick(5) == 0;
    const bool kept = pick(4) == 0;
    if (fails) options.retry = {1, core::Millis(5), 1.0, core::Millis(5)};
    builder.node(name, work(name, fails, kept, pick(9) == 0), options);
    return name;
  }

  // Adds a part after `from`; gives the node with which it ends.
  std::string add_part(GraphBuilder& builder, const std::string& from, int depth) {
    switch (pick(depth < 2 ? 5 : 4)) {
      case 0: {
        const std::string node = add_node(builder);
        builder.edge(from, node);
        return node;
      }
      case 1: {
        const std::string node = add_node(builder);
        const std::string after = add_node(builder);
        builder.edge(from, node);
        builder.conditional(node, by_number(2), {{"0", node}, {"1", after}});
        return after;
      }
      case 2: {
        const std::string node = add_node(builder);
        const std::string left = add_node(builder);
        const std::string right = add_node(builder);
        const std::string join = add_node(builder);
        builder.edge(from, node).edge(left, join).edge(right, join);
        builder.conditional(node, by_number(2), {{"0", left}, {"1", right}});
        return join;
      }
      case 3: {
        std::vector<std::string> branches;
        const std::uint64_t count = 1 + pick(4);
        for (std::uint64_t i = 0; i < count; ++i) {
          branches.push_back(pick(4) == 0 && depth < 2 ? add_graph(builder, depth)
                                                       : add_node(builder));
        }
        const std::string join = add_node(builder);
        builder.parallel(from, branches, join, merge);
        return join;
      }
      default: {
        const std::string node = add_graph(builder, depth);
        builder.edge(from, node);
        return node;
      }
    }
  }

  std::string add_graph(GraphBuilder& builder, int depth) {
    const std::string name = "g" + std::to_string(++names_);
    builder.subgraph(name, make(depth + 1));
    return name;
  }

  static Router by_number(std::int64_t modulus) {
    return [modulus](const State& state) {
      return std::to_string(static_cast<const TraceState&>(state).number / 8 % modulus);
    };
  }

  static void merge(State& into, std::vector<std::unique_ptr<State>> branches) {
    for (const std::unique_ptr<State>& branch : branches) {
      mix(trace(into), trace(*branch).words());
      trace(into).log.push_back("merged " + std::to_string(trace(*branch).number));
    }
  }

  static void mix(TraceState& state, const std::string& word) {
    std::uint64_t number = static_cast<std::uint64_t>(state.number);
    for (const char c : word) number = (number * 131 + static_cast<unsigned char>(c)) % 1'000'003;
    state.number = static_cast<std::int64_t>(number);
  }

  NodeFn work(const std::string& name, bool fails, bool kept, bool prunes) {
    return [this, name, fails, kept, prunes](NodeContext& context, State& state, NodeDone done) {
      TraceState& mine = trace(state);
      const std::string half = name + " half";
      if (kept && (mine.log.empty() || mine.log.back() != half)) {
        mine.log.push_back(half);
        mix(mine, half);
        context.checkpoint();
      }
      auto finish = [&mine, name, fails, prunes, attempt = context.attempt(),
                     done = std::move(done)]() mutable {
        mix(mine, name);
        mine.log.push_back(name);
        if (fails && attempt == 1) return done(core::fail(core::Code::unavailable, "once"));
        if (prunes && mine.log.size() > 2) {
          mine.log.erase(mine.log.begin(), mine.log.end() - 2);
          ++mine.revision;
        }
        done(Next::edges());
      };
      switch (pace_.next_u64() % 3) {
        case 0:
          return finish();
        case 1:
          return context.scheduler().post(std::move(finish));
        default:
          context.scheduler().after(core::Millis(pace_.next_u64() % 400), std::move(finish));
      }
    };
  }

  core::SeededEntropy random_;
  core::SeededEntropy& pace_;
  int names_ = 0;
};

class ResumePropertyTest : public EngineTest, public testing::WithParamInterface<std::uint64_t> {
 protected:
  ResumePropertyTest() : pace_(GetParam() + 1'000), random_graph_(GetParam(), pace_) {}

  void SetUp() override {
    values_each_node_ = GetParam() % 2 == 0;
    graph_ = random_graph_.make();
    ASSERT_NE(graph_, nullptr);
  }
  void run_to_end(Entry entry, std::unique_ptr<State> state) {
    start(graph_, std::move(entry), std::move(state));
    scheduler_.advance(core::Millis(10'000'000));
    ASSERT_TRUE(result_);
  }
  void run_to_end() { run_to_end({}, std::make_unique<TraceState>()); }

  // Where a run goes on after the n-th event, a checkpoint.
  Entry entry_after(std::size_t index) const {
    const auto& checkpoint = std::get<runtime::Checkpoint>(sink_.entries.at(index).event);
    Entry entry;
    entry.node = *checkpoint.next;
    entry.step = static_cast<std::uint64_t>(checkpoint.step);
    entry.last_node_id = sink_.entries.at(index).node_id;
    for (std::size_t i = 0; i < index; ++i) {
      if (std::holds_alternative<runtime::NodeEnter>(sink_.entries[i].event)) ++entry.node_runs;
    }
    return entry;
  }
  static void fold_checked(TraceState& state, const std::string& written) {
    const core::Result<void> done = fold(state, written);
    ASSERT_TRUE(done) << done.error().message;
  }

  core::SeededEntropy pace_;
  RandomGraph random_graph_;
  std::shared_ptr<const Graph> graph_;
};

TEST_P(ResumePropertyTest, ARunResumedAtAnyCheckpointEndsAsTheUninterruptedOne) {
  run_to_end();
  ASSERT_EQ(result_->end, End::finished);
  const std::string whole = state().whole();
  const std::uint64_t steps = result_->steps;
  const std::vector<RecordingSink::Entry> events = sink_.entries;
  auto kept = std::make_unique<TraceState>();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto* checkpoint = std::get_if<runtime::Checkpoint>(&events[i].event);
    if (checkpoint == nullptr) continue;
    fold_checked(*kept, checkpoint->state);
    sink_.entries = events;
    sink_.entries.resize(i + 1);
    run_to_end(entry_after(i), kept->clone());
    EXPECT_EQ(result_->end, End::finished);
    EXPECT_EQ(state().whole(), whole) << "from checkpoint " << *checkpoint->next;
    EXPECT_EQ(result_->steps, steps) << "from checkpoint " << *checkpoint->next;
    // A reader who saw the first part, and goes on with the second.
    auto reader = std::make_unique<TraceState>(*kept);
    for (std::size_t later = i + 1; later < sink_.entries.size(); ++later) {
      const auto* next = std::get_if<runtime::Checkpoint>(&sink_.entries[later].event);
      if (next != nullptr) fold_checked(*reader, next->state);
    }
    EXPECT_EQ(reader->whole(), whole);
    std::set<std::string> ids;
    for (const std::string& id : node_ids()) EXPECT_TRUE(ids.insert(id).second) << id;
  }
}

TEST_P(ResumePropertyTest, WhatIsWrittenAddsUpToTheState) {
  run_to_end();
  TraceState by_updates;
  TraceState by_checkpoints;
  TraceState by_both;
  std::string values;
  for (const RecordingSink::Entry& entry : sink_.entries) {
    if (const auto* it = std::get_if<runtime::Values>(&entry.event)) values = it->state;
    if (const auto* it = std::get_if<runtime::Checkpoint>(&entry.event)) {
      fold_checked(by_checkpoints, it->state);
      fold_checked(by_both, it->state);
      EXPECT_EQ(by_both.whole(), by_checkpoints.whole());
    }
    if (const auto* it = std::get_if<runtime::Updates>(&entry.event)) {
      fold_checked(by_updates, it->state);
      fold_checked(by_both, it->state);
      EXPECT_EQ(by_both.whole(), by_updates.whole());
      if (values_each_node_) {
        EXPECT_EQ(by_updates.whole(), values);
      }
    }
  }
  EXPECT_EQ(values, state().whole());
  EXPECT_EQ(by_updates.whole(), values);
  EXPECT_EQ(by_checkpoints.whole(), values);
}

TEST_P(ResumePropertyTest, ThePaceOfTheNodesDoesNotChangeTheEnd) {
  run_to_end();
  const std::string whole = state().whole();
  for (int i = 0; i < 3; ++i) {
    run_to_end();
    EXPECT_EQ(state().whole(), whole);
  }
}

TEST_P(ResumePropertyTest, ARunCancelledAtAnyTimeEndsInTimeAndCanBeResumed) {
  run_to_end();
  const std::string whole = state().whole();
  core::SeededEntropy random(GetParam() + 5'000);
  for (int i = 0; i < 5; ++i) {
    sink_.entries.clear();
    source_ = core::CancelSource();
    start(graph_);
    scheduler_.advance(core::Millis(random.next_u64() % 1'500));
    source_.cancel("at random");
    scheduler_.advance(kCancelPatience);
    ASSERT_TRUE(result_);
    std::map<std::string, int> open;
    TraceState kept;
    Entry entry;
    for (std::size_t at = 0; at < sink_.entries.size(); ++at) {
      const RecordingSink::Entry& it = sink_.entries[at];
      if (std::holds_alternative<runtime::NodeEnter>(it.event)) ++open[it.node_id];
      if (std::holds_alternative<runtime::NodeExit>(it.event)) --open[it.node_id];
      if (const auto* checkpoint = std::get_if<runtime::Checkpoint>(&it.event)) {
        fold_checked(kept, checkpoint->state);
        entry = entry_after(at);
      }
    }
    for (const auto& [id, count] : open) EXPECT_EQ(count, 0) << id << " was not closed";
    source_ = core::CancelSource();
    scheduler_.advance(core::Millis(10'000'000));
    run_to_end(std::move(entry), kept.clone());
    EXPECT_EQ(state().whole(), whole);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ResumePropertyTest, testing::Range(std::uint64_t{0}, kSeeds));

}  // namespace
}  // namespace parley::graph
