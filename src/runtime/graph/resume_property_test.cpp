// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Property test with random graphs from a seed: chains, loops, choices, parallel parts, subgraphs;
// nodes that finish at once or later, fail and are retried, make a checkpoint in the middle, or
// prune their log. A run that is resumed at any checkpoint ends in the same state as one without a
// stop, and its written states fold to that state.
#include <gmock/gmock.h>

#include <set>

#include "tests/support/graph/engine_fixture.h"

namespace parley::graph {
namespace {

using End = ExecutionResult::End;
using runtime::RecordingSink;

constexpr std::uint64_t kSeeds = 80;

// Makes a graph from a seed. The effects of a node depend only on its name and the state; the time
// of its result depends on `pace`, which differs between runs.
class RandomGraph {
 public:
  RandomGraph(std::uint64_t seed, core::SeededEntropy& pace) : random_(seed), pace_(pace) {}

  // True: from now on nodes fail at random, which fails the run.
  void break_down(bool broken) { broken_ = broken; }

  // `own`: for a state that is not the run's, where interrupts are not allowed.
  std::shared_ptr<const Graph> make(int depth = 0, bool own = false) {
    const bool outer = std::exchange(own_, own);
    GraphBuilder builder;
    std::string at(kStart);
    const std::uint64_t parts = 1 + pick(4);
    for (std::uint64_t i = 0; i < parts; ++i) at = add_part(builder, at, depth);
    builder.edge(at, std::string(kEnd));
    own_ = outer;
    const auto graph = builder.compile({100'000});
    EXPECT_TRUE(graph) << graph.error().message;
    return graph ? *graph : nullptr;
  }

 private:
  struct Ways {
    bool fails = false;  // in the first attempt
    bool kept = false;
    bool prunes = false;
    bool asks = false;
    std::vector<std::shared_ptr<const Graph>> invoked;
  };

  std::uint64_t pick(std::uint64_t count) { return random_.next_u64() % count; }

  std::string add_node(GraphBuilder& builder, int depth) {
    const std::string name = "n" + std::to_string(++names_);
    NodeOptions options;
    Ways ways{pick(5) == 0, pick(4) == 0, pick(9) == 0, false, {}};
    // A checkpoint in the middle of a node would lose the answer.
    ways.asks = pick(6) == 0 && !own_ && !ways.kept;
    if (depth < 2 && pick(6) == 0) {
      for (std::uint64_t i = pick(3); i < 3; ++i) ways.invoked.push_back(make(2, true));
    }
    if (ways.fails) options.retry = {1, core::Millis(5), 1.0, core::Millis(5)};
    builder.node(name, work(name, std::move(ways)), options);
    return name;
  }

  // Adds a part after `from`; returns the part's last node.
  std::string add_part(GraphBuilder& builder, const std::string& from, int depth) {
    switch (pick(depth < 2 ? 5 : 4)) {
      case 0: {
        const std::string node = add_node(builder, depth);
        builder.edge(from, node);
        return node;
      }
      case 1: {
        const std::string node = add_node(builder, depth);
        const std::string after = add_node(builder, depth);
        builder.edge(from, node);
        builder.conditional(node, by_number(2), {{"0", node}, {"1", after}});
        return after;
      }
      case 2: {
        const std::string node = add_node(builder, depth);
        const std::string left = add_node(builder, depth);
        const std::string right = add_node(builder, depth);
        const std::string join = add_node(builder, depth);
        builder.edge(from, node).edge(left, join).edge(right, join);
        builder.conditional(node, by_number(2), {{"0", left}, {"1", right}});
        return join;
      }
      case 3: {
        std::vector<std::string> branches;
        const std::uint64_t count = 1 + pick(4);
        for (std::uint64_t i = 0; i < count; ++i) {
          branches.push_back(pick(4) == 0 && depth < 2 ? add_graph(builder, depth, true)
                                                       : add_branch(builder, depth));
        }
        const std::string join = add_node(builder, depth);
        builder.parallel(from, branches, join, merge);
        return join;
      }
      default: {
        const std::string node = add_graph(builder, depth, own_);
        builder.edge(from, node);
        return node;
      }
    }
  }

  std::string add_branch(GraphBuilder& builder, int depth) {
    const bool outer = std::exchange(own_, true);
    std::string name = add_node(builder, depth);
    own_ = outer;
    return name;
  }

  std::string add_graph(GraphBuilder& builder, int depth, bool own) {
    const std::string name = "g" + std::to_string(++names_);
    builder.subgraph(name, make(depth + 1, own));
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

  NodeFn work(const std::string& name, Ways ways) {
    return [this, name, ways = std::move(ways)](NodeContext& context, State& state, NodeDone done) {
      TraceState& mine = trace(state);
      const std::string half = name + " half";
      if (ways.kept && (mine.log.empty() || mine.log.back() != half)) {
        mine.log.push_back(half);
        mix(mine, half);
        context.checkpoint();
      }
      auto finish = [this, &context, &mine, name, &ways, done = std::move(done)]() mutable {
        if (ways.asks && !context.resume_value()) return ask(context, mine, std::move(done));
        mix(mine, name);
        mine.log.push_back(name);
        if ((ways.fails && context.attempt() == 1) || (broken_ && pace_.next_u64() % 12 == 0)) {
          return done(core::fail(core::Code::unavailable, "gone"));
        }
        if (ways.asks) mix(mine, *context.resume_value());
        if (ways.prunes && mine.log.size() > 2) {
          mine.log.erase(mine.log.begin(), mine.log.end() - 2);
          ++mine.revision;
        }
        invoke(context, mine, ways.invoked, std::move(done));
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

  // Asks again with the same question if the answer was lost. The answer is derived from the
  // question.
  static void ask(NodeContext& context, TraceState& mine, NodeDone done) {
    const std::string asked = "asked by " + context.name();
    if (mine.log.empty() || mine.log.back() != asked) mine.log.push_back(asked);
    done(Next::interrupt(std::to_string(mine.number)));
  }

  static void invoke(NodeContext& context, TraceState& mine,
                     const std::vector<std::shared_ptr<const Graph>>& graphs, NodeDone done) {
    if (graphs.empty()) return done(Next::edges());
    struct Results {
      std::vector<std::string> words;
      std::size_t left = 0;
      NodeDone done;
    };
    auto results = std::make_shared<Results>();
    results->words.resize(graphs.size());
    results->left = graphs.size();
    results->done = std::move(done);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      auto first = std::make_unique<TraceState>();
      mix(*first, std::to_string(mine.number) + "/" + std::to_string(i));
      context.invoke(graphs[i], std::move(first), {},
                     [results, &mine, i](core::Result<std::unique_ptr<State>> end) {
                       if (!end) return results->done(core::fail(end.error()));
                       results->words[i] = trace(**end).whole();
                       if (--results->left > 0) return;
                       for (const std::string& word : results->words) mix(mine, word);
                       results->done(Next::edges());
                     });
    }
  }

  core::SeededEntropy random_;
  core::SeededEntropy& pace_;
  int names_ = 0;
  bool own_ = false;
  bool broken_ = false;
};

class ResumePropertyTest : public EngineTest, public testing::WithParamInterface<std::uint64_t> {
 protected:
  ResumePropertyTest() : pace_(GetParam() + 1'000), random_graph_(GetParam(), pace_) {}

  void SetUp() override {
    values_each_node_ = GetParam() % 2 == 0;
    graph_ = random_graph_.make();
    ASSERT_NE(graph_, nullptr);
  }
  // Answers every interrupt. At the end all events are in the sink.
  void run_to_end(Entry entry, std::unique_ptr<State> state) {
    start(graph_, std::move(entry), std::move(state));
    scheduler_.advance(core::Millis(1'000'000));
    ASSERT_TRUE(result_);
    while (result_->end == End::interrupted) {
      Entry next = entry_after(sink_.entries.size() - 1);
      ASSERT_EQ(next.node, result_->node);
      next.value = "answer to " + result_->payload;
      start(graph_, std::move(next), std::move(result_->state));
      scheduler_.advance(core::Millis(1'000'000));
      ASSERT_TRUE(result_);
    }
  }
  void run_to_end() {
    sink_.entries.clear();
    run_to_end({}, std::make_unique<TraceState>());
  }

  // The entry for the checkpoint that is event number `index`.
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
  // The entry for the last checkpoint in the sink, and its state.
  std::pair<Entry, std::unique_ptr<State>> last_checkpoint() const {
    auto state = std::make_unique<TraceState>();
    Entry entry;
    for (std::size_t i = 0; i < sink_.entries.size(); ++i) {
      const auto* it = std::get_if<runtime::Checkpoint>(&sink_.entries[i].event);
      if (it == nullptr) continue;
      fold_checked(*state, it->state);
      entry = entry_after(i);
    }
    return {std::move(entry), std::move(state)};
  }
  static void fold_checked(TraceState& state, const std::string& written) {
    const core::Result<void> done = fold(state, written);
    ASSERT_TRUE(done) << done.error().message;
  }

  core::SeededEntropy pace_;
  RandomGraph random_graph_;
  std::shared_ptr<const Graph> graph_;
};

TEST_P(ResumePropertyTest, RunResumedAnywhere_EndsAsUninterrupted) {
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
    // A reader that continues from the first part of the events with the second.
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

TEST_P(ResumePropertyTest, WrittenUpdates_AddUpToState) {
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

TEST_P(ResumePropertyTest, PaceOfNodes_DoesNotChangeResult) {
  run_to_end();
  const std::string whole = state().whole();
  for (int i = 0; i < 3; ++i) {
    run_to_end();
    EXPECT_EQ(state().whole(), whole);
  }
}

TEST_P(ResumePropertyTest, RunCancelledAnytime_EndsInTime_Resumes) {
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
    for (const RecordingSink::Entry& it : sink_.entries) {
      if (std::holds_alternative<runtime::NodeEnter>(it.event)) ++open[it.node_id];
      if (std::holds_alternative<runtime::NodeExit>(it.event)) --open[it.node_id];
    }
    for (const auto& [id, count] : open) EXPECT_EQ(count, 0) << id << " was not closed";
    auto [entry, kept] = last_checkpoint();
    source_ = core::CancelSource();
    scheduler_.advance(core::Millis(1'000'000));
    if (result_->end == End::interrupted) entry.value = "answer to " + result_->payload;
    run_to_end(std::move(entry), std::move(kept));
    EXPECT_EQ(state().whole(), whole);
  }
}

TEST_P(ResumePropertyTest, RunWithFailingNodes_ResumesUntilEnd) {
  run_to_end();
  const std::string whole = state().whole();
  sink_.entries.clear();
  random_graph_.break_down(true);
  run_to_end({}, std::make_unique<TraceState>());
  for (int tries = 0; result_->end == End::failed; ++tries) {
    ASSERT_EQ(result_->error->message, "gone");
    if (tries == 30) random_graph_.break_down(false);
    auto [entry, kept] = last_checkpoint();
    run_to_end(std::move(entry), std::move(kept));
  }
  EXPECT_EQ(result_->end, End::finished);
  EXPECT_EQ(state().whole(), whole);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ResumePropertyTest, testing::Range(std::uint64_t{0}, kSeeds));

}  // namespace
}  // namespace parley::graph
