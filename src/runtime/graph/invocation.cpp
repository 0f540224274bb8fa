// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/invocation.h"

#include <string>
#include <utility>

#include "base/core/assert.h"

namespace parley::graph {
namespace {

core::Result<std::unique_ptr<State>> result_of(Outcome outcome, StateBox& box,
                                               const core::CancelToken& cancel) {
  switch (outcome.end) {
    case Outcome::End::finished:
      return box.take();
    case Outcome::End::cancelled:
      return core::fail(core::Code::cancelled, "The graph was " + cancelled_text(cancel) + ".");
    case Outcome::End::interrupted:
      return core::fail(core::Code::failed_precondition, "A graph within a node was interrupted.");
    case Outcome::End::failed:
      break;
  }
  return core::fail(std::move(outcome.error));
}

}  // namespace

Invocation::Invocation(NodeEntry& entry, std::shared_ptr<const Graph> graph,
                       std::shared_ptr<StateBox> box, NodeContext::InvokeDone done)
    : entry_(entry), box_(std::move(box)), source_(entry.cancel()), done_(std::move(done)) {
  traversal_ = std::make_shared<Traversal>(
      Traversal::Setup{entry.setup_.record,
                       std::move(graph),
                       box_,
                       source_.token(),
                       {},
                       true,
                       entry.setup_.depth + 1,
                       [this](Outcome outcome) { on_end(std::move(outcome)); }});
}

void Invocation::start(core::CancelToken cancel) {
  PARLEY_ASSERT(done_ != nullptr,
                "node \"" + entry_.name() + "\": invokes a graph without a callback for its end");
  alone_ = std::move(cancel);
  on_cancel_ = alone_.on_cancel([weak = weak_from_this()] {
    if (const std::shared_ptr<Invocation> self = weak.lock()) {
      self->source_.cancel(self->alone_.reason());
    }
  });
  traversal_->begin_later();
}

void Invocation::on_end(Outcome outcome) {
  if (!done_) return;
  on_cancel_.reset();
  core::Result<std::unique_ptr<State>> result =
      result_of(std::move(outcome), *box_, source_.token());
  entry_.scheduler().post([record = entry_.setup_.record.shared_from_this(),
                           entry = entry_.weak_from_this(), self = shared_from_this(),
                           result = std::move(result)]() mutable {
    if (const std::shared_ptr<NodeEntry> alive = entry.lock()) {
      alive->invoked(*self, std::move(result));
    }
  });
}

void Invocation::tell(core::Result<std::unique_ptr<State>> result) {
  NodeContext::InvokeDone done = std::move(done_);
  done_ = nullptr;
  if (done) done(std::move(result));
}

void Invocation::abandon() {
  const NodeContext::InvokeDone nobody = std::move(done_);
  done_ = nullptr;
  on_cancel_.reset();
  source_.cancel("the node that began it has ended");
  traversal_->abandon();
}

}  // namespace parley::graph
