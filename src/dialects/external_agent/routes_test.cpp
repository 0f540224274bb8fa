// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The relay behind the real HTTP server, over a network in memory.
#include "dialects/external_agent/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/net/websocket/websocket_client.h"
#include "tests/support/external_agent/relay_fixture.h"
#include "tests/support/net/http_test_world.h"

namespace parley::external_agent {
namespace {

using testing::HasSubstr;

class Client final : public net::WebSocketClientHandler {
 public:
  Client(net::HttpWorld& world, std::string target, bool answer_pings = true)
      : client_(world.entropy, *this, options(std::move(target), answer_pings)) {
    client_.connect(world.network, world.scheduler, world.endpoint);
    world.scheduler.run_ready();
  }
  void on_open(net::WebSocketClient& /*client*/) override {}
  void on_message(net::WebSocketClient& /*client*/, net::MessageType type,
                  std::string_view data) override {
    EXPECT_EQ(type, net::MessageType::text);
    got.emplace_back(data);
  }
  void on_close(net::WebSocketClient& /*client*/, std::uint16_t code,
                std::string_view /*reason*/) override {
    closed = code;
  }
  void on_refused(net::WebSocketClient& /*client*/, const core::Error& /*error*/,
                  const net::Response& response) override {
    status = response.status;
  }
  net::WebSocketClient& socket() { return client_; }
  std::string last() const { return got.empty() ? std::string() : got.back(); }

  std::vector<std::string> got;
  std::uint16_t closed = 0;
  int status = 0;

 private:
  static net::WebSocketClientOptions options(std::string target, bool answer_pings) {
    net::WebSocketClientOptions out;
    out.target = std::move(target);
    out.answer_pings = answer_pings;
    return out;
  }
  net::WebSocketClient client_;
};

class RelayRoutes : public testing::Test {
 protected:
  explicit RelayRoutes(std::string guest_token = "shared",
                       auth::GuestsFrom from = auth::GuestsFrom::anywhere)
      : verifier(tokens, std::move(guest_token), from) {
    tokens.allow("shared", "guest");
    tokens.allow("good", "t1");
    std::vector<std::unique_ptr<session::Shard>> shards;
    shards.push_back(std::make_unique<session::Shard>(world.scheduler, world.entropy, store,
                                                      session::SessionLimits()));
    hub = std::make_unique<session::Hub>(std::move(shards));
    context = std::make_unique<RelayContext>(*hub, studies, verifier, world.entropy, world.metrics);
    install(world.router, *context);
    world.start();
  }
  ~RelayRoutes() override { world.server.reset(); }
  void send(Client& client, std::string_view text) {
    client.socket().send_text(text);
    world.scheduler.run_ready();
  }

