// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "api/testing/world.h"

namespace parley::api {
namespace {

using testing::World;

constexpr const char* kAsk = R"({"key":"k","prompt":{"text":"Go?"}})";

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

}  // namespace
}  // namespace parley::api
