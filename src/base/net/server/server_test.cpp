// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/net/http/http_gate.h"
#include "tests/support/net/http_test_world.h"

namespace parley::net {
namespace {

using core::Millis;
using testing::HasSubstr;

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    world_.router.add("GET", "/read", [](const Request&, Responder responder) {
      responder.send(Response::text(200, "read"));
    });
    world_.router.add("POST", "/change", [this](const Request&, Responder responder) {
      ++changes_;
      responder.send(Response::text(200, "changed"));
    });
    world_.router.add("DELETE", "/change", [](const Request&, Responder responder) {
      responder.send(Response::text(200, "deleted"));
    });
    world_.router.add("GET", "/later", [this](const Request&, Responder responder) {
      kept_.push_back(std::move(responder));
    });
    world_.router.add("GET", "/events", [this](const Request&, Responder responder) {
      Response head;
      head.headers.add("Content-Type", "text/event-stream");
      writer_ = responder.start(std::move(head));
      writer_->on_disconnect([this] { ++gone_; });
    });
  }

  HttpWorld world_;
  std::vector<Responder> kept_;
  std::shared_ptr<BodyWriter> writer_;
  int changes_ = 0;
  int gone_ = 0;
};

struct ServedOriginCase {
  std::string method;
  std::string target;
  std::string fields;
  int status;
  std::string allowed_origin;  // in the answer
};

TEST_F(ServerTest, ForeignPages_ReadNothing_ChangeNothing) {
  world_.options.allowed_origins = {"https://x.org"};
  world_.start();
  const std::string own = "Host: 127.0.0.1:22080\r\nOrigin: http://127.0.0.1:22080\r\n";
  const std::string allowed = "Host: 127.0.0.1:22080\r\nOrigin: https://x.org\r\n";
  const std::string evil = "Host: 127.0.0.1:22080\r\nOrigin: http://evil.example\r\n";
  const std::string preflight = "Access-Control-Request-Method: POST\r\n";
  const std::vector<ServedOriginCase> cases = {
      {"GET", "/read", own, 200, "http://127.0.0.1:22080"},
      {"GET", "/read", allowed, 200, "https://x.org"},
      {"GET", "/read", evil, 200, ""},
      {"GET", "/read", "", 200, ""},
      {"POST", "/change", own, 200, "http://127.0.0.1:22080"},
      {"POST", "/change", allowed, 200, "https://x.org"},
      {"POST", "/change", evil, 403, ""},
      {"DELETE", "/change", evil, 403, ""},
      {"POST", "/change", "Host: localhost\r\nOrigin: null\r\n", 403, ""},
      {"POST", "/change", "", 200, ""},
      {"OPTIONS", "/change", allowed + preflight, 204, "https://x.org"},
      {"OPTIONS", "/change", evil + preflight, 403, ""},
      {"GET", "/none", allowed, 404, "https://x.org"},
      {"GET", "/read", "Host: evil.example\r\n", 421, ""},
      {"GET", "/read", "Host: evil.example\r\nOrigin: http://evil.example\r\n", 421, ""},
      {"GET", "/read", "Host: x.org\r\n", 200, ""},
      {"GET", "/read", "Host: 10.0.0.1\r\n", 421, ""},
      {"GET", "http://evil.example/read", "Host: localhost\r\n", 421, ""},
      {"GET", "http://localhost/read", "Host: evil.example\r\n", 200, ""},
  };
  for (const ServedOriginCase& one : cases) {
    const WireResponse response = world_.request(one.method, one.target, one.fields);
    const std::string name = one.method + " " + one.target + " " + one.fields;
    EXPECT_EQ(response.status, one.status) << name;
    EXPECT_EQ(response.headers.get("Access-Control-Allow-Origin"), one.allowed_origin) << name;
    EXPECT_EQ(response.headers.lists("Vary", "Origin"),
              one.fields.find("Origin: ") != std::string::npos)
        << name;
  }
  EXPECT_EQ(changes_, 3);
  EXPECT_EQ(world_.counted("parley_http_rejected_total", {{"reason", "bad_origin"}}), 4);
}

TEST_F(ServerTest, ListeningOnAllAddresses_AcceptsNumericHosts) {
  world_.start("0.0.0.0");
  EXPECT_EQ(world_.request("GET", "/read", "Host: 10.0.0.1:22080\r\n").status, 200);
  EXPECT_EQ(world_.request("GET", "/read", "Host: [fe80::1]\r\n").status, 200);
  const WireResponse response = world_.request("GET", "/read", "Host: evil.example\r\n");
  EXPECT_EQ(response.status, 421);
  EXPECT_THAT(response.body, HasSubstr("allowed_origins"));
}

TEST_F(ServerTest, Preflight_NamesMethodsAndFields) {
  world_.start();
  const WireResponse response = world_.request(
      "OPTIONS", "/change",
      "Origin: http://127.0.0.1\r\nAccess-Control-Request-Method: POST\r\n"
      "Access-Control-Request-Headers: mcp-param-region, x-other, mcp-param-a b\r\n");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.headers.get("Access-Control-Allow-Methods"), "DELETE, OPTIONS, POST");
  for (const std::string_view field :
       {"Content-Type", "Authorization", "Connect-Protocol-Version", "Connect-Timeout-Ms",
        "Last-Event-ID", "X-Request-Id", "Mcp-Session-Id", "mcp-param-region"}) {
    EXPECT_TRUE(response.headers.lists("Access-Control-Allow-Headers", field)) << field;
  }
  EXPECT_FALSE(response.headers.lists("Access-Control-Allow-Headers", "x-other"));
  EXPECT_THAT(std::string(response.headers.get("Access-Control-Allow-Headers")),
              Not(HasSubstr("a b")));
  EXPECT_EQ(response.headers.get("Allow"), "");
}

