// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/status_command.h"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>

namespace parley::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr core::WallTime kNow = core::WallTime(core::Millis(1'700'000'000'000));

using Agents = std::vector<AgentSetUp>;

ServerState running() {
  ServerState state;
  state.holds_data = true;
  state.server = mcp::RunningServer{{"http://127.0.0.1:22080", "secret-token", {}, {}, {}},
                                    77,
                                    "1.2.3",
                                    core::to_unix_ms(kNow - std::chrono::hours(3))};
  state.pages = 0;
  return state;
}

TEST(StatusText, RunningServer_SaysWhereSinceWhenAndWhatWaits) {
  ServerState state = running();
  state.waiting = 2;
  state.oldest = kNow - std::chrono::minutes(5);
  state.oldest_text = "Run npm test?";
  state.channels = {{"phone", "ntfy", ""}, {"Pixel", "push", "gone"}};
  const AgentSetUp agent{"claude", "Claude Code", AgentSetUp::State::current, {}, {}};
  const std::string text = status_text(state, Agents{agent}, "/data", kNow);
  EXPECT_THAT(text, StartsWith("Parley 1.2.3 runs at http://127.0.0.1:22080, for 3 h\n"));
  EXPECT_THAT(text,
              AllOf(HasSubstr("2 questions, the oldest for 5 min: Run npm test?"),
                    HasSubstr("ntfy phone, push Pixel (failed)"), HasSubstr("Claude Code (set up)"),
                    HasSubstr("`parley open`"), Not(HasSubstr("secret-token"))));
}

TEST(StatusText, StoppedServer_SaysHowToStart) {
  const std::string text = status_text({}, Agents(), "/data", kNow);
  EXPECT_THAT(text, AllOf(StartsWith("Parley is not running.\n"), HasSubstr("`parley serve`")));
}

TEST(StatusText, SilentServer_SaysWhyAndItsProcess) {
  ServerState state = running();
  state.failure = "The server does not answer.";
  EXPECT_THAT(status_text(state, Agents(), "/data", kNow),
              AllOf(StartsWith("Parley 1.2.3 does not answer at"), HasSubstr("77"),
                    Not(HasSubstr("Waiting")), Not(HasSubstr("`parley serve` starts"))));
}

TEST(StatusText, ServerOfAnotherUser_IsNotCalledStopped) {
  ServerState state;
  state.holds_data = true;
  EXPECT_THAT(status_text(state, Agents(), "/data", kNow),
              StartsWith("A server has the data directory"));
}

// It runs, though it does not tell this command anything.
TEST(StatusText, ServerWithoutKnownToken_RunsAndHasItsStep) {
  ServerState state = running();
  state.failure = "The token is not valid.";
  state.lacks_token = true;
  EXPECT_THAT(status_text(state, Agents(), "/data", kNow),
              AllOf(StartsWith("Parley 1.2.3 runs at http://127.0.0.1:22080; this command has no "
                               "token for it\n"),
                    HasSubstr("`parley token create"), Not(HasSubstr("not valid"))));
  EXPECT_EQ(boost::json::parse(status_json(state, Agents(), "/data")).at("running"), true);
}

TEST(StatusText, UnreadableDirectory_IsNotCalledStopped) {
  ServerState state;
  state.failure = "/data cannot be read by this user.";
  const std::string text = status_text(state, Agents(), "/data", kNow);
  EXPECT_THAT(text, AllOf(StartsWith(state.failure), Not(HasSubstr("`parley serve` starts"))));
  const auto json = boost::json::parse(status_json(state, Agents(), "/data"));
  EXPECT_EQ(json.at("running"), false);
  EXPECT_EQ(std::string_view(json.at("failure").as_string()), state.failure);
}

TEST(StatusText, UserWithoutEntry_HasUnknownAgents) {
  const core::Result<Agents> unknown = core::fail(core::Code::not_found, "no entry");
  EXPECT_THAT(status_text({}, unknown, "/data", kNow), HasSubstr("unknown: no entry"));
  const auto json = boost::json::parse(status_json({}, unknown, "/data"));
  EXPECT_TRUE(json.at("agents").is_null());
  EXPECT_EQ(json.at("agents_failure"), "no entry");
}

TEST(StatusJson, Token_IsNeverShown) {
  const std::string text = status_json(running(), Agents(), "/data");
  EXPECT_THAT(text, Not(HasSubstr("secret-token")));
  const boost::json::value json = boost::json::parse(text);
  EXPECT_EQ(json.at("running"), true);
  EXPECT_EQ(json.at("pid"), 77);
  EXPECT_EQ(json.at("waiting").at("count"), 0);
  EXPECT_EQ(boost::json::parse(status_json({}, Agents(), "/data")).at("running"), false);
}

}  // namespace
}  // namespace parley::app
