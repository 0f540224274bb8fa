// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/core/temp_folder.h"
#include "tests/support/api/api_world.h"

namespace parley::api {
namespace {

using testing::World;

constexpr const char* kRule =
    R"json({"id":"r1","agent":"claude","title":"Claude Code","command":"npm test","rule":"Bash(npm test)","file":"/f","made_at":"2026-11-28T08:00:00.000Z","by":"default","present":true,"uses":{"count":0,"last":[]}})json";
constexpr const char* kWish =
    R"json({"agent":"claude","command":"npm test","rule":"Bash(npm test)","file":"/f"})json";

class V1RulesTest : public ::testing::Test {
 protected:
  V1RulesTest() {
    world_.set_rules({[this](const std::vector<search::Habit>& habits) {
                        habits_ = habits;
                        return core::Result<std::string>(R"({"rules":[)" + std::string(kRule) +
                                                         R"(],"proposals":[]})");
                      },
                      [this](const RuleRequest& request) {
                        requests_.push_back(request);
                        return core::Result<std::string>(kRule);
                      },
                      [this](const std::string& id) -> core::Result<void> {
                        revoked_.push_back(id);
                        if (id == "r1") return {};
                        return core::fail(core::Code::not_found, "There is no rule with this id.");
                      }});
    world_.add_token("reads", {auth::Right::read, auth::Right::answer, auth::Right::ask});
  }
  void allow_often() {
    for (std::uint64_t i = 0; i < search::kHabitCount; ++i) {
      const std::string key = "q" + std::to_string(i);
      world_.call(
          "POST", "/v1/interactions", "default",
          R"({"key":")" + key +
              R"(","prompt":{"text":"May it?\n\n```sh\nnpm test\n```","questions":[{"text":"May it?","choices":[{"label":"Allow once"},{"label":"Deny"}]}],"action":{"agent":"claude","tool":"Bash","kind":"command","subject":"npm test"}}})");
      world_.call("POST", "/v1/interactions/" + key + "/answer", "default",
                  R"({"text":"Allow once"})");
    }
  }

  core::TempFolder folder_;
  World world_;
  std::vector<search::Habit> habits_;
  std::vector<RuleRequest> requests_;
  std::vector<std::string> revoked_;
};

TEST_F(V1RulesTest, AdministratorsAlone_SeeAndChangeRules) {
  world_.start_search(folder_.path());
  EXPECT_EQ(world_.call("GET", "/v1/rules", "reads").status(), 403);
  EXPECT_EQ(world_.call("POST", "/v1/rules", "reads", kWish).status(), 403);
  EXPECT_EQ(world_.call("DELETE", "/v1/rules/r1", "reads").status(), 403);
  EXPECT_TRUE(requests_.empty() && revoked_.empty());
  EXPECT_EQ(world_.call("GET", "/v1/rules", "default").status(), 200);
  EXPECT_EQ(world_.call("DELETE", "/v1/rules/r1", "default").status(), 204);
  EXPECT_EQ(world_.call("DELETE", "/v1/rules/r2", "default").status(), 404);
}

TEST_F(V1RulesTest, Rule_NeedsAHabit) {
  world_.start_search(folder_.path());
  const auto refused = world_.call("POST", "/v1/rules", "default", kWish);
  EXPECT_EQ(refused.status(), 400);
  EXPECT_EQ(refused.json().at("field"), "command");
  EXPECT_TRUE(requests_.empty());
}

TEST_F(V1RulesTest, Habit_IsProposedAndMadeARule) {
  allow_often();
  world_.start_search(folder_.path());
  EXPECT_EQ(world_.call("GET", "/v1/rules", "default").status(), 200);
  ASSERT_EQ(habits_.size(), 1U);
  EXPECT_EQ(habits_.front().command, "npm test");
  EXPECT_EQ(world_.call("POST", "/v1/rules", "default", kWish).status(), 201);
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_.front().file, "/f");
  EXPECT_FALSE(requests_.front().by.empty());
}

TEST_F(V1RulesTest, BadMembers_AreNamed) {
  world_.start_search(folder_.path());
  for (const auto& [body, field] :
       {std::pair(R"({"agent":"claude","command":"x","rule":"y"})", "file"),
        std::pair(R"({"agent":1,"command":"x","rule":"y","file":"z"})", "agent"),
        std::pair(R"({"agent":"a","command":"x","rule":"y","file":"z","more":1})", "more")}) {
    const auto reply = world_.call("POST", "/v1/rules", "default", body);
    EXPECT_EQ(reply.status(), 400) << body;
    EXPECT_EQ(reply.json().at("field").as_string(), field);
  }
}

TEST(V1Rules, ServerWithoutRules_SaysSo) {
  World world;
  EXPECT_EQ(world.call("GET", "/v1/rules", "default").status(), 404);
  EXPECT_EQ(world.call("POST", "/v1/rules", "default", kWish).status(), 404);
  EXPECT_EQ(world.call("DELETE", "/v1/rules/r1", "default").status(), 404);
}

}  // namespace
}  // namespace parley::api
