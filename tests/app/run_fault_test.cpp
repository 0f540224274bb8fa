// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults of models, tools and MCP servers with the real program: the run either continues or ends
// with a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "program.h"
#include "run_program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using End = http_client::ScriptedAnswer::End;
using model::Script;
using model::ScriptedTurn;

// End of one run.
struct Ended {
  int status = -1;
  std::vector<RunFrame> frames;
  std::string of_reply(std::string_view name) const {
    return frames.empty() ? std::string() : frames.back().text(name);
  }
  // The frames of a type.
  std::vector<RunFrame> all(std::string_view type) const {
    std::vector<RunFrame> out;
    for (const RunFrame& frame : frames) {
      if (frame.type() == type) out.push_back(frame);
    }
    return out;
  }
};

class RunFaults : public ::testing::Test {
 protected:
  Ended run(std::vector<ScriptedTurn> turns, const std::string& agent = "react") {
    const model::ScriptedModel model(Script{"scripted", std::move(turns), false});
    const std::string settings = model_settings(dir_, model);
    std::ofstream(settings, std::ios::app) << more_settings_;
    RunProgram program(
        dir_, {"--agent", agent, "--model", kModel, "--approve", "auto", "--cwd", dir_.path(),
               "--data", dir_.file("data"), "--config", settings, "Do the work."});
    Ended ended;
    ended.status = program.wait();
    ended.frames = program.frames;
    EXPECT_FALSE(ended.frames.empty()) << program.errors();
    return ended;
  }
  static void expect_failure(const Ended& ended, const std::string& words) {
    EXPECT_EQ(ended.status, 1);
    EXPECT_EQ(ended.of_reply("stop_reason"), "error");
    EXPECT_THAT(ended.of_reply("error"), HasSubstr(words));
    EXPECT_TRUE(ended.all("node_exit").back().json.at("result").is_object()) << "the node says it";
  }
  static void expect_answer(const Ended& ended, const std::string& reply) {
    EXPECT_EQ(ended.status, 0) << ended.of_reply("error");
    EXPECT_EQ(ended.of_reply("reply"), reply);
  }
  // The only result of a tool.
  static std::string failed_result(const Ended& ended) {
    const std::vector<RunFrame> ends = ended.all("tool_end");
    if (ends.size() != 1) return "(" + std::to_string(ends.size()) + " results)";
    EXPECT_EQ(ends[0].json.at("is_error"), true);
    return ends[0].text("result");
  }

  const core::TempFolder dir_{"parley-run-faults"};
  std::string more_settings_;
};

TEST_F(RunFaults, SilentModel_MissesDeadline) {
  more_settings_ = "idle_timeout = \"1s\"\n";
  ScriptedTurn silent = ScriptedTurn::say("Let me see, I");
  silent.end = End::hang;
  silent.pieces_before_end = 1;
  silent.repeat = -1;
  expect_failure(run({silent}), "sent nothing for 1 s");
}

TEST_F(RunFaults, HundredMegabyteReply_IsStoppedAtLimit) {
  ScriptedTurn endless = ScriptedTurn::say(std::string(64'000, 'a'));
  endless.chunk_bytes = 64'000;
  endless.end = End::endless;
  endless.repeat = -1;
  expect_failure(run({endless}), "larger than 8 MiB");
}

TEST_F(RunFaults, BrokenAnswer_IsRetriedAndTold) {
  ScriptedTurn cut = ScriptedTurn::say("This will be cut off.");
  cut.end = End::cut;
  cut.pieces_before_end = 2;
  const Ended ended = run({cut, ScriptedTurn::say("There.")});
  expect_answer(ended, "There.");
  ASSERT_FALSE(ended.all("custom").empty());
  EXPECT_THAT(ended.all("custom").front().line, HasSubstr("model_retry"));
}

TEST_F(RunFaults, NonJsonAnswers_EndInWords) {
  ScriptedTurn garbage;
  garbage.raw = {"data: {\"choices\":[{\"del", "\n\n", "data: \xff\xfe\n\n"};
  garbage.repeat = -1;
  const Ended ended = run({garbage});
  EXPECT_EQ(ended.status, 1);
  EXPECT_FALSE(ended.of_reply("error").empty());
}

TEST_F(RunFaults, PlanWithCycle_IsRetriedThenRefusedInWords) {
  ScriptedTurn cycle =
      ScriptedTurn::say(R"({"nodes":[{"id":"a","description":"x"},{"id":"b","description":"y"}],)"
                        R"("edges":[["a","b"],["b","a"]]})");
  cycle.repeat = 2;
  const Ended ended = run({cycle}, "got");
  expect_failure(ended, "cycle");
  EXPECT_EQ(ended.all("custom").size(), 2U);
}

TEST_F(RunFaults, BadArgumentsAndMissingFiles_AreResults) {
  const Ended broken = run({ScriptedTurn::call("read", R"({"path": "a.tx)"),
                            ScriptedTurn::say("I wrote that wrongly.")});
  expect_answer(broken, "I wrote that wrongly.");
  EXPECT_THAT(failed_result(broken), HasSubstr("The call of 'read' was not made"));
  const Ended missing = run({ScriptedTurn::call("read", R"({"path": "none.txt"})"),
                             ScriptedTurn::say("It is not there.")});
  expect_answer(missing, "It is not there.");
  EXPECT_THAT(failed_result(missing), HasSubstr("no such file"));
  const Ended unknown = run({ScriptedTurn::call("levitate", "{}"), ScriptedTurn::say("I cannot.")});
  expect_answer(unknown, "I cannot.");
  EXPECT_THAT(failed_result(unknown), HasSubstr("There is no tool 'levitate'"));
}

TEST_F(RunFaults, McpServerExitInCall_IsNamedInResult) {
  more_settings_ = "[runs]\nmcp_config = \"" + dir_.file("mcp.json") + "\"\n";
  std::ofstream(dir_.file("mcp.json"))
      << R"({"mcpServers":{"frail":{"command":")" << MCP_TEST_SERVER << R"(","args":["good"]}}})";
  const Ended ended = run({ScriptedTurn::call("die", "{}"), ScriptedTurn::say("It died.")});
  expect_answer(ended, "It died.");
  EXPECT_THAT(failed_result(ended), HasSubstr("frail"));
}

TEST_F(RunFaults, FullFileSystem_IsResult) {
  // Every write to it fails with "disk full".
  std::filesystem::create_symlink("/dev/full", dir_.file("full"));
  const Ended ended = run(
      {ScriptedTurn::call("bash", R"({"command":"echo x > full"})"), ScriptedTurn::say("Full.")});
  expect_answer(ended, "Full.");
  EXPECT_THAT(failed_result(ended), HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace parley::tests
