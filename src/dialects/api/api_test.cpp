// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/api.h"

#include <gmock/gmock.h>

#include <set>

#include "identity/access/access_table.h"
#include "tests/support/api/api_world.h"
#include "tests/support/session/recording_participant.h"

namespace parley::api {
namespace {

using testing::Reply;
using testing::World;

std::string word_of(const boost::json::value& value) { return std::string(value.as_string()); }

TEST(OpenApi, Routes_MatchDocument) {
  World world;
  std::set<std::string> served;
  world.router().each_route([&served](std::string_view method, std::string_view pattern) {
    if (!pattern.ends_with("*")) served.insert(std::string(method) + " " + std::string(pattern));
  });
  std::set<std::string> documented;
  for (const auto& path : world.openapi().paths()) {
    // The booking routes have a test of their own, in their folder.
    if (std::string_view(path.key()).starts_with("/v1/booking")) continue;
    for (const auto& operation : path.value().as_object()) {
      std::string method;
      for (const char c : operation.key()) method.push_back(static_cast<char>(c & ~0x20));
      documented.insert(method + " " + std::string(path.key()));
    }
  }
  EXPECT_EQ(served, documented);
}

TEST(OpenApi, Document_IsServedWithoutToken) {
  World world;
  const auto reply = world.call("GET", "/v1/openapi.json", "");
  EXPECT_EQ(reply.status(), 200);
  EXPECT_EQ(reply.json().at("openapi"), "3.1.0");
}

// A target that matches a route.
std::string target_of(const Route& route) {
  std::string target(route.pattern);
  for (const char* name : {"{id}", "{key}", "{name}", "{study}", "{checkpoint}"}) {
    if (const auto at = target.find(name); at != std::string::npos) {
      target.replace(at, std::string_view(name).size(), "x");
    }
  }
  return target;
}

TEST(V1, EveryRoute_NeedsToken) {
  World world;
  for (const Route& route : routes()) {
    const std::string target = target_of(route);
    for (const char* token : {"", "wrong"}) {
      const auto reply = world.call(std::string(route.method), target, token);
      EXPECT_EQ(reply.status(), 401) << target;
      EXPECT_TRUE(reply.response->headers.has("WWW-Authenticate"));
    }
  }
}

TEST(V1, EachRoute_OpensOnlyWithOwnRight) {
  World world;
  for (const auth::Right right : auth::kAllRights) {
    world.add_token(std::string(auth::right_name(right)), {right});
  }
  for (const Route& route : routes()) {
    const access::Row& row = access::row_of(route.method, route.pattern);
    for (const auth::Right right : auth::kAllRights) {
      const std::string token(auth::right_name(right));
      const auto reply = world.send(std::string(route.method), target_of(route), token);
      world.settle();
      ASSERT_TRUE(reply->response) << target_of(route);
      if (!access::missing(row, auth::Rights{right})) {
        EXPECT_NE(reply->status(), 403) << target_of(route) << " with " << token;
        continue;
      }
      EXPECT_EQ(reply->status(), 403) << target_of(route) << " with " << token;
      EXPECT_EQ(reply->json().at("code"), "permission_denied");
      EXPECT_EQ(reply->json().at("field"), "rights");
      EXPECT_THAT(word_of(reply->json().at("message")),
                  ::testing::HasSubstr("\"" + std::string(auth::right_name(row.right)) + "\""));
    }
  }
}

TEST(V1, KeyWithSlash_NeedsRightOfLastSegment) {
  World world;
  world.add_token("answer", {auth::Right::answer});
  world.add_token("ask", {auth::Right::ask});
  world.add_token("run", {auth::Right::run});
  const auto post = [&world](const std::string& target, const std::string& token) {
    const auto reply = world.send("POST", target, token, "{}");
    world.settle();
    return reply->status();
  };
  for (const char* key : {"k", "k%2Fx"}) {
    const std::string base = "/v1/interactions/" + std::string(key);
    EXPECT_NE(post(base + "/answer", "answer"), 403);
    EXPECT_EQ(post(base + "/answer", "ask"), 403);
    EXPECT_EQ(post(base + "/answer", "run"), 403);
    EXPECT_NE(post(base + "/cancel", "ask"), 403);
    EXPECT_EQ(post(base + "/cancel", "answer"), 403);
  }
}

TEST(V1, Me_DescribesToken) {
  World world;
  const auto me = world.call("GET", "/v1/me", "alice").json();
  EXPECT_EQ(me.at("name"), "alice");
  EXPECT_EQ(me.at("session"), "assistant-id-alice");
  EXPECT_EQ(me.at("admin"), false);
  EXPECT_EQ(boost::json::serialize(me.at("rights")),
            R"(["ask","answer","read","study","run","run-auto"])");
  EXPECT_EQ(world.call("GET", "/v1/me", "default").json().at("admin"), true);
}

// A connection of the session that only has a role and a dialect.
class Connected final : public session::RecordingParticipant {
 public:
  Connected(const char* id, session::ParticipantRole role, const char* dialect)
      : RecordingParticipant(id), info_(RecordingParticipant::info()) {
    info_.role = role;
    info_.dialect = dialect;
  }
  const session::ParticipantInfo& info() const override { return info_; }