  net::HttpWorld world;
  event::MemorySessionStore store;
  FakeStudies studies;
  auth::FakeVerifier tokens;
  auth::GuestVerifier verifier;
  std::unique_ptr<session::Hub> hub;
  std::unique_ptr<RelayContext> context;
};

class RelayRoutesWithoutGuests : public RelayRoutes {
 protected:
  RelayRoutesWithoutGuests() : RelayRoutes("") {}
};

TEST_F(RelayRoutes, PlainGet_IsNotFoundAndEmpty) {
  const net::WireResponse response = world.request("GET", "/agent/ws");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, "");
}

TEST_F(RelayRoutes, WrongToken_IsRefusedInHandshake) {
  const Client client(world, "/agent/ws?token=wrong");
  EXPECT_EQ(client.status, 401);
}

TEST_F(RelayRoutes, TokenWithoutRight_IsRefusedInHandshake) {
  tokens.allow("reader", "t2", "reader", auth::Rights::all().without(auth::Right::study));
  EXPECT_EQ(Client(world, "/agent/ws?token=reader").status, 403);
  tokens.allow("agent", "t3", "agent", {auth::Right::study});
  EXPECT_EQ(Client(world, "/agent/ws?token=agent").status, 0);
}

TEST_F(RelayRoutes, EndOfToken_ClosesIdleSocket) {
  const Client idle(world, "/agent/ws?token=good");
  const Client guest(world, "/agent/ws");
  tokens.forget("good");
  world.scheduler.run_ready();
  EXPECT_EQ(idle.closed, net::close_code::kUnauthenticated);
  EXPECT_EQ(guest.closed, 0);
}

TEST_F(RelayRoutes, EndOfGuestToken_EndsGuests) {
  const Client guest(world, "/agent/ws");
  tokens.forget("shared");
  world.scheduler.run_ready();
  EXPECT_EQ(guest.closed, net::close_code::kUnauthenticated);
  EXPECT_EQ(Client(world, "/agent/ws").status, 401);
  EXPECT_EQ(Client(world, "/agent/ws?token=good").status, 0);
}

TEST_F(RelayRoutesWithoutGuests, MissingToken_IsRefusedInHandshake) {
  EXPECT_EQ(Client(world, "/agent/ws").status, 401);
  EXPECT_EQ(Client(world, "/agent/ws?token=good").status, 0);
}

class RelayRoutesOfThisComputer : public RelayRoutes {
 protected:
  RelayRoutesOfThisComputer() : RelayRoutes("shared", auth::GuestsFrom::here) {}
  int shake_hands(const std::string& target, const std::string& more) {
    return world
        .request("GET", target,
                 "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" +
                     more)
        .status;
  }
};

TEST_F(RelayRoutesOfThisComputer, GuestThroughProxy_NeedsToken) {
  EXPECT_EQ(shake_hands("/agent/ws", "X-Forwarded-For: 192.0.2.7\r\n"), 401);
  EXPECT_EQ(shake_hands("/agent/ws?token=good", "X-Forwarded-For: 192.0.2.7\r\n"), 101);
}

TEST_F(RelayRoutesOfThisComputer, ForeignPage_IsRefused) {
  EXPECT_EQ(shake_hands("/agent/ws", "Sec-Fetch-Site: cross-site\r\n"), 403);
}

TEST_F(RelayRoutes, ForeignPage_IsRefused) {
  const net::WireResponse response =
      world.request("GET", "/agent/ws",
                    "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                    "Origin: https://elsewhere.example\r\n");
  EXPECT_EQ(response.status, 403);
}

TEST_F(RelayRoutes, HostAndAgent_TalkOverWire) {
  Client host(world, "/agent/ws");
  Client agent(world, "/agent/ws?full=1");
  EXPECT_THAT(host.last(), HasSubstr("relay.hello"));
  send(host, R"({"type":"relay.join","payload":{"role":"host"}})");
  send(agent, R"({"type":"relay.join","payload":{"role":"agent"}})");
  EXPECT_EQ(part(host.last(), "payload.fullHistory"), "true");
  agent.socket().send_binary(R"({"type":"snapshot.get","id":"a"})");
  world.scheduler.run_ready();
  EXPECT_EQ(part(host.last(), "type"), "\"snapshot.get\"");
  send(host, R"({"type":"snapshot.state","replyTo":)" + part(host.last(), "id") +
                 R"(,"payload":{"uiSpec":{}}})");
  EXPECT_EQ(part(agent.last(), "replyTo"), "\"a\"");
  EXPECT_EQ(part(agent.last(), "payload.sessionId"), "\"s-20260213-001\"");
}

TEST_F(RelayRoutes, HostWithoutPong_IsGoneAfterThirtySeconds) {
  Client host(world, "/agent/ws", false);
  Client agent(world, "/agent/ws");
  send(host, R"({"type":"relay.join","payload":{"role":"host"}})");
  send(agent, R"({"type":"relay.join","payload":{"role":"agent"}})");
  world.scheduler.advance(core::Millis(28'000));
  EXPECT_EQ(part(agent.last(), "payload.hostActive"), "true");
  world.scheduler.advance(core::Millis(5'000));
  EXPECT_EQ(part(agent.last(), "payload.hostActive"), "false");
  Client next(world, "/agent/ws");
  send(next, R"({"type":"relay.join","payload":{"role":"host"}})");
  EXPECT_EQ(part(agent.last(), "payload.hostActive"), "true");
}

TEST_F(RelayRoutes, HostAnsweringPings_Stays) {
  Client host(world, "/agent/ws");
  send(host, R"({"type":"relay.join","payload":{"role":"host"}})");
  world.scheduler.advance(core::Millis(300'000));
  EXPECT_EQ(host.closed, 0);
  EXPECT_TRUE(host.socket().open());
}

TEST_F(RelayRoutes, SecondHost_SeesReasonBeforeClose) {
  Client host(world, "/agent/ws");
  Client second(world, "/agent/ws");
  send(host, R"({"type":"relay.join","payload":{"role":"host"}})");
  send(second, R"({"type":"relay.join","id":1,"payload":{"role":"host"}})");
  EXPECT_EQ(second.last(), error_frame("SESSION_NOT_ACTIVE", text::kOtherHost, "1"));
  EXPECT_EQ(second.closed, 4409);
}

}  // namespace
}  // namespace parley::external_agent
