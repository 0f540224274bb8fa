// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/rule_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "base/core/temp_folder.h"

namespace parley::hook {
namespace {

namespace fs = std::filesystem;

class RuleListTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(write_rules(data_, {kRule})); }
  void ran(std::string_view command, std::string_view agent = "claude", std::int64_t at = 1) {
    count_use(data_, agent, command, "/srv/till", core::from_unix_ms(at));
  }
  std::uint64_t count() const { return uses_of(data_, kRule.id).count; }

  const Rule kRule{
      "r1",    "claude", "npm test", "Bash(npm test)", "/home/settings.json", core::from_unix_ms(7),
      "laptop"};
  core::TempFolder folder_;
  const fs::path data_ = folder_.file("data");
};

TEST_F(RuleListTest, List_IsReadBackAndPrivate) {
  const auto rules = read_rules(data_);
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_EQ(rules->size(), 1U);
  EXPECT_EQ(rules->front().command, kRule.command);
  EXPECT_EQ(rules->front().file, kRule.file);
  EXPECT_EQ(rules->front().made_at, kRule.made_at);
  EXPECT_EQ(rules->front().by, kRule.by);
  struct stat status {};
  ASSERT_EQ(::stat((rules_folder(data_) / "rules.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_TRUE(read_rules(folder_.file("none"))->empty());
}

TEST_F(RuleListTest, BrokenList_IsAnErrorAndCountsNothing) {
  for (const char* text : {"{", "{}", "[1]", R"([{"id":"../x","agent":"a","command":"c"}])"}) {
    std::ofstream(rules_folder(data_) / "rules.json") << text;
    const auto rules = read_rules(data_);
    ASSERT_FALSE(rules) << text;
    EXPECT_EQ(rules.error().code, core::Code::invalid_argument);
    ran("npm test");
  }
  std::ofstream(rules_folder(data_) / "rules.json") << std::string(kMaxRuleBytes + 1, ' ');
  EXPECT_EQ(read_rules(data_).error().code, core::Code::resource_exhausted);
  EXPECT_EQ(count(), 0U);
}

TEST_F(RuleListTest, Uses_AreThoseOfTheExactCommandOfTheAgent) {
  ran("npm test");
  ran(" npm test\n");
  ran("npm test --watch");
  ran("npm test", "codex");
  EXPECT_EQ(count(), 2U);
}

TEST_F(RuleListTest, LastUses_AreKept) {
  for (std::size_t i = 1; i <= kMaxUsesKept + 5; ++i) {
    ran("npm test", "claude", static_cast<std::int64_t>(i));
  }
  const RuleUses uses = uses_of(data_, kRule.id);
  EXPECT_EQ(uses.count, kMaxUsesKept + 5);
  ASSERT_EQ(uses.last.size(), kMaxUsesKept);
  EXPECT_EQ(uses.last.front().at, core::from_unix_ms(kMaxUsesKept + 5));
  EXPECT_EQ(uses.last.front().directory, "/srv/till");
  forget_uses(data_, kRule.id);
  EXPECT_EQ(count(), 0U);
}

TEST_F(RuleListTest, AgentsAtTheSameTime_AreAllCounted) {
  std::vector<std::thread> agents;
  for (int i = 0; i < 3; ++i) {
    agents.emplace_back([this] {
      for (int k = 0; k < 3; ++k) ran("npm test");
    });
  }
  for (std::thread& agent : agents) agent.join();
  EXPECT_EQ(count(), 9U);
}

}  // namespace
}  // namespace parley::hook
