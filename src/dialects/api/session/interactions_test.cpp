// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>

#include "base/core/temp_folder.h"
#include "model/session/notice_key.h"
#include "tests/support/api/api_world.h"

namespace parley::api {
namespace {

using testing::Reply;
using testing::World;

constexpr const char* kAsk = R"({"key":"k","prompt":{"text":"Go?"}})";

// The pending interactions of alice.
boost::json::array pending(World& world) {
  return world.call("GET", "/v1/interactions", "alice").json().at("interactions").as_array();
}

TEST(V1Ask, Question_IsAcknowledgedOnceStored) {
  World world;
  const auto reply = world.call("POST", "/v1/interactions", "alice", kAsk);
  EXPECT_EQ(reply.status(), 201);
  EXPECT_EQ(reply.json().at("state"), "pending");
  EXPECT_EQ(world.store().commits(), 1U);
  const auto list = world.call("GET", "/v1/interactions", "alice").json();
  ASSERT_EQ(list.at("interactions").as_array().size(), 1U);
  EXPECT_EQ(list.at("interactions").at(0), reply.json());
}

TEST(V1Ask, UnstorableQuestion_IsRefused) {
  World world;
  world.store().fail_next(1, {core::Code::resource_exhausted, "The disk is full.", ""});
  const auto reply = world.call("POST", "/v1/interactions", "alice", kAsk);
  EXPECT_EQ(reply.status(), 429);
}

TEST(V1Ask, Ask_WithWait_ReturnsAnswer) {
  World world;
  const auto waiting = world.send("POST", "/v1/interactions", "alice",
                                  R"({"key":"k","prompt":{"text":"Go?"},"wait":60})");
  world.settle();
  EXPECT_EQ(waiting->status(), 0);
  world.call("POST", "/v1/interactions/k/answer", "alice", R"({"text":"yes"})");
  ASSERT_EQ(waiting->status(), 200);
  world.check("POST", "/v1/interactions", *waiting);
  EXPECT_EQ(waiting->json().at("outcome").at("answer").at("contents").at(0).at("text"), "yes");
}

TEST(V1Ask, WaitThatEnds_LeavesQuestionOpen) {
  World world;
  const auto waiting = world.send("POST", "/v1/interactions", "alice",
                                  R"({"key":"k","prompt":{"text":"Go?"},"wait":1})");
  world.advance(std::chrono::seconds(2));
  EXPECT_EQ(waiting->status(), 201);
  world.advance(std::chrono::seconds(10));
  EXPECT_EQ(world.call("GET", "/v1/interactions/k", "alice").json().at("state"), "pending");
}

TEST(V1Ask, RepeatedRequest_AttachesThenShowsOutcome) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  EXPECT_EQ(world.call("POST", "/v1/interactions", "alice", kAsk).status(), 201);
  EXPECT_EQ(
      world.call("POST", "/v1/interactions", "alice", R"({"key":"k","prompt":{"text":"Another?"}})")
          .status(),
      409);
  world.call("POST", "/v1/interactions/k/answer", "alice", R"({"text":"yes"})");
  const auto again = world.call("POST", "/v1/interactions", "alice", kAsk);
  EXPECT_EQ(again.status(), 200);
  EXPECT_EQ(again.json().at("state"), "answered");
}

TEST(V1Ask, Question_ExpiresAtDeadline) {
  World world;
  world.call("POST", "/v1/interactions", "alice",
             R"({"key":"k","prompt":{"text":"Go?","timeout_s":5}})");
  world.advance(std::chrono::seconds(6));
  EXPECT_EQ(world.call("GET", "/v1/interactions/k", "alice").json().at("state"), "expired");
}

TEST(V1Notices, Notice_StaysOpenWithoutCaller) {
  World world;
  const auto reply = world.call("POST", "/v1/notices", "alice",
                                R"({"kind":"idle","title":"Waits","text":"for *you*"})");
  ASSERT_EQ(reply.status(), 201);
  EXPECT_EQ(reply.json().at("kind"), "task_finish");
  EXPECT_EQ(reply.json().at("prompt").at("text"), "Waits\n\nfor *you*");
  world.advance(std::chrono::hours(1), std::chrono::minutes(1));
  EXPECT_EQ(pending(world).size(), 1U);
  world.advance(std::chrono::hours(24), std::chrono::minutes(1));
  EXPECT_EQ(pending(world).size(), 0U);
}

TEST(V1Notices, SameReplace_TakesThePlace) {
  World world;
  const auto post = [&](const char* body) {
    return world.call("POST", "/v1/notices", "alice", body).status();
  };
  EXPECT_EQ(post(R"({"title":"One","replace":"s:1"})"), 201);
  EXPECT_EQ(post(R"({"title":"Other session","replace":"1"})"), 201);
  EXPECT_EQ(post(R"({"title":"No replace"})"), 201);
  EXPECT_EQ(post(R"({"kind":"failed","title":"Two","replace":"s:1"})"), 201);
  std::vector<std::string> texts;
  for (const auto& each : pending(world)) {
    texts.emplace_back(each.at("prompt").at("text").as_string());
  }
  EXPECT_THAT(texts, ::testing::ElementsAre("Other session", "No replace", "Two"));
}

TEST(V1Notices, SameReplaceOfAnother_EndsNothing) {
  World world;
  const char* body = R"({"title":"One","replace":"s"})";
  world.call("POST", "/v1/notices", "alice", body);
  EXPECT_EQ(world.call("POST", "/v1/notices", "bob", body).status(), 201);
  EXPECT_EQ(pending(world).size(), 1U);
}

TEST(V1Notices, TooMany_EndTheOldest) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  for (std::size_t i = 0; i < session::kMaxNotices + 5; ++i) {
    const std::string title = R"({"title":"Notice )" + std::to_string(i) + R"("})";
    EXPECT_EQ(world.call("POST", "/v1/notices", "alice", title).status(), 201);
  }
  const auto left = pending(world);
  ASSERT_EQ(left.size(), session::kMaxNotices + 1);
  EXPECT_EQ(left.at(0).at("key"), "k");
  EXPECT_EQ(left.at(1).at("prompt").at("text"), "Notice 5");
}

