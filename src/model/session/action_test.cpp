// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/core/markdown_code.h"
#include "model/session/interaction.h"

namespace parley::session {
namespace {

const Action kTest{"claude", "Bash", ActionKind::command, "npm test"};

Prompt showing(std::string_view command) {
  Prompt prompt;
  prompt.text = "May it run?\n\n" + core::fenced("sh", command) + "\n\nDirectory: `/shop`";
  return prompt;
}

TEST(ActionTest, Json_IsReadBack) {
  const auto read = read_action(action_json(kTest));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, kTest);
}

TEST(ActionTest, BadMembers_AreNamed) {
  const auto field = [](const Action& action) {
    const auto read = read_action(action_json(action));
    return read ? std::string() : read.error().field;
  };
  EXPECT_EQ(field({"", "Bash", ActionKind::command, "x"}), "agent");
  EXPECT_EQ(field({"a", "", ActionKind::command, "x"}), "tool");
  EXPECT_EQ(field({"a", "b", ActionKind::command, ""}), "subject");
  const std::size_t most = core::limits::kMaxActionSubject;
  EXPECT_EQ(field({"a", "b", ActionKind::file, std::string(most, 'x')}), "");
  EXPECT_EQ(field({"a", "b", ActionKind::file, std::string(most + 1, 'x')}), "subject");
  for (const char* json : {R"({"agent":"a","tool":"b","subject":"c"})",
                           R"({"agent":"a","tool":"b","subject":"c","kind":7})",
                           R"({"agent":"a","tool":"b","subject":"c","kind":"plan"})"}) {
    const auto read = read_action(json);
    ASSERT_FALSE(read) << json;
    EXPECT_EQ(read.error().field, "kind");
  }
  EXPECT_FALSE(read_action("[]"));
  EXPECT_FALSE(read_action(""));
}

TEST(ActionTest, CommandThatThePersonDoesNotSee_IsNotShown) {
  EXPECT_TRUE(shows_action(showing("npm test"), kTest));
  EXPECT_FALSE(shows_action(showing("npm test && rm -rf ~"), kTest)) << "a part of the command";
  EXPECT_FALSE(shows_action(showing("rm -rf ~"), kTest));
  Prompt named;
  named.text = "I want to run npm test.";
  EXPECT_FALSE(shows_action(named, kTest)) << "not as the command";
}

TEST(ActionTest, Call_IsNeverTakenFromAClient) {
  EXPECT_FALSE(shows_action(showing("{}"), {"claude", "mcp__x", ActionKind::call, "{}"}));
}

TEST(ActionTest, EventOfALaterVersion_HasNoAction) {
  Interaction asked;
  asked.id = "1";
  asked.key = "k";
  asked.prompt = showing("npm test");
  asked.prompt.action = kTest;
  std::string stored = opened_payload(asked);
  EXPECT_EQ(interaction_from_payloads(stored, {})->prompt.action, kTest);
  stored.replace(stored.find("\"kind\":\"command\""), 16, "\"kind\":\"dreamed\"");
  const auto later = interaction_from_payloads(stored, {});
  ASSERT_TRUE(later);
  EXPECT_EQ(later->prompt.action, std::nullopt);
}

}  // namespace
}  // namespace parley::session
