// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/v1/v1.h"

#include <gmock/gmock.h>

#include <set>

#include "protocol/v1/testing/world.h"

namespace parley::v1 {
namespace {

using testing::World;

std::string word_of(const boost::json::value& value) { return std::string(value.as_string()); }

TEST(OpenApi, EveryRouteIsDocumentedAndEveryDocumentedRouteIsServed) {
  World world;
  std::set<std::string> served;
  world.router().each_route([&served](std::string_view method, std::string_view pattern) {
    if (!pattern.ends_with("*")) served.insert(std::string(method) + " " + std::string(pattern));
  });
  std::set<std::string> documented;
  for (const auto& path : world.openapi().paths()) {
    // Held together with its server in the room of its own.
    if (std::string_view(path.key()).starts_with("/v1/booking")) continue;
    for (const auto& operation : path.value().as_object()) {
      std::string method;
      for (const char c : operation.key()) method.push_back(static_cast<char>(c & ~0x20));
      documented.insert(method + " " + std::string(path.key()));
    }
  }
  EXPECT_EQ(served, documented);
}

TEST(OpenApi, TheDocumentIsServedWithoutAToken) {
  World world;
  const auto reply = world.call("GET", "/v1/openapi.json", "");
  EXPECT_EQ(reply.status(), 200);
  EXPECT_EQ(reply.json().at("openapi"), "3.1.0");
}

TEST(V1, EveryRouteNeedsAToken) {
  World world;
  for (const Route& route : routes()) {
    std::string target(route.pattern);
    for (const char* name : {"{id}", "{key}", "{name}", "{study}", "{checkpoint}"}) {
      if (const auto at = target.find(name); at != std::string::npos) {
        target.replace(at, std::string_view(name).size(), "x");
      }
    }
    for (const char* token : {"", "wrong"}) {
      const auto reply = world.call(std::string(route.method), target, token);
      EXPECT_EQ(reply.status(), 401) << target;
      EXPECT_TRUE(reply.response->headers.has("WWW-Authenticate"));
    }
  }
}

TEST(V1, MeTellsWhoTheTokenIs) {
  World world;
  const auto me = world.call("GET", "/v1/me", "alice").json();
  EXPECT_EQ(me.at("name"), "alice");
  EXPECT_EQ(me.at("session"), "assistant-id-alice");
  EXPECT_EQ(me.at("admin"), false);
  EXPECT_EQ(world.call("GET", "/v1/me", "default").json().at("admin"), true);
}

TEST(V1, SessionsOfAnotherTokenAreNotThere) {
  World world;
  world.append("alice");
  world.settle();
  const auto own = world.call("GET", "/v1/sessions", "alice").json();
  ASSERT_EQ(own.at("sessions").as_array().size(), 1U);
  EXPECT_TRUE(world.call("GET", "/v1/sessions", "bob").json().at("sessions").as_array().empty());
  for (const char* path :
       {"/v1/sessions/assistant-id-alice", "/v1/sessions/assistant-id-alice/events",
        "/v1/interactions?session=assistant-id-alice"}) {
    EXPECT_EQ(world.call("GET", path, "alice").status(), 200) << path;
    EXPECT_EQ(world.call("GET", path, "bob").status(), 404) << path;
  }
  EXPECT_EQ(world
                .call("POST", "/v1/interactions?session=assistant-id-alice", "bob",
                      R"({"prompt":{"text":"q"}})")
                .status(),
            404);
}

TEST(V1, TheOwnSessionIsThereBeforeItsFirstEvent) {
  World world;
  const auto session = world.call("GET", "/v1/sessions/assistant-id-alice", "alice").json();
  EXPECT_EQ(session.at("last_seq"), 0);
  EXPECT_EQ(session.at("pending"), 0);
  const auto page = world.call("GET", "/v1/sessions/assistant-id-alice/events", "alice").json();
  EXPECT_TRUE(page.at("events").as_array().empty());
  EXPECT_EQ(world.call("GET", "/v1/sessions/no-such", "alice").status(), 404);
  EXPECT_EQ(world.call("GET", "/v1/sessions/%20x", "alice").status(), 404);
}

TEST(V1, AnUnknownPathIsNotFound) {
  World world;
  const auto reply = world.send("GET", "/v1/nonsense", "alice");
  EXPECT_EQ(reply->status(), 404);
  EXPECT_EQ(reply->json().at("code"), "not_found");
}

TEST(V1Tokens, OnlyTheDefaultTokenMayHandleThem) {
  World world;
  EXPECT_EQ(world.call("GET", "/v1/tokens", "alice").status(), 403);
  EXPECT_EQ(world.call("POST", "/v1/tokens", "alice", R"({"name":"x"})").status(), 403);
  EXPECT_EQ(world.call("DELETE", "/v1/tokens/bob", "alice").status(), 403);
  EXPECT_EQ(world.call("GET", "/v1/tokens", "default").json().at("tokens").as_array().size(), 3U);
}

TEST(V1Tokens, ATokenIsMadeOnceAndRevoked) {
  World world;
  const auto made =
      world.call("POST", "/v1/tokens", "default", R"({"name":"phone","expires":"30d"})");
  EXPECT_EQ(made.status(), 201);
  EXPECT_EQ(made.json().at("id"), "id-phone");
  EXPECT_TRUE(made.json().at("expires_at").is_int64());
  EXPECT_EQ(world.call("GET", "/v1/me", word_of(made.json().at("token"))).status(), 200);
  EXPECT_EQ(world.call("POST", "/v1/tokens", "default", R"({"name":"phone"})").status(), 409);
  EXPECT_EQ(world.call("DELETE", "/v1/tokens/phone", "default").status(), 204);
  EXPECT_EQ(world.call("DELETE", "/v1/tokens/phone", "default").status(), 404);
  EXPECT_EQ(world.call("GET", "/v1/me", "phone").status(), 401);
}

TEST(V1Tokens, AWrongExpiryIsNamed) {
  World world;
  const auto reply =
      world.call("POST", "/v1/tokens", "default", R"({"name":"x","expires":"soon"})");
  EXPECT_EQ(reply.status(), 400);
  EXPECT_EQ(reply.json().at("field"), "expires");
}

}  // namespace
}  // namespace parley::v1