 private:
  session::ParticipantInfo info_;
};

TEST(V1, Me_CountsPagesOfPeopleOnly) {
  World world;
  const auto screens = [&world](const char* token) {
    return world.call("GET", "/v1/me", token).json().at("screens").to_number<int>();
  };
  EXPECT_EQ(screens("alice"), 0);
  Connected first("1", session::ParticipantRole::user, "assistant");
  Connected second("2", session::ParticipantRole::user, "assistant");
  Connected stream("3", session::ParticipantRole::observer, "assistant");
  Connected agent("4", session::ParticipantRole::agent, "assistant");
  Connected front_end("5", session::ParticipantRole::user, "chat");
  const std::vector<Connected*> all{&first, &second, &stream, &agent, &front_end};
  world.with_session("alice", [&](session::Session& session) {
    for (Connected* one : all) EXPECT_TRUE(session.join(*one));
  });
  EXPECT_EQ(screens("alice"), 2);
  EXPECT_EQ(screens("bob"), 0);
  world.with_session("alice", [&](session::Session& session) {
    for (Connected* one : all) session.leave(*one);
  });
  EXPECT_EQ(screens("alice"), 0);
}

TEST(V1, Me_OfSessionElsewhere_HasNoCount) {
  World world(core::Millis(15'000), [](std::string_view) { return std::optional("other"); });
  const auto me = world.call("GET", "/v1/me", "alice").json();
  EXPECT_EQ(me.at("name"), "alice");
  EXPECT_TRUE(me.at("screens").is_null());
  EXPECT_FALSE(me.as_object().contains("notified")) << "it is told on demand";
  const auto asked = world.call("GET", "/v1/me?notified=true", "alice").json();
  EXPECT_EQ(asked.at("notified"), 0) << "this server sends no notifications";
}

TEST(V1, SessionsOfOtherToken_AreNotFound) {
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

TEST(V1, OwnSession_ExistsBeforeFirstEvent) {
  World world;
  const auto session = world.call("GET", "/v1/sessions/assistant-id-alice", "alice").json();
  EXPECT_EQ(session.at("last_seq"), 0);
  EXPECT_EQ(session.at("pending"), 0);
  const auto page = world.call("GET", "/v1/sessions/assistant-id-alice/events", "alice").json();
  EXPECT_TRUE(page.at("events").as_array().empty());
  EXPECT_EQ(world.call("GET", "/v1/sessions/no-such", "alice").status(), 404);
  EXPECT_EQ(world.call("GET", "/v1/sessions/%20x", "alice").status(), 404);
}

TEST(V1, UnknownPath_IsNotFound) {
  World world;
  const auto reply = world.send("GET", "/v1/nonsense", "alice");
  EXPECT_EQ(reply->status(), 404);
  EXPECT_EQ(reply->json().at("code"), "not_found");
}

TEST(V1Tokens, Tokens_NeedAdmin) {
  World world;
  EXPECT_EQ(world.call("GET", "/v1/tokens", "alice").status(), 403);
  EXPECT_EQ(world.call("POST", "/v1/tokens", "alice", R"({"name":"x"})").status(), 403);
  EXPECT_EQ(world.call("PATCH", "/v1/tokens/bob", "alice", R"({"name":"x"})").status(), 403);
  EXPECT_EQ(world.call("DELETE", "/v1/tokens/bob", "alice").status(), 403);
  EXPECT_EQ(world.call("GET", "/v1/tokens", "default").json().at("tokens").as_array().size(), 3U);
}

TEST(V1Tokens, Token_IsShownOnce_AndRevocable) {
  World world;
  const auto created =
      world.call("POST", "/v1/tokens", "default", R"({"name":"phone","expires":"30d"})");
  EXPECT_EQ(created.status(), 201);
  EXPECT_EQ(created.json().at("id"), "id-phone");
  EXPECT_TRUE(created.json().at("expires_at").is_int64());
  EXPECT_EQ(world.call("GET", "/v1/me", word_of(created.json().at("token"))).status(), 200);
  EXPECT_EQ(world.call("POST", "/v1/tokens", "default", R"({"name":"phone"})").status(), 409);
  EXPECT_EQ(world.call("DELETE", "/v1/tokens/phone", "default").status(), 204);
  EXPECT_EQ(world.call("DELETE", "/v1/tokens/phone", "default").status(), 404);
  EXPECT_EQ(world.call("GET", "/v1/me", "phone").status(), 401);
}

TEST(V1Tokens, SharedWorkspace_IsThatOfTheCaller) {
  World world;
  const auto created = [&world](const std::string& body) {
    return world.call("POST", "/v1/tokens", "default", body);
  };
  EXPECT_EQ(created(R"({"name":"phone","same_workspace":true})").json().at("workspace"),
            "id-default");
  EXPECT_EQ(created(R"({"name":"other"})").json().at("workspace"), "id-other");
  EXPECT_EQ(created(R"({"name":"x","same_workspace":"default"})").json().at("field"),
            "same_workspace");
  const auto me = world.call("GET", "/v1/me", "phone").json();
  EXPECT_EQ(me.at("workspace"), "id-default");
  EXPECT_EQ(me.at("token_id"), "id-phone");
}

TEST(V1Tokens, Renamed_KeepsId) {
  World world;
  const auto renamed =
      world.call("PATCH", "/v1/tokens/alice", "default", R"({"name":"old laptop"})");
  EXPECT_EQ(renamed.status(), 200);
  EXPECT_EQ(renamed.json().at("id"), "id-alice");
  EXPECT_EQ(renamed.json().at("name"), "old laptop");
  EXPECT_EQ(world.call("PATCH", "/v1/tokens/bob", "default", R"({"name":"default"})").status(),
            409);
  EXPECT_EQ(world.call("PATCH", "/v1/tokens/nobody", "default", R"({"name":"x"})").status(), 404);
  EXPECT_EQ(world.call("PATCH", "/v1/tokens/bob", "default", "{}").json().at("field"), "name");
}

TEST(V1Tokens, Rights_AreGivenAndShown) {
  World world;
  const auto make = [&world](const std::string& body) {
    return world.call("POST", "/v1/tokens", "default", body);
  };
  const auto usual = make(R"({"name":"usual"})").json();
  EXPECT_EQ(boost::json::serialize(usual.at("rights")), R"(["ask","answer","read"])");
  const auto runner = make(R"({"name":"runner","rights":["run","read"]})").json();
  EXPECT_EQ(boost::json::serialize(runner.at("rights")), R"(["read","run"])");
  const auto list = world.call("GET", "/v1/tokens", "default").json().at("tokens");
  EXPECT_EQ(boost::json::serialize(list.as_array().back().at("rights")), R"(["read","run"])");
  for (const char* rights : {R"(["root"])", "[]", "[1]", R"("run")", R"({"run":true})"}) {
    const auto refused = make(R"({"name":"x","rights":)" + std::string(rights) + "}");
    EXPECT_EQ(refused.status(), 400) << rights;
    EXPECT_EQ(refused.json().at("field"), "rights") << rights;
  }
}

TEST(V1Tokens, WaitsForDisk_BlockNobody_AndAreBounded) {
  World world;
  std::vector<std::shared_ptr<Reply>> waiting;
  for (int i = 0; i < 64; ++i) waiting.push_back(world.send("GET", "/v1/tokens", "default"));
  world.shard(0).run_ready();
  EXPECT_FALSE(waiting.front()->response);
  const auto other = world.send("GET", "/v1/me", "alice");
  while (world.shard(0).run_ready() + world.shard(1).run_ready() > 0) {
  }
  ASSERT_TRUE(other->response);
  EXPECT_EQ(other->status(), 200);
  const auto more = world.send("GET", "/v1/tokens", "default");
  ASSERT_TRUE(more->response);
  EXPECT_EQ(more->status(), 429);
  world.settle();
  for (const auto& reply : waiting) EXPECT_EQ(reply->status(), 200);
  EXPECT_EQ(world.call("GET", "/v1/tokens", "default").status(), 200);
}

TEST(V1Tokens, WrongExpiry_IsNamed) {
  World world;
  const auto reply =
      world.call("POST", "/v1/tokens", "default", R"({"name":"x","expires":"soon"})");
  EXPECT_EQ(reply.status(), 400);
  EXPECT_EQ(reply.json().at("field"), "expires");
}

}  // namespace
}  // namespace parley::api
