// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Callers whose owner is known by their first message, on a node that is not their home.
#include "base/net/server/home_passage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Takes what belongs to the workspace "t2".
class FakePassage final : public net::HomePassage {
 public:
  bool pass_on(std::string_view owner, net::Request& request, net::Responder& responder) override {
    owners.emplace_back(owner);
    if (owner != "t2") return false;
    bodies.push_back(request.body);
    responder.send(net::Response::text(200, "of the home"));
    return true;
  }
  bool pass_on(std::string_view owner, const net::Request& handshake,
               const std::vector<std::string>& messages, net::WebSocket& /*socket*/) override {
    owners.emplace_back(owner);
    if (owner != "t2") return false;
    target = handshake.target;
    for (const std::string& message : messages) {
      frames.push_back(decode_frame(message).value_or(pb::WebsocketMessage()).cmd());
    }
    return true;
  }

  std::vector<std::string> owners;
  std::vector<std::string> bodies;
  std::vector<std::string> frames;
  std::string target;
};

class HomePassageTest : public testing::Test {
 protected:
  // A page that has connected with this handshake.
  std::unique_ptr<UiConnection> page(net::FakeWebSocket& socket) {
    auto handshake = std::make_unique<net::Request>();
    handshake->target = "/ws?gen=2";
    auto connection =
        std::make_unique<UiConnection>(*server.context, UiHello(), std::move(handshake));
    connection->on_open(socket);
    return connection;
  }
  static std::string login(std::string_view token) {
    pb::WebsocketMessage message;
    message.set_cmd("UserLogin");
    message.set_strparam(std::string(token));
    return encode(message);
  }

  FakePassage homes;
  AssistantServer server{1, {.homes = &homes}};
};

TEST_F(HomePassageTest, LoginOfAnotherNode_IsPassedOn) {
  net::FakeWebSocket socket(server.schedulers[0]);
  const auto connection = page(socket);
  connection->on_message(socket, net::MessageType::binary, login("other"));
  server.run();
  EXPECT_THAT(homes.owners, ElementsAre("t2"));
  EXPECT_EQ(homes.target, "/ws?gen=2");
  EXPECT_THAT(homes.frames, ElementsAre("UserLogin"));
  EXPECT_THAT(socket.sent, IsEmpty()) << "the home answers";
  EXPECT_EQ(server.session("t2"), nullptr);
  server.advance(AssistantOptions().login_timeout);
  EXPECT_TRUE(socket.is_open) << "the time for a login has ended with it";
}

TEST_F(HomePassageTest, LoginOfThisNode_IsServed) {
  net::FakeWebSocket socket(server.schedulers[0]);
  const auto connection = page(socket);
  connection->on_message(socket, net::MessageType::binary, login("tok"));
  server.run();
  EXPECT_THAT(homes.owners, ElementsAre("t1"));
  EXPECT_THAT(socket.sent, SizeIs(1));
  EXPECT_NE(server.session("t1"), nullptr);
}

TEST_F(HomePassageTest, WrongToken_IsAskedOfNoNode) {
  net::FakeWebSocket socket(server.schedulers[0]);
  const auto connection = page(socket);
  connection->on_message(socket, net::MessageType::binary, login("wrong"));
  server.run();
  EXPECT_THAT(homes.owners, IsEmpty());
  EXPECT_FALSE(socket.is_open);
}

TEST_F(HomePassageTest, AnotherLoginOnOneConnection_IsPassedOnWithWhatFollows) {
  net::FakeWebSocket socket(server.schedulers[0]);
  const auto connection = page(socket);
  connection->on_message(socket, net::MessageType::binary, login("tok"));
  // Behind the first login, before it is answered.
  connection->on_message(socket, net::MessageType::binary, login("other"));
  pb::WebsocketMessage list;
  list.set_cmd("GetPendingMessages");
  connection->on_message(socket, net::MessageType::binary, encode(list));
  server.run();
  EXPECT_THAT(homes.frames, ElementsAre("UserLogin", "GetPendingMessages"));
  EXPECT_EQ(server.session("t1"), nullptr) << "nobody is in the session any more";
}

TEST_F(HomePassageTest, CallOfAnotherNode_IsPassedOnWhole) {
  const net::Request request = question("q1", "Which way?", 0, "other");
  const auto caller = server.call(RpcMethod::ask_question, request);
  server.run();
  ASSERT_TRUE(caller->response);
  EXPECT_EQ(caller->response->body, "of the home");
  EXPECT_THAT(homes.bodies, ElementsAre(request.body));
  EXPECT_EQ(server.session("t2"), nullptr);
}

TEST_F(HomePassageTest, CallOfThisNode_IsServed) {
  const auto caller = server.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server.run();
  EXPECT_FALSE(caller->response);
  EXPECT_THAT(homes.owners, ElementsAre("t1"));
  EXPECT_THAT(server.session("t1")->pending(), SizeIs(1));
}

}  // namespace
}  // namespace parley::assistant