TEST_F(ServerTest, OptionsWithoutPreflight_NamesMethods) {
  world_.start();
  EXPECT_EQ(world_.request("OPTIONS", "/read").headers.get("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(world_.request("OPTIONS", "*").status, 204);
}

TEST_F(ServerTest, OtherMethod_IsToldAllowedMethods) {
  world_.start();
  const WireResponse response = world_.request("PUT", "/change");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.get("Allow"), "DELETE, OPTIONS, POST");
  EXPECT_EQ(world_.request("GET", "/none").status, 404);
}

TEST_F(ServerTest, ConnectionsOverLimit_AreToldAndClosed) {
  world_.options.max_connections = 2;
  world_.start();
  auto first = world_.connect();
  const auto second = world_.connect();
  const auto third = world_.connect();
  const auto responses = third->take();
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_EQ(responses[0].status, 503);
  EXPECT_TRUE(third->ended());
  EXPECT_FALSE(second->ended());
  EXPECT_EQ(world_.counted("parley_http_rejected_total", {{"reason", "max_connections"}}), 1);
  third->finish();
  first->drop();
  world_.scheduler.run_ready();
  EXPECT_EQ(world_.request("GET", "/read").status, 200);
}

TEST_F(ServerTest, Drain_ClosesIdle_FinishesAnswers) {
  world_.start();
  const auto idle = world_.connect();
  const auto busy = world_.connect();
  busy->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  world_.scheduler.run_ready();
  bool done = false;
  world_.server->drain(world_.scheduler, Millis(5'000), [&] { done = true; });
  world_.scheduler.advance(Millis(100));
  EXPECT_TRUE(idle->ended());
  EXPECT_FALSE(busy->ended());
  idle->finish();
  kept_.at(0).send(Response::text(200, "done"));
  world_.scheduler.advance(Millis(100));
  const auto responses = busy->take();
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_EQ(responses[0].body, "done");
  EXPECT_TRUE(responses[0].headers.lists("Connection", "close"));
  EXPECT_FALSE(done);
  busy->finish();
  world_.scheduler.advance(Millis(100));
  EXPECT_TRUE(done);
}

TEST_F(ServerTest, Drain_DoesNotWaitForDelayedRefusal) {
  world_.start();
  const auto guesser = world_.connect();
  guesser->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  world_.scheduler.run_ready();
  Response refused = refusal(401, "This token is not valid.");
  refused.delay = Millis(3'000);
  kept_.at(0).send(std::move(refused));
  world_.scheduler.advance(Millis(100));
  EXPECT_TRUE(guesser->take().empty());
  world_.server->drain(world_.scheduler, Millis(5'000), [] {});
  world_.scheduler.run_ready();
  const auto responses = guesser->take();
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_EQ(responses[0].status, 401);
  EXPECT_TRUE(guesser->ended());
}

TEST_F(ServerTest, Drain_TakesNoConnections_CutsAfterPatience) {
  world_.start();
  const auto busy = world_.connect();
  busy->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  world_.scheduler.run_ready();
  bool done = false;
  world_.server->drain(world_.scheduler, Millis(5'000), [&] { done = true; });
  bool refused = false;
  world_.network.connect(world_.scheduler, world_.endpoint,
                         [&](const auto& stream) { refused = !stream.has_value(); });
  world_.scheduler.advance(Millis(4'900));
  EXPECT_TRUE(refused);
  EXPECT_FALSE(done);
  world_.scheduler.advance(Millis(200));
  EXPECT_TRUE(done);
  EXPECT_TRUE(busy->ended());
  EXPECT_EQ(world_.server->connection_count(), 0U);
}

TEST_F(ServerTest, Drain_EndsEventStreamsForReconnect) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  world_.scheduler.run_ready();
  writer_->write("data: 1\n\n");
  world_.server->drain(world_.scheduler, Millis(5'000), [] {});
  world_.scheduler.run_ready();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_TRUE(responses[0].complete);
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(gone_, 1);
}

TEST_F(ServerTest, AnyCut_GivesSameBytes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    HttpWorld world(MemoryNetworkOptions{.max_piece = 5, .seed = seed});
    world.router.add("POST", "/echo", [](Request request, Responder responder) {
      responder.send(Response::text(200, std::move(request.body)));
    });
    world.start();
    const auto responses = world.exchange(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nfirst"
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nsec\r\n3\r\nond\r\n0\r\n\r\n");
    ASSERT_EQ(responses.size(), 2U) << seed;
    EXPECT_EQ(responses[0].body, "first");
    EXPECT_EQ(responses[1].body, "second");
  }
}

TEST_F(ServerTest, Server_ListensOnSeveralThreadsAndAddresses) {
  core::FakeScheduler other(world_.clock);
  Server server(world_.network, Router(), world_.options, world_.metrics, world_.entropy);
  const auto first = server.listen({&world_.scheduler, &other}, Endpoint{"127.0.0.1", 0});
  const auto second = server.listen({&world_.scheduler}, Endpoint{"0.0.0.0", 0});
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(first->port, 0);
  EXPECT_NE(first->port, second->port);
  EXPECT_FALSE(server.listen({}, Endpoint{}).has_value());
}

}  // namespace
}  // namespace parley::net
