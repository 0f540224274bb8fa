// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/core/temp_folder.h"
#include "tests/support/api/api_world.h"

namespace parley::api {
namespace {

using testing::World;

class V1DecisionsTest : public ::testing::Test {
 protected:
  // A permission prompt for a command as `parley hook` asks it.
  void ask(const std::string& key, const std::string& command, bool named = true) {
    boost::json::object prompt{
        {"text", "May it?\n\n```sh\n" + command + "\n```"},
        {"agent_name", "Claude Code"},
        {"questions",
         {{{"text", "May it?"}, {"choices", {{{"label", "Allow once"}}, {{"label", "Deny"}}}}}}}};
    if (named) {
      prompt["action"] = {
          {"agent", "claude"}, {"tool", "Bash"}, {"kind", "command"}, {"subject", command}};
    }
    const auto asked = world_.call(
        "POST", "/v1/interactions", "alice",
        boost::json::serialize(boost::json::object{{"key", key}, {"prompt", std::move(prompt)}}));
    EXPECT_EQ(asked.status(), 201) << asked.response->body;
  }
  void decide(const std::string& key, const std::string& command, const std::string& answer) {
    ask(key, command);
    const auto sent = world_.call("POST", "/v1/interactions/" + key + "/answer", "alice",
                                  R"({"text":")" + answer + R"("})");
    EXPECT_EQ(sent.status(), 200) << sent.response->body;
  }
  void start() { world_.start_search(folder_.path()); }
  boost::json::object get(const std::string& query, const std::string& token = "alice") {
    const auto reply = world_.call("GET", "/v1/decisions" + query, token);
    EXPECT_EQ(reply.status(), 200) << reply.response->body;
    return reply.json().as_object();
  }

  core::TempFolder folder_;
  World world_;
};

TEST_F(V1DecisionsTest, Decisions_AreThoseOfTheCallerNewestFirst) {
  decide("one", "npm test", "Allow once");
  decide("two", "npm publish", "Deny");
  ask("three", "ls");
  start();
  const auto found = get("").at("decisions").as_array();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].at("key"), "two");
  EXPECT_EQ(found[0].at("verdict"), "denied");
  EXPECT_EQ(found[0].at("action").at("subject"), "npm publish");
  EXPECT_EQ(found[0].at("channel"), "api");
  EXPECT_EQ(found[0].at("person"), "alice");
  EXPECT_EQ(get("?verdict=allowed").at("decisions").as_array().size(), 1U);
  EXPECT_TRUE(get("", "bob").at("decisions").as_array().empty());
  const std::string next(get("?limit=1").at("next").as_string());
  EXPECT_EQ(get("?limit=1&before=" + next).at("decisions").at(0).at("key"), "one");
}

TEST_F(V1DecisionsTest, Like_CountsDecisionsAboutTheSame) {
  decide("one", "npm test", "Allow once");
  decide("two", "npm test", "Allow once");
  decide("three", "npm test", "Deny");
  decide("four", "npm publish", "Deny");
  ask("waits", "npm test");
  start();
  const auto like = get("?like=waits&limit=1");
  EXPECT_EQ(like.at("like").at("allowed"), 2);
  EXPECT_EQ(like.at("like").at("denied"), 1);
  EXPECT_EQ(like.at("decisions").at(0).at("key"), "three");
}

TEST_F(V1DecisionsTest, QuestionWithoutAction_HasNoLike) {
  decide("one", "npm test", "Allow once");
  ask("waits", "npm test", false);
  start();
  const auto like = get("?like=waits");
  EXPECT_TRUE(like.at("decisions").as_array().empty());
  EXPECT_FALSE(like.contains("like"));
}

TEST_F(V1DecisionsTest, BadParameters_AreNamed) {
  EXPECT_EQ(world_.call("GET", "/v1/decisions", "alice").status(), 404) << "no index";
  start();
  EXPECT_EQ(world_.call("GET", "/v1/decisions?like=none", "alice").status(), 404);
  for (const auto& [query, field] :
       {std::pair("verdict=open", "verdict"), std::pair("limit=0", "limit"),
        std::pair("before=x", "before"), std::pair("from=x", "from")}) {
    const auto reply = world_.call("GET", std::string("/v1/decisions?") + query, "alice");
    EXPECT_EQ(reply.status(), 400);
    EXPECT_EQ(reply.json().at("field").as_string(), field);
  }
}

TEST_F(V1DecisionsTest, ActionThatTheTextDoesNotShow_IsNotRemembered) {
  const auto asked = [&](const std::string& action, const std::string& text) {
    return world_.call(
        "POST", "/v1/interactions", "alice",
        R"({"key":"k","prompt":{"text":")" + text + R"(","action":)" + action + "}}");
  };
  const auto refused = asked(R"({"agent":"a"})", "x");
  EXPECT_EQ(refused.status(), 400);
  EXPECT_EQ(refused.json().at("field").as_string(), "prompt.action");
  EXPECT_EQ(asked(R"({"agent":"a","tool":"b","kind":"command","subject":"npm test"})",
                  "```sh\\nrm -rf ~\\n```")
                .status(),
            201);
  const auto kept = world_.call("GET", "/v1/interactions/k", "alice").json();
  EXPECT_FALSE(kept.at("prompt").as_object().contains("action"));
}

}  // namespace
}  // namespace parley::api
