// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/case_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tools/conformance/server_process.h"

namespace parley::conformance {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Runs cases over programs that every system has, so that no server is needed.
class CaseRunnerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_IGN); }

  CaseResult run(const std::string& steps) {
    const std::string text = R"({"fragments": {"cat": [
      {"connect": "cat", "over": "stdio", "command": ["cat"]}]},
      "cases": [{"name": "n", "source": "doc 7", "steps": [)" +
                             steps + "]}]}";
    auto cases = parse_case_file(text, "case.json");
    EXPECT_TRUE(cases.has_value()) << cases.error().message;
    if (!cases) return {};
    Surroundings surroundings;
    surroundings.variables = {{"token", "secret-value"}};
    surroundings.schemas = &schemas_;
    surroundings.entropy = &entropy_;
    surroundings.clock = &clock_;
    surroundings.server = server_;
    return run_case(cases->front(), surroundings);
  }

  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  SchemaCache schemas_;
  ServerProcess* server_ = nullptr;
};

TEST_F(CaseRunnerTest, ExpectedSteps_Pass) {
  const CaseResult result = run(R"(
    {"use": "cat"},
    {"send": "cat", "message": {"id": 7, "name": "${unique:n}"}},
    {"expect": "cat", "message": {"id": {"$bind": "id"}, "name": "${unique:n}"}},
    {"check": "${id}", "is": 7},
    {"close": "cat"},
    {"expect_exit": "cat", "code": 0})");
  EXPECT_EQ(result.verdict, Verdict::passed) << result.failure.what;
  EXPECT_EQ(result.name, "n");
  EXPECT_EQ(result.source, "doc 7");
}

TEST_F(CaseRunnerTest, WrongMessage_FailsWithPathExpectedAndGot) {
  const CaseResult result = run(R"(
    {"use": "cat"},
    {"send": "cat", "message": {"id": 7}},
    {"expect": "cat", "message": {"id": 8}})");
  ASSERT_EQ(result.verdict, Verdict::failed);
  EXPECT_EQ(result.failure.step, 3U);
  EXPECT_EQ(result.failure.verb, "expect");
  EXPECT_EQ(result.failure.path, "/id");
  EXPECT_EQ(result.failure.expected, "8");
  EXPECT_EQ(result.failure.got, "7");
  EXPECT_THAT(result.trace, Contains(HasSubstr("cat <- {\"id\":7}")));
}

TEST_F(CaseRunnerTest, Expect_TakesNextMessageUnlessSkipping) {
  const std::string two = R"(
    {"use": "cat"},
    {"send": "cat", "message": {"id": 1}},
    {"send": "cat", "message": {"id": 2}},)";
  EXPECT_EQ(run(two + R"({"expect": "cat", "message": {"id": 2}})").verdict, Verdict::failed);
  EXPECT_EQ(run(two + R"({"expect": "cat", "skip": true, "message": {"id": 2}})").verdict,
            Verdict::passed);
  EXPECT_EQ(run(two + R"({"expect": "cat", "skip": [{"id": 1}], "message": {"id": 2}})").verdict,
            Verdict::passed);
  EXPECT_EQ(run(two + R"({"expect": "cat", "skip": [{"id": 3}], "message": {"id": 2}})").verdict,
            Verdict::failed);
}

TEST_F(CaseRunnerTest, Times_RepeatsSendsAndExpects) {
  const std::string three = R"(
    {"use": "cat"},
    {"send": "cat", "message": {"id": 1}, "times": 3},
    {"send": "cat", "message": {"id": 2}},)";
  EXPECT_EQ(run(three + R"({"expect": "cat", "message": {"id": 1}, "times": 3},
                           {"expect": "cat", "message": {"id": 2}})")
                .verdict,
            Verdict::passed);
  EXPECT_EQ(run(three + R"({"expect": "cat", "message": {"id": 1}, "times": 2},
                           {"expect": "cat", "message": {"id": 2}})")
                .verdict,
            Verdict::failed);
  const CaseResult more =
      run(three + R"({"expect": "cat", "message": {"id": 1}, "times": 4, "within": 200})");
  EXPECT_EQ(more.verdict, Verdict::failed);
  EXPECT_THAT(more.failure.what, HasSubstr("1 were left"));
}

