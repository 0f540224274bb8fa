// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/api/api_world.h"
#include "tests/support/run/fake_run_service.h"

namespace parley::api {
namespace {

using testing::World;

// A tool that needs approval for some of its calls.
class PickyTool final : public tool::Tool {
 public:
  const model::ToolSpec& spec() const override { return spec_; }
  std::optional<ByCall> approval_by_call() const override {
    return ByCall{tool::Approval::ask, "the method is not GET"};
  }
  void run(tool::ToolContext /*context*/, boost::json::object /*arguments*/,
           Done /*done*/) override {
    ADD_FAILURE() << "Nothing is to be called.";
  }

 private:
  const model::ToolSpec spec_{"web_fetcher", "Fetches.", R"({"type":"object"})"};
};

TEST(RunOffers, ConditionalApproval_IsShownOnTool) {
  World world;
  run::FakeRunService runs(world.hub());
  runs.toolbox.add(std::make_shared<PickyTool>());
  world.set_runs(runs);
  const auto tools = world.call("GET", "/v1/tools", "alice").json();
  const auto& fetch = tools.at("tools").at(0).as_object();
  EXPECT_EQ(fetch.at("name"), "web_fetcher");
  EXPECT_EQ(fetch.at("approval"), "auto");
  EXPECT_EQ(fetch.at("approval_by_call").at("up_to"), "ask");
  EXPECT_EQ(fetch.at("approval_by_call").at("when"), "the method is not GET");
}

TEST(RunOffers, GraphOfAgent_IsShownAsText) {
  World world;
  run::FakeRunService runs(world.hub());
  world.set_runs(runs);
  const auto graph = world.call("GET", "/v1/agents/react/graph", "alice").json();
  EXPECT_EQ(graph.at("kind"), "react");
  EXPECT_THAT(std::string(graph.at("dot").as_string()), ::testing::StartsWith("digraph"));
  EXPECT_THAT(std::string(graph.at("mermaid").as_string()), ::testing::HasSubstr("think"));
  EXPECT_EQ(world.call("GET", "/v1/agents/nobody/graph", "alice").status(), 404);
}

}  // namespace
}  // namespace parley::api
