// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The built-in demonstration in every kind of agent: a simple request is carried out without an
// account.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/agent/agent.h"
#include "runtime/demo_model/demo_model.h"
#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using ::testing::Contains;
using testing::FakeTool;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPathSchema =
    R"({"type":"object","properties":{"path":{"type":"string","description":"The file"}},)"
    R"("required":["path"]})";

// Counts the calls of a model, and reports the same usage for each.
class Counting final : public model::Model {
 public:
  explicit Counting(std::shared_ptr<model::Model> inner) : inner_(std::move(inner)) {}
  const std::string& id() const override { return inner_->id(); }
  std::uint64_t context_tokens() const override { return inner_->context_tokens(); }
  void ask(model::ModelRequest request, model::ModelEvents events, core::Scheduler& scheduler,
           const core::CancelToken& cancel, Done done) override {
    ++calls;
    inner_->ask(std::move(request), std::move(events), scheduler, cancel,
                [done = std::move(done)](core::Result<model::ModelReply> reply) mutable {
                  if (reply) reply->usage = runtime::Usage{1, 10, 100};
                  done(std::move(reply));
                });
  }

  std::uint64_t calls = 0;

 private:
  const std::shared_ptr<model::Model> inner_;
};

class OfflineAgents : public ::testing::TestWithParam<Kind> {
 protected:
  OfflineAgents() {
    world.parts->model = demo_model::make_demo_model({.delay = core::Millis(0)});
    world.parts->tools.add(std::make_shared<FakeTool>(
        "read", kPathSchema, [this](const tool::ToolContext&, const boost::json::object& given) {
          paths.emplace_back(given.at("path").as_string().c_str());
          return tool::ToolResult::ok("The moon is made of basalt.");
        }));
  }

  AgentWorld world;
  std::vector<std::string> paths;
};

TEST_P(OfflineAgents, File_IsReadAndSummarized) {
  world.run(GetParam(), "Read the file a.txt");
  world.scheduler.advance(std::chrono::seconds(5));
  ASSERT_TRUE(world.result);
  ASSERT_EQ(world.result->end, graph::ExecutionResult::End::finished) << world.error();
  EXPECT_THAT(paths, Contains("a.txt"));
  EXPECT_THAT(world.outcome().reply, HasSubstr("basalt")) << testing::transcript(world.sink);
  EXPECT_THAT(world.outcome().reply, Not(HasSubstr("Tool read result")));
  EXPECT_TRUE(is_paired(world.messages(), false));
}

TEST_P(OfflineAgents, File_IsReadByClientToolInBothLanguages) {
  for (const char* request :
       {"Read the file a.txt and tell me what it says.", "读取文件 a.txt，告诉我里面写了什么"}) {
    AgentWorld other;
    other.parts->model = world.parts->model;
    std::string path;
    other.parts->tools.add(std::make_shared<FakeTool>(
        "readFile",
        R"({"type":"object","properties":{"filePath":{"type":"string"}},"required":["filePath"]})",
        [&path](const tool::ToolContext&, const boost::json::object& given) {
          path = given.at("filePath").as_string().c_str();
          return tool::ToolResult::ok("The moon is made of basalt.");
        }));
    other.run(GetParam(), request);
    other.scheduler.advance(std::chrono::seconds(5));
    ASSERT_TRUE(other.result);
    ASSERT_EQ(other.result->end, graph::ExecutionResult::End::finished) << other.error();
    EXPECT_EQ(path, "a.txt");
    EXPECT_THAT(other.outcome().reply, HasSubstr("basalt")) << testing::transcript(other.sink);
    EXPECT_THAT(other.outcome().reply, Not(HasSubstr("parley models"))) << "each step is done";
  }
}

TEST_P(OfflineAgents, EveryStep_IsInReply) {
  world.parts->tools.add(std::make_shared<FakeTool>(
      "ls", kPathSchema,
      [](const auto&, const auto&) { return tool::ToolResult::ok("here.txt"); }));
  world.run(GetParam(), "Read the file a.txt, then list the files here.");
  world.scheduler.advance(std::chrono::seconds(5));
  ASSERT_TRUE(world.result);
  ASSERT_EQ(world.result->end, graph::ExecutionResult::End::finished) << world.error();
  EXPECT_THAT(world.outcome().reply, HasSubstr("basalt"));
  EXPECT_THAT(world.outcome().reply, HasSubstr("here.txt"));
}

TEST_P(OfflineAgents, Greeting_IsAnswered) {
  world.run(GetParam(), "Hello!");
  world.scheduler.advance(std::chrono::seconds(5));
  ASSERT_TRUE(world.result);
  ASSERT_EQ(world.result->end, graph::ExecutionResult::End::finished) << world.error();
  EXPECT_FALSE(world.outcome().reply.empty());
}

TEST_P(OfflineAgents, EveryModelCall_IsCounted) {
  world.parts->model = std::make_shared<Counting>(world.parts->model);
  world.run(GetParam(), "Read the file a.txt");
  world.scheduler.advance(std::chrono::seconds(5));
  ASSERT_TRUE(world.result);
  const auto calls = static_cast<const Counting&>(*world.parts->model).calls;
  EXPECT_GE(calls, 2U);
  EXPECT_EQ(world.sink.all<runtime::Usage>().size(), calls);
  EXPECT_EQ(world.outcome().usage, (runtime::Usage{calls, 10 * calls, 100 * calls}));
}

INSTANTIATE_TEST_SUITE_P(Kinds, OfflineAgents,
                         ::testing::Values(Kind::react, Kind::dup, Kind::tot, Kind::got,
                                           Kind::agot),
                         [](const auto& kind) { return std::string(kind_name(kind.param)); });

}  // namespace
}  // namespace parley::agent