TEST(V1Notices, RefusedNotice_LeavesTheOlderOne) {
  World world;
  const char* body = R"({"title":"One","replace":"s"})";
  world.call("POST", "/v1/notices", "alice", body);
  world.store().fail_next(1, {core::Code::resource_exhausted, "The disk is full.", ""});
  EXPECT_EQ(world.call("POST", "/v1/notices", "alice", body).status(), 429);
  EXPECT_EQ(pending(world).size(), 1U);
}

TEST(V1Notices, BadMembers_AreNamed) {
  World world;
  const auto field = [&](std::string body) {
    const auto reply = world.call("POST", "/v1/notices", "alice", body);
    EXPECT_EQ(reply.status(), 400);
    return std::string(reply.json().at("field").as_string());
  };
  EXPECT_EQ(field("{}"), "title");
  EXPECT_EQ(field(R"({"title":""})"), "title");
  EXPECT_EQ(field(R"({"title":"two\nlines"})"), "title");
  EXPECT_EQ(field(R"({"title":")" + std::string(201, 'x') + R"("})"), "title");
  EXPECT_EQ(field(R"({"title":"x","kind":"odd"})"), "kind");
  EXPECT_EQ(field(R"({"title":"x","expires_s":86401})"), "expires_s");
  EXPECT_EQ(field(R"({"title":"x","replace":")" + std::string(129, 'x') + R"("})"), "replace");
  EXPECT_EQ(field(R"({"title":"x","text":")" + std::string(65537, 'x') + R"("})"), "text");
  EXPECT_EQ(field(R"({"title":"x","to":"me"})"), "to");
}

TEST(V1Ask, Ask_LeavesNoSubscriber) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  const auto session = world.call("GET", "/v1/sessions/assistant-id-alice", "alice").json();
  EXPECT_TRUE(session.at("participants").as_array().empty());
  EXPECT_EQ(session.at("pending"), 1);
}

TEST(V1Ask, WrongMember_IsNamed) {
  World world;
  const auto reply = world.call("POST", "/v1/interactions", "alice",
                                R"({"prompt":{"text":"Go?"},"kind":"riddle"})");
  EXPECT_EQ(reply.status(), 400);
  EXPECT_EQ(reply.json().at("field"), "kind");
}

TEST(V1Answer, FirstAnswer_Wins_SecondIsToldSo) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  const auto first = world.call("POST", "/v1/interactions/k/answer", "alice",
                                R"({"text":"yes","nickname":"Al","client_id":"c1"})");
  EXPECT_EQ(first.status(), 200);
  EXPECT_EQ(first.json().at("won"), true);
  EXPECT_EQ(first.json().at("interaction").at("outcome").at("nickname"), "Al");
  const auto second = world.call("POST", "/v1/interactions/k/answer", "alice", R"({"text":"no"})");
  EXPECT_EQ(second.status(), 409);
  EXPECT_EQ(second.json().at("interaction"), first.json().at("interaction"));
}

TEST(V1Answer, Answerer_IsTheTokenAndItsChannel_WhateverItsNickname) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  const auto first = world.call("POST", "/v1/interactions/k/answer", "alice",
                                R"({"text":"yes","nickname":"Merry Otter"})");
  const auto outcome = first.json().at("interaction").at("outcome");
  EXPECT_EQ(outcome.at("by").at("name"), "alice");
  EXPECT_EQ(outcome.at("by").at("channel"), "api");
  EXPECT_EQ(outcome.at("nickname"), "Merry Otter");
  EXPECT_EQ(outcome.at("shown").at("told"), "not told");
}

