// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/permission_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/support/setup/setup_world.h"

namespace parley::setup {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

class PermissionRulesTest : public testing::Test {
 protected:
  std::string settings() const { return world_.home(".claude/settings.json").string(); }
  SeenRule seen(const std::string& command) const {
    return {"claude", command, "Bash(" + command + ")", settings()};
  }
  core::Result<std::string> make(const SeenRule& rule, const std::string& id = "r1") {
    return make_rule(world_.places, rule, id, "laptop", core::from_unix_ms(1'000));
  }
  core::Result<void> revoke(const std::string& id = "r1") {
    return revoke_rule(world_.places, id, core::from_unix_ms(2'000));
  }
  json::object listed(const std::vector<RuleProposal>& proposals = {}) {
    const auto text = rules_json(world_.places, proposals);
    EXPECT_TRUE(text) << text.error().message;
    return json::parse(*text).as_object();
  }
  static RuleProposal proposal(const std::string& command, const std::string& agent = "claude") {
    return {agent, command, 41, core::from_unix_ms(1), core::from_unix_ms(2)};
  }

  SetupWorld world_;
};

TEST_F(PermissionRulesTest, Rule_IsWrittenListedAndRevoked) {
  const std::string before = "{\n  \"model\": \"opus\"\n}\n";
  SetupWorld::write(settings(), before);
  const auto created = make(seen("npm test"));
  ASSERT_TRUE(created) << created.error().message;
  const json::value written = json::parse(SetupWorld::read(settings()));
  EXPECT_EQ(written.at("permissions").at("allow"), json::array({"Bash(npm test)"}));
  EXPECT_EQ(written.at("model"), "opus");
  const json::object rule = listed().at("rules").at(0).as_object();
  EXPECT_EQ(rule.at("present"), true);
  EXPECT_EQ(rule.at("by"), "laptop");
  EXPECT_EQ(rule.at("title"), "Claude Code");
  EXPECT_EQ(rule.at("uses").at("count"), 0);
  ASSERT_TRUE(revoke());
  EXPECT_EQ(SetupWorld::read(settings()), before);
  EXPECT_TRUE(listed().at("rules").as_array().empty());
  EXPECT_EQ(revoke().error().code, core::Code::not_found);
}

TEST_F(PermissionRulesTest, SetupThatIsRemoved_RestoresNoHooks) {
  ASSERT_EQ(world_.run("claude").status, 0);
  ASSERT_TRUE(make(seen("npm test")));
  ASSERT_EQ(world_.remove("claude").status, 0);
  EXPECT_EQ(SetupWorld::read(settings()).find("parley hook"), std::string::npos);
  ASSERT_TRUE(revoke());
}

TEST_F(PermissionRulesTest, RuleOfThePerson_StaysWhenOthersAreRevoked) {
  SetupWorld::write(settings(), R"json({"permissions":{"allow":["Bash(make)"]}})json");
  ASSERT_TRUE(make(seen("npm test")));
  ASSERT_TRUE(revoke());
  EXPECT_EQ(json::parse(SetupWorld::read(settings())).at("permissions").at("allow"),
            json::array({"Bash(make)"}));
}

TEST_F(PermissionRulesTest, OtherRuleThanSeen_IsNotWritten) {
  SeenRule other = seen("npm test");
  other.text = "Bash(npm *)";
  EXPECT_EQ(make(other).error().code, core::Code::aborted);
  other = seen("npm test");
  other.file = "/etc/settings.json";
  EXPECT_EQ(make(other).error().field, "file");
  EXPECT_TRUE(world_.files().empty());
}

TEST_F(PermissionRulesTest, CommandsThatAreNotPlain_GetNoRule) {
  for (const char* command : {"",
                              "npm *",
                              "npm test && ls",
                              "echo $HOME",
                              "echo (a)",
                              "a\\b",
                              "ls > x",
                              "a; b",
                              "a|b",
                              "npm  test",
                              " ls",
                              "ls ",
                              "a\nb",
                              "CI=1 npm test",
                              "npm run test:*",
                              "rm -rf build",
                              "sudo ls",
                              "git push --force",
                              "chmod 777 x",
                              "cat /root/.ssh/id_ed25519"}) {
    const auto rule = permission_rule("claude", command, world_.places);
    ASSERT_FALSE(rule) << command;
    EXPECT_EQ(rule.error().field, "command") << command;
  }
  EXPECT_FALSE(permission_rule("claude", std::string(kMaxRuleCommand + 1, 'x'), world_.places));
  for (const char* command :
       {"npm test", "make -j2 test", "git status", "npm run test:unit", "cargo build --release"}) {
    EXPECT_TRUE(permission_rule("claude", command, world_.places)) << command;
  }
  EXPECT_EQ(permission_rule("cursor", "npm test", world_.places).error().field, "agent");
  EXPECT_EQ(permission_rule("nobody", "npm test", world_.places).error().field, "agent");
}

TEST_F(PermissionRulesTest, Proposals_AreThoseThatCanBeMade) {
  ASSERT_TRUE(make(seen("make")));
  SetupWorld::write(world_.home("x"), "");
  const json::array found =
      listed({proposal("npm test"), proposal("make"), proposal("rm -rf x"), proposal("ls", "kiro")})
          .at("proposals")
          .as_array();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("command"), "npm test");
  EXPECT_EQ(found[0].at("rule"), "Bash(npm test)");
  EXPECT_EQ(found[0].at("file").as_string(), settings());
  EXPECT_EQ(found[0].at("allowed"), 41);
}

TEST_F(PermissionRulesTest, RuleTakenOutByHand_IsListedAsAbsentAndRevoked) {
  ASSERT_TRUE(make(seen("npm test")));
  EXPECT_EQ(make(seen("npm test"), "r2").error().code, core::Code::already_exists);
  SetupWorld::write(settings(), "{}");
  EXPECT_EQ(listed().at("rules").at(0).at("present"), false);
  ASSERT_TRUE(revoke());
}

TEST_F(PermissionRulesTest, SettingsThatCannotBeEdited_LeaveNothingBehind) {
  SetupWorld::write(settings(), "{ // mine\n}");
  const auto created = make(seen("npm test"));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, core::Code::failed_precondition);
  EXPECT_THAT(created.error().message, HasSubstr("Claude Code refuses"));
  EXPECT_TRUE(listed().at("rules").as_array().empty());
  SetupWorld::write(settings(), R"({"permissions":"all"})");
  EXPECT_FALSE(make(seen("npm test")));
  EXPECT_EQ(SetupWorld::read(settings()), R"({"permissions":"all"})");
}

TEST_F(PermissionRulesTest, Rules_AreLimited) {
  std::vector<hook::Rule> rules(hook::kMaxRules, {"id", "codex", "x", "y", "/z", {}, "a"});
  ASSERT_TRUE(hook::write_rules(world_.places.data, rules));
  EXPECT_EQ(make(seen("npm test")).error().code, core::Code::resource_exhausted);
}

}  // namespace
}  // namespace parley::setup