TEST_F(CaseRunnerTest, All_TakesMessagesInAnyOrder) {
  const std::string two = R"(
    {"use": "cat"},
    {"send": "cat", "message": {"id": 1}},
    {"send": "cat", "message": {"id": 2}},)";
  EXPECT_EQ(run(two + R"({"expect": "cat", "all": [{"id": 2}, {"id": 1}]})").verdict,
            Verdict::passed);
  EXPECT_EQ(run(two + R"({"expect": "cat", "all": [{"id": 2}, {"id": 3}]})").verdict,
            Verdict::failed);
}

TEST_F(CaseRunnerTest, IgnoredMessages_AreSkipped) {
  const CaseResult result = run(R"(
    {"connect": "cat", "over": "stdio", "command": ["cat"], "ignore": [{"noise": true}]},
    {"send": "cat", "message": {"noise": true}},
    {"send": "cat", "message": {"id": 2}},
    {"expect": "cat", "message": {"id": 2}},
    {"send": "cat", "message": {"noise": true}},
    {"expect_nothing": "cat", "for": 50})");
  EXPECT_EQ(result.verdict, Verdict::passed) << result.failure.what;
}

TEST_F(CaseRunnerTest, ExpectNothing_FailsOnAnyMessage) {
  EXPECT_EQ(run(R"({"use": "cat"}, {"send": "cat", "message": {"id": 1}},
                   {"expect_nothing": "cat", "for": 5000})")
                .verdict,
            Verdict::failed);
}

TEST_F(CaseRunnerTest, MissingMessage_FailsInTime) {
  const CaseResult result =
      run(R"({"use": "cat"}, {"expect": "cat", "within": 50, "message": {"id": 1}})");
  ASSERT_EQ(result.verdict, Verdict::failed);
  EXPECT_THAT(result.failure.what, HasSubstr("within 50 ms"));
}

TEST_F(CaseRunnerTest, Run_ChecksOutcomeOfProgram) {
  EXPECT_EQ(
      run(R"({"run": ["sh", "-c", "cat; exit 3"], "stdin": "words", "exit": 3, "stdout": "words"})")
          .verdict,
      Verdict::passed);
  EXPECT_EQ(run(R"({"run": ["false"]})").verdict, Verdict::failed);
  EXPECT_EQ(run(R"({"run": ["sh", "-c", "echo trouble >&2"], "stderr": {"$contains": "trouble"}})")
                .verdict,
            Verdict::passed);
}

TEST_F(CaseRunnerTest, UnknownVariableOrConnection_Fails) {
  EXPECT_THAT(run(R"({"check": "${nobody}", "is": 1})").failure.what, HasSubstr("nobody"));
  EXPECT_THAT(run(R"({"send": "nobody", "text": "x"})").failure.what,
              HasSubstr("no connection has this name"));
}

TEST_F(CaseRunnerTest, Reports_DoNotHoldToken) {
  const CaseResult result = run(R"({"use": "cat"}, {"send": "cat", "message": {"t": "${token}"}},
                                   {"expect": "cat", "message": {"t": "other"}})");
  ASSERT_EQ(result.verdict, Verdict::failed);
  EXPECT_THAT(result.failure.got, Not(HasSubstr("secret-value")));
  EXPECT_THAT(result.trace, Not(Contains(HasSubstr("secret-value"))));
}

TEST_F(CaseRunnerTest, ServerStep_NeedsServerStartedByRunner) {
  EXPECT_THAT(run(R"({"server": "kill"})").failure.what, HasSubstr("--start"));
}

TEST_F(CaseRunnerTest, ServerLog_HoldsServerOutput) {
  ServerProcess server({"sh", "-c", "echo ready http://127.0.0.1:1; echo hello >&2; exec cat"});
  ASSERT_TRUE(server.start(in_ms(10'000)));
  server_ = &server;
  EXPECT_EQ(run(R"({"server": "log", "text": {"$contains": "hello"}})").verdict, Verdict::passed);
  EXPECT_EQ(run(R"({"server": "log", "text": {"$contains": "bye"}, "within": 100})").verdict,
            Verdict::failed);
  EXPECT_TRUE(server.kill_now());
}

}  // namespace
}  // namespace parley::conformance
