// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Compares the events of each kind of agent, in order, with testing/transcripts. If
// PARLEY_WRITE_TRANSCRIPTS is set in the environment, the files are written instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using testing::echo_tool;
using testing::FakeReply;
using testing::FakeTool;
using testing::task_of;

void compare(const std::string& name, const AgentWorld& world) {
  const std::string file = std::string(PARLEY_TRANSCRIPTS) + "/" + name + ".ndjson";
  const std::string now = testing::transcript(world.sink);
  if (std::getenv("PARLEY_WRITE_TRANSCRIPTS") != nullptr) {
    std::ofstream(file, std::ios::binary) << now;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  std::stringstream kept;
  kept << in.rdbuf();
  std::istringstream expected(kept.str());
  std::istringstream actual(now);
  std::string expected_line;
  std::string line;
  for (int number = 1; std::getline(actual, line); ++number) {
    ASSERT_TRUE(std::getline(expected, expected_line)) << name << " has more lines: " << line;
    ASSERT_EQ(line, expected_line) << name << ", line " << number;
  }
  EXPECT_FALSE(std::getline(expected, expected_line)) << name << " lacks: " << expected_line;
}

FakeReply spoken(std::vector<std::string> chunks) {
  FakeReply reply;
  reply.chunks = std::move(chunks);
  return reply;
}

TEST(Transcript, React) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  FakeReply two = spoken({"Let me ", "look."});
  two.reasoning = "Two calls will do.";
  two.calls = {{"c1", "echo", R"({"text": "one"})"}, {"c2", "missing", "{}"}};
  world.model->replies = {two, spoken({"Both ", "are done."})};
  world.run(Kind::react, "Say one");
  compare("react", world);
}

TEST(Transcript, FailedReact) {
  AgentWorld world;
  FakeReply away = spoken({"I wa"});
  away.error = core::Error{core::Code::data_loss, "The reply ended in the middle."};
  world.model->replies = {away};
  world.run(Kind::react, "Say one");
  compare("react_fails", world);
}

TEST(Transcript, Dup) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->replies = {
      FakeReply::text(R"({"core_goal":"Say x","key_constraints":[],"relevant_context":""})"),
      FakeReply::call("c1", "echo", R"({"text":"x"})"), FakeReply::text("Said.")};
  world.run(Kind::dup, "Say x");
  compare("dup", world);
}

TEST(Transcript, Tot) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.parts->tools.add(std::make_shared<FakeTool>(
      "fail", R"({"type":"object"})",
      [](const auto&, const auto&) { return tool::ToolResult::error("No such file."); }));
  world.model->replies = {
      FakeReply::text(
          R"({"candidates":[{"thought":"First","tool_calls":[{"name":"fail","arguments":{}}]},)"
          R"({"thought":"Second","tool_calls":[{"name":"echo","arguments":{"text":"x"}}]}]})"),
      FakeReply::text(R"({"scores":[0.75,0.5]})"),
      FakeReply::text("CANDIDATE 1: THOUGHT: It is x. | TOOL_CALLS: []")};
  world.run(Kind::tot, "Find x");
  compare("tot", world);
}

FakeReply plan_and_work(const model::ModelRequest& request) {
  const std::string task = task_of(request);
  if (task == "got_plan") {
    return FakeReply::text(
        R"({"nodes":[{"id":"a","description":"Analyze A"},{"id":"b","description":"Do B"},)"
        R"({"id":"c","description":"Do C"}],"edges":[["a","c"]]})");
  }
  if (task == "got_complexity") return FakeReply::text("complex");
  if (task == "got_decompose") return FakeReply::text(R"({"nodes":["Part 1","Part 2"]})");
  if (task == "summary") return spoken({"All ", "together."});
  if (request.messages.back().role == model::Role::tool) return FakeReply::text("With a tool.");
  if (request.messages[1].content.ends_with("Do B")) {
    return FakeReply::call("c1", "echo", R"({"text":"b"})");
  }
  return FakeReply::text("Done.");
}

TEST(Transcript, Got) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->script = plan_and_work;
  world.run(Kind::got, "Do it all");
  compare("got", world);
}

TEST(Transcript, Agot) {
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  world.model->script = plan_and_work;
  world.run(Kind::agot, "Do it all");
  compare("agot", world);
}

}  // namespace
}  // namespace parley::agent
