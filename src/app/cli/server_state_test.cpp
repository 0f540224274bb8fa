// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/server_state.h"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <filesystem>

#include "base/core/temp_folder.h"

namespace parley::app {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

boost::json::object object_of(std::string_view text) {
  return boost::json::parse(text).get_object();
}

TEST(ServerState, Waiting_OldestIsShownOnOneLine) {
  ServerState state;
  read_waiting(object_of(R"({"more":true,"interactions":[
    {"opened_at":2000,"prompt":{"text":"Second"}},
    {"opened_at":1000,"prompt":{"text":"First\nmore"}},
    {"opened_at":3000,"prompt":{}}]})"),
               state);
  EXPECT_EQ(state.waiting, 3);
  EXPECT_TRUE(state.more);
  EXPECT_EQ(state.oldest, core::from_unix_ms(1000));
  EXPECT_EQ(state.oldest_text, "First…");
}

TEST(ServerState, WaitingText_IsCutAndVisible) {
  ServerState state;
  const std::string text = "a\x1b[31m" + std::string(500, 'x');
  read_waiting({{"interactions", {{{"opened_at", 1}, {"prompt", {{"text", text}}}}}}}, state);
  EXPECT_LT(state.oldest_text.size(), 120U);
  EXPECT_EQ(state.oldest_text.find('\x1b'), std::string::npos);
}

// A server of another version may answer otherwise.
TEST(ServerState, OddAnswers_AreEmpty) {
  ServerState state;
  for (const char* text : {"{}", R"({"interactions":7,"notifiers":{},"subscriptions":"x"})",
                           R"({"interactions":[1],"notifiers":[null],"subscriptions":[[]]})"}) {
    read_waiting(object_of(text), state);
    read_notifiers(object_of(text), state);
    read_devices(object_of(text), state);
  }
  EXPECT_FALSE(state.oldest);
  EXPECT_THAT(state.channels, IsEmpty());
}

TEST(ServerState, Channels_AreNotifiersAndDevices) {
  ServerState state;
  read_notifiers(object_of(R"({"notifiers":[{"name":"phone","kind":"ntfy","failure":"no"},
    {"name":"push","kind":"push","failure":""}]})"),
                 state);
  read_devices(object_of(R"({"subscriptions":[{"name":"Pixel","failure":""}]})"), state);
  ASSERT_THAT(state.channels, SizeIs(2));
  EXPECT_EQ(state.channels[0].failure, "no");
  EXPECT_EQ(state.channels[1].kind, "push");
  EXPECT_EQ(state.channels[1].name, "Pixel");
}

TEST(ServerState, Reach_HasModeAndAddresses) {
  ServerState state;
  read_reach(
      object_of(R"({"mode":"auto","away":null,"expires_at":1000,"origins":["https://a:1",7]})"),
      state);
  EXPECT_EQ(state.tls, "auto");
  EXPECT_EQ(state.tls_end, core::from_unix_ms(1000));
  EXPECT_EQ(state.away, "");
  EXPECT_THAT(state.addresses, ::testing::ElementsAre("https://a:1"));
  read_reach(object_of(R"({"mode":"off","away":"https://b","origins":[]})"), state);
  EXPECT_EQ(state.away, "https://b");
}

TEST(ServerState, MissingDirectory_IsNotMade) {
  const core::TempFolder dir;
  const ServerState state = look_at_server(dir.file("none"));
  EXPECT_FALSE(state.holds_data);
  EXPECT_FALSE(state.server);
  EXPECT_FALSE(state.answers());
  EXPECT_FALSE(look_at_server(dir.path()).holds_data);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(AgeText, Units_FitTheAge) {
  using std::chrono::hours;
  using std::chrono::seconds;
  EXPECT_EQ(age_text(seconds(-5)), "0 s");
  EXPECT_EQ(age_text(seconds(59)), "59 s");
  EXPECT_EQ(age_text(seconds(60)), "1 min");
  EXPECT_EQ(age_text(hours(1)), "1 h");
  EXPECT_EQ(age_text(hours(47)), "47 h");
  EXPECT_EQ(age_text(hours(48)), "2 days");
}

}  // namespace
}  // namespace parley::app