TEST(V1Answer, AnswerToAnotherText_IsRefusedInWords) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  const std::string body = R"({"text":"yes","shown_sha256":")" + std::string(64, 'a') + "\"}";
  const auto refused = world.call("POST", "/v1/interactions/k/answer", "alice", body);
  EXPECT_EQ(refused.status(), 400);
  EXPECT_EQ(refused.json().at("message"),
            "The text changed since it was shown. Look at it again, then answer.");
  EXPECT_EQ(world.call("GET", "/v1/interactions/k", "alice").json().at("state"), "pending");
  const auto wrong = world.call("POST", "/v1/interactions/k/answer", "alice",
                                R"({"text":"yes","shown_sha256":"x"})");
  EXPECT_EQ(wrong.status(), 400);
}

TEST(V1Answer, UnknownKey_IsNotFound) {
  World world;
  EXPECT_EQ(world.call("POST", "/v1/interactions/x/answer", "alice", R"({"text":"y"})").status(),
            404);
  EXPECT_EQ(world.call("POST", "/v1/interactions/x/cancel", "alice").status(), 404);
  EXPECT_EQ(world.call("GET", "/v1/interactions/x", "alice").status(), 404);
}

TEST(V1Answer, OtherToken_CannotAnswer) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  EXPECT_EQ(world.call("POST", "/v1/interactions/k/answer", "bob", R"({"text":"y"})").status(),
            404);
  EXPECT_EQ(world.call("GET", "/v1/interactions/k", "bob").status(), 404);
}

TEST(V1Cancel, Reason_IsKept) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  const auto reply =
      world.call("POST", "/v1/interactions/k/cancel", "alice", R"({"reason":"not needed"})");
  EXPECT_EQ(reply.status(), 200);
  EXPECT_EQ(reply.json().at("interaction").at("outcome").at("reason"), "not needed");
  EXPECT_EQ(world.call("POST", "/v1/interactions/k/cancel", "alice").status(), 409);
}

TEST(V1Interactions, Key_MayHoldAnyCharacter) {
  World world;
  for (const std::string key : {"a/b", "a b", "50%", "a/answer", "ü?#"}) {
    std::string body = R"({"prompt":{"text":"Go?"},"key":")" + key + "\"}";
    ASSERT_EQ(world.call("POST", "/v1/interactions", "alice", body).status(), 201) << key;
    std::string escaped;
    for (const char c : key) {
      const auto byte = static_cast<unsigned char>(c);
      std::array<char, 8> text{};
      std::snprintf(text.data(), text.size(), "%%%02X", byte);
      escaped += text.data();
    }
    const std::string at = "/v1/interactions/" + escaped;
    EXPECT_EQ(world.call("GET", at, "alice").json().at("key"), key.c_str());
    EXPECT_EQ(world.call("POST", at + "/answer", "alice", R"({"text":"y"})").status(), 200) << key;
  }
}

TEST(V1Interactions, WrongMethod_IsAnswered405) {
  World world;
  EXPECT_EQ(world.send("GET", "/v1/interactions/k/answer", "alice")->status(), 405);
  EXPECT_EQ(world.send("POST", "/v1/interactions/k", "alice")->status(), 405);
}

TEST(V1Interactions, Interactions_AreListedNewestFirstInPages) {
  World world;
  for (int i = 0; i < 5; ++i) {
    const std::string key = "k" + std::to_string(i);
    world.call("POST", "/v1/interactions", "alice",
               R"({"prompt":{"text":"Go?"},"key":")" + key + "\"}");
  }
  world.call("POST", "/v1/interactions/k4/answer", "alice", R"({"text":"y"})");
  EXPECT_EQ(
      world.call("GET", "/v1/interactions", "alice").json().at("interactions").as_array().size(),
      4U);
  const auto page = world.call("GET", "/v1/interactions?state=all&limit=2", "alice").json();
  ASSERT_EQ(page.at("interactions").as_array().size(), 2U);
  EXPECT_EQ(page.at("more"), true);
  EXPECT_EQ(page.at("interactions").at(0).at("key"), "k3");
  EXPECT_EQ(page.at("interactions").at(1).at("state"), "answered");
  const auto older = world.call("GET", "/v1/interactions?state=all&limit=9&before=4", "alice");
  EXPECT_EQ(older.json().at("interactions").as_array().size(), 3U);
  EXPECT_EQ(older.json().at("more"), false);
  EXPECT_EQ(world.call("GET", "/v1/interactions?state=some", "alice").status(), 400);
}

