// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/hook/hook_question.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"

namespace parley::hook {
namespace {

HookEvent asking(std::string tool, boost::json::object input) {
  HookEvent event;
  event.kind = HookKind::permission;
  event.tool = std::move(tool);
  event.input = std::move(input);
  return event;
}

TEST(AskedActionTest, CommandsAndFiles_AreNamed) {
  EXPECT_EQ(asked_action(asking("Bash", {{"command", "npm test"}})),
            R"({"agent":"claude","tool":"Bash","kind":"command","subject":"npm test"})");
  EXPECT_EQ(asked_action(asking("Edit", {{"file_path", "/a"}, {"old_string", "x"}})),
            R"({"agent":"claude","tool":"Edit","kind":"file","subject":"/a"})");
  EXPECT_EQ(asked_action(asking("WebFetch", {{"url", "https://x"}})), "");
}

TEST(AskedActionTest, OtherKindsAndLongOnes_AreNot) {
  HookEvent plan = asking("Bash", {{"command", "ls"}});
  plan.kind = HookKind::plan;
  EXPECT_EQ(asked_action(plan), "");
  const auto of_size = [](std::size_t size, char c) {
    return asked_action(asking("Bash", {{"command", std::string(size, c)}}));
  };
  const std::size_t most = core::limits::kMaxActionSubject;
  EXPECT_NE(of_size(most, 'x'), "");
  EXPECT_EQ(of_size(most + 1, 'x'), "");
  EXPECT_EQ(of_size(most, '\x01'), "") << "too long as JSON for a header";
  EXPECT_EQ(asked_action(
                asking(std::string(core::limits::kMaxActionName + 1, 'x'), {{"file_path", "/a"}})),
            "");
}

TEST(AskedActionTest, Question_CarriesIt) {
  const HookEvent event = asking("Bash", {{"command", "npm test"}});
  const HookQuestion question = question_of(event);
  EXPECT_EQ(call_of(event, question, std::chrono::seconds(1), false).action, asked_action(event));
}

}  // namespace
}  // namespace parley::hook
