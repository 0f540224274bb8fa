// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/agent_graph.h"

#include <memory>
#include <utility>

#include "base/core/ask.h"
#include "base/core/entropy.h"
#include "runtime/graph/graph.h"

namespace parley::agent {
namespace {

// Placeholder for a graph that is only printed; never asked.
class NoModel final : public model::Model {
 public:
  const std::string& id() const override { return id_; }
  std::uint64_t context_tokens() const override { return 0; }
  void ask(model::ModelRequest /*request*/, model::ModelEvents /*events*/,
           core::Scheduler& scheduler, const core::CancelToken& /*cancel*/, Done done) override {
    core::reply(scheduler, std::move(done),
                core::fail(core::Code::unavailable, "There is no model."));
  }

 private:
  const std::string id_ = "none";
};

}  // namespace

core::Result<GraphText> graph_text(Kind kind) {
  core::SystemEntropy entropy;
  auto parts = std::make_shared<AgentParts>();
  parts->model = std::make_shared<NoModel>();
  parts->entropy = &entropy;
  const auto graph = make_graph(kind, std::move(parts));
  if (!graph) return core::fail(graph.error());
  return GraphText{graph::to_dot(**graph), graph::to_mermaid(**graph)};
}

}  // namespace parley::agent
