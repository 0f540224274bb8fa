// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "runtime/graph/compiled_graph.h"
#include "runtime/graph/outcome.h"
#include "runtime/graph/run_record.h"

namespace parley::graph {

class NodeEntry;
class Traversal;

// A graph that a node runs through NodeContext::invoke(), on a state of its own. Owned by the
// node's entry.
class Invocation : public std::enable_shared_from_this<Invocation> {
 public:
  Invocation(NodeEntry& entry, std::shared_ptr<const Graph> graph, std::shared_ptr<StateBox> box,
             NodeContext::InvokeDone done);

  // Begins in a later turn. `cancel` ends only this invocation.
  void start(core::CancelToken cancel);
  void tell(core::Result<std::unique_ptr<State>> result);
  // Ends the invocation at once, without calling `done`.
  void abandon();

 private:
  void on_end(Outcome outcome);

  NodeEntry& entry_;
  std::shared_ptr<StateBox> box_;
  core::CancelSource source_;
  core::CancelToken alone_;
  core::CancelToken::Registration on_cancel_;
  NodeContext::InvokeDone done_;
  std::shared_ptr<Traversal> traversal_;
};

// The owner of a node's entry. Must outlive the entry, or abandon it before.
class EntryOwner {
 public:
  EntryOwner() = default;
  EntryOwner(const EntryOwner&) = delete;
  EntryOwner& operator=(const EntryOwner&) = delete;
  virtual ~EntryOwner() = default;

  // Called once. The owner emits the entry's node_exit, once it knows the next node.
  virtual void on_outcome(NodeEntry& entry, Outcome outcome) = 0;
};

// One entry of a node: its attempts, the waits between them, the graphs that it invokes. A node
// that does not call its `done` within kCancelPatience after a cancellation is abandoned: its later
// calls have no effect.
class NodeEntry final : public NodeContext, public std::enable_shared_from_this<NodeEntry> {
 public:
  struct Setup {
    RunRecord& record;
    EntryOwner& owner;
    std::shared_ptr<const Graph> graph;
    std::size_t node = 0;
    std::shared_ptr<StateBox> box;
    core::CancelToken cancel;
    const std::string& prefix;  // prefix of paths, "outer/"; lives in the owner
    bool own_state = false;  // the state is not the run's (branch, invoked graph): no checkpoints
    int depth = 0;           // nesting of graphs
    std::uint64_t steps_before = 0;
    Resume resume;
  };

  explicit NodeEntry(Setup setup);
  ~NodeEntry() override;

  // Emits node_enter and runs the node. on_outcome() may be called before this returns.
  void start();
  void exit(std::optional<std::string> error);
  // Ends the entry at once as cancelled, together with the graphs within it.
  void abandon();

  const Graph::Node& node() const { return setup_.graph->nodes()[setup_.node]; }

  const std::string& name() const override { return node().name; }
  const std::string& node_id() const override { return node_id_; }
  std::uint64_t step() const override { return setup_.record.steps(); }
  int attempt() const override { return attempt_; }
  core::Scheduler& scheduler() override { return setup_.record.scheduler(); }
  const core::CancelToken& cancel() const override { return setup_.cancel; }
  const std::optional<std::string>& resume_value() const override { return setup_.resume.value; }
  void emit(runtime::RunEvent event) override;
  void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) override;
  void checkpoint() override;
  void invoke(std::shared_ptr<const Graph> graph, std::unique_ptr<State> state,
              core::CancelToken cancel, InvokeDone done) override;

 private:
  enum class Phase : std::uint8_t { running, waiting, ended };
  class Answer;
  friend class Invocation;

  void start_inner();
  void start_attempt();
  void watch_cancel();
  void answered(int attempt, core::Result<Next> result);
  void dropped(int attempt);
  void failed(core::Error error);
  void wait_to_retry();
  void on_cancel();
  void end(Outcome outcome);
  void end_invocations();
  void invoked(Invocation& invocation, core::Result<std::unique_ptr<State>> result);
  // "node "think" (run-think-0), attempt 1, phase 0", for assertions.
  std::string label() const;
  bool may_retry() const { return attempt_ <= node().options.retry.retries; }
  std::string path() const { return setup_.prefix + name(); }

  Setup setup_;
  std::string node_id_;
  Phase phase_ = Phase::waiting;
  int attempt_ = 0;
  bool exited_ = false;            // node_exit is emitted
  bool calling_ = false;           // inside the node's function
  bool dropped_ = false;           // `done` was destroyed during that call
  std::unique_ptr<State> before_;  // the state with which the next attempt begins
  core::TimerId timer_ = 0;
  core::CancelToken::Registration on_cancel_;
  std::shared_ptr<Traversal> inner_;
  std::list<std::shared_ptr<Invocation>> invocations_;
};

}  // namespace parley::graph
