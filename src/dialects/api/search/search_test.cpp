// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/core/temp_folder.h"
#include "base/core/time_text.h"
#include "tests/support/api/api_world.h"

namespace parley::api {
namespace {

using testing::World;

class V1SearchTest : public ::testing::Test {
 protected:
  V1SearchTest() {
    ask("one", "Shall the shop open?", "Claude");
    ask("two", "Which colour has the door?", "Codex");
    world_.call("POST", "/v1/interactions/two/answer", "alice",
                R"({"text":"green","nickname":"Ben"})");
    world_.start_search(folder_.path());
  }
  void ask(const std::string& key, const std::string& text, const std::string& agent) {
    world_.call("POST", "/v1/interactions", "alice",
                R"({"key":")" + key + R"(","prompt":{"text":")" + text + R"(","agent_name":")" +
                    agent + R"("}})");
  }
  boost::json::array results(const std::string& query, const std::string& token = "alice") {
    const auto reply = world_.call("GET", "/v1/search" + query, token);
    EXPECT_EQ(reply.status(), 200) << reply.response->body;
    return reply.json().at("results").as_array();
  }
  void refused(const std::string& target, const std::string& field) {
    const auto reply = world_.call("GET", target, "alice");
    EXPECT_EQ(reply.status(), 400) << target;
    EXPECT_EQ(reply.json().at("field").as_string(), field) << target;
  }

  core::TempFolder folder_;
  World world_;
};

TEST_F(V1SearchTest, Words_FindQuestionsOfCaller) {
  const auto found = results("?q=door%20green");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("key"), "two");
  EXPECT_EQ(found[0].at("kind"), "question");
  EXPECT_EQ(found[0].at("state"), "answered");
  EXPECT_EQ(found[0].at("person"), "alice") << "the token, not the nickname";
  EXPECT_EQ(found[0].at("title"), "Which colour has the door?");
  EXPECT_EQ(found[0].at("snippet").at(1).at("text"), "door");
  EXPECT_EQ(found[0].at("snippet").at(1).at("match"), true);
  EXPECT_TRUE(results("?q=door", "bob").empty());
}

TEST_F(V1SearchTest, Filters_AreCombined) {
  EXPECT_EQ(results("").size(), 2U);
  EXPECT_EQ(results("?state=pending").size(), 1U);
  EXPECT_EQ(results("?state=pending,answered&kind=question").size(), 2U);
  EXPECT_TRUE(results("?kind=run,chat").empty());
  EXPECT_EQ(results("?agent=Claude").size(), 1U);
  EXPECT_EQ(results("?person=alice").size(), 1U);
  EXPECT_TRUE(results("?to=2000-01-01T00:00:00Z").empty());
}

TEST_F(V1SearchTest, Next_IsPlaceOfFollowingPage) {
  const auto first = world_.call("GET", "/v1/search?limit=1", "alice").json();
  ASSERT_EQ(first.at("results").as_array().size(), 1U);
  const std::string next(first.at("next").as_string());
  const auto second = world_.call("GET", "/v1/search?limit=1&before=" + next, "alice").json();
  ASSERT_EQ(second.at("results").as_array().size(), 1U);
  EXPECT_NE(first.at("results").at(0).at("key").as_string(),
            second.at("results").at(0).at("key").as_string());
  EXPECT_TRUE(second.at("next").is_null());
}

TEST_F(V1SearchTest, BadParameters_AreNamed) {
  refused("/v1/search?kind=question,answer", "kind");
  refused("/v1/search?state=open", "state");
  refused("/v1/search?from=yesterday", "from");
  refused("/v1/search?before=1", "before");
  refused("/v1/search?limit=101", "limit");
  refused("/v1/search?q=" + std::string(1'025, 'x'), "q");
  refused("/v1/statistics?from=2026-11-25T00:00:00Z", "to");
  refused("/v1/statistics?from=2026-11-25T00:00:00Z&to=2026-11-24T00:00:00Z", "to");
  refused("/v1/statistics?from=2020-11-25T00:00:00Z&to=2026-11-24T00:00:00Z", "to");
  refused("/v1/statistics?from=2026-11-24T00:00:00Z&to=2026-11-25T00:00:00Z&offset_minutes=x",
          "offset_minutes");
}

TEST_F(V1SearchTest, Statistics_CountQuestionsOfCaller) {
  const std::string from = core::time_text(world_.now() - std::chrono::hours(1));
  const std::string to = core::time_text(world_.now() + std::chrono::hours(1));
  const auto figures =
      world_.call("GET", "/v1/statistics?from=" + from + "&to=" + to, "alice").json();
  EXPECT_EQ(figures.at("agents").as_array().size(), 2U);
  EXPECT_EQ(figures.at("people").at(0).at("name"), "alice");
  EXPECT_EQ(figures.at("people").at(0).at("answered"), 1);
  EXPECT_EQ(figures.at("open"), 1);
  const auto none = world_.call("GET", "/v1/statistics?from=" + from + "&to=" + to, "bob").json();
  EXPECT_TRUE(none.at("agents").as_array().empty());
}

TEST(V1Search, ServerWithoutIndex_AnswersNotFound) {
  World world;
  EXPECT_EQ(world.call("GET", "/v1/search?q=x", "alice").status(), 404);
  EXPECT_EQ(world.call("GET", "/v1/statistics", "alice").status(), 404);
}

}  // namespace
}  // namespace parley::api