TEST(V1Interactions, Question_SurvivesRestart) {
  World world;
  world.call("POST", "/v1/interactions", "alice", kAsk);
  world.hub().shut_down();
  world.settle();
  EXPECT_EQ(world.call("GET", "/v1/interactions/k", "alice").json().at("state"), "pending");
  EXPECT_EQ(
      world.call("POST", "/v1/interactions", "alice", R"({"prompt":{"text":"More?"}})").status(),
      503);
}

// --- paths of a question's project ---------------------------------------------------------------

class V1PathsTest : public ::testing::Test {
 protected:
  V1PathsTest() {
    std::ofstream(folder_.file("answer.cpp")) << "x";
    world_.serve_paths(folder_.file("data"), {});
    world_.set_peer("127.0.0.1");
    world_.call(
        "POST", "/v1/interactions", "alice",
        R"({"key":"k","prompt":{"text":"Go?","project_directory":")" + folder_.path() + "\"}}");
    world_.call("POST", "/v1/interactions", "alice", kNoProject);
  }
  Reply ask(const std::string& target, const std::string& token = "alice",
            std::vector<std::pair<std::string, std::string>> headers = {{"Host", "127.0.0.1"}}) {
    return world_.call("GET", "/v1/interactions/" + target, token, "", std::move(headers));
  }

  static constexpr const char* kNoProject = R"({"key":"none","prompt":{"text":"Go?"}})";
  core::TempFolder folder_;
  World world_;
};

TEST_F(V1PathsTest, Paths_AreOfQuestionsProject) {
  const auto found = ask("k/paths?q=ans");
  ASSERT_EQ(found.status(), 200) << found.response->body;
  ASSERT_EQ(found.json().at("paths").as_array().size(), 1U);
  EXPECT_EQ(found.json().at("paths").at(0).at("path"), "answer.cpp");
  EXPECT_EQ(found.json().at("paths").at(0).at("folder"), false);
}

TEST_F(V1PathsTest, Commands_AreOfTheAskingAgent) {
  std::filesystem::create_directories(folder_.file(".claude/commands"));
  std::ofstream(folder_.file(".claude/commands/review.md")) << "---\ndescription: Reads it\n---\n";
  world_.call("POST", "/v1/interactions", "alice",
              R"({"key":"c","prompt":{"text":"Go?","client_name":"claude-code",)"
              R"("project_directory":")" +
                  folder_.path() + "\"}}");
  const auto found = ask("c/commands");
  ASSERT_EQ(found.status(), 200) << found.response->body;
  EXPECT_EQ(boost::json::serialize(found.json()),
            R"({"commands":[{"name":"review","path":".claude/commands/review.md",)"
            R"("kind":"command","description":"Reads it"}]})");
  EXPECT_EQ(ask("k/commands").json().at("commands").as_array().size(), 0U);
  EXPECT_EQ(ask("none/commands").json().at("commands").as_array().size(), 0U);
  EXPECT_EQ(ask("c/commands", "bob").status(), 404);
  const std::vector<std::pair<std::string, std::string>> proxied = {
      {"Host", "127.0.0.1"}, {"X-Forwarded-For", "10.0.0.9"}};
  EXPECT_EQ(ask("c/commands", "alice", proxied).status(), 403);
}

TEST_F(V1PathsTest, OtherQuestions_AreRefused) {
  EXPECT_EQ(ask("k/paths", "bob").status(), 404);
  EXPECT_EQ(ask("unknown/paths").status(), 404);
  EXPECT_EQ(ask("none/paths").status(), 400);
  EXPECT_EQ(ask("k/paths?q=" + std::string(257, 'x')).status(), 400);
  const auto posted = world_.send("POST", "/v1/interactions/k/paths", "alice", "{}");
  world_.settle();
  EXPECT_EQ(posted->status(), 405);
  world_.add_token("reader", *auth::Rights::parse("read"));
  EXPECT_EQ(ask("k/paths", "reader").status(), 403);
}

TEST_F(V1PathsTest, CallerElsewhere_NeedsAllowedFolder) {
  const std::vector<std::pair<std::string, std::string>> proxied = {
      {"Host", "127.0.0.1"}, {"X-Forwarded-For", "10.0.0.9"}};
  EXPECT_EQ(ask("k/paths?q=ans", "alice", proxied).status(), 403);
  world_.set_hops(1);
  EXPECT_EQ(ask("k/paths?q=ans").status(), 403) << "127.0.0.1 is the computer of another node";
  world_.serve_paths(folder_.file("data"), {folder_.path()});
  EXPECT_EQ(ask("k/paths?q=ans", "alice", proxied).status(), 200);
}

}  // namespace
}  // namespace parley::api
