// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/net/http_test_world.h"

namespace parley::net {
namespace {

using core::Millis;

constexpr std::size_t kOpenBytes = 1'000;
constexpr std::size_t kPartOfLimit = 600;
// More than the head of a request of these tests counts; less than two of them.
constexpr std::size_t kHead = 1'200;
constexpr std::size_t kBodyBytes = 50'000;
constexpr std::size_t kPart = 30'000;

// Routes that admit the token "good", no request or all requests, or throw.
class HttpAdmissionTest : public testing::Test {
 protected:
  HttpAdmissionTest() {
    world_.options.max_body_bytes = kBodyBytes;
    world_.options.max_open_body_bytes = kOpenBytes;
    add("/closed", [this](const Request& head) -> tl::expected<Admission, Response> {
      ++admissions_;
      if (head.token() != "good") return tl::unexpected(Response::text(401, "no token"));
      return Admission{"good"};
    });
    add("/small", [](const Request&) { return Admission{"good", 2'000}; });
    add("/broken", [](const Request&) -> Admission { throw std::runtime_error("for the test"); });
    add("/open", {});
  }

  void add(const std::string& path, Admit admit) {
    world_.router.add(
        "POST", path,
        [this](Request request, Responder responder) {
          ++handled_;
          responder.send(Response::text(200, std::to_string(request.body.size())));
        },
        std::move(admit));
  }
  static std::string head(const std::string& path, std::size_t length, const std::string& fields) {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields +
           "Content-Length: " + std::to_string(length) + "\r\n\r\n";
  }
  double rejected(const std::string& reason) {
    return world_.counted("parley_http_rejected_total", {{"reason", reason}});
  }
  void run() { world_.scheduler.run_ready(); }

  static constexpr const char* kGood = "Authorization: Bearer good\r\n";

  HttpWorld world_;
  int admissions_ = 0;
  int handled_ = 0;
};

TEST_F(HttpAdmissionTest, LargeBodyWithoutToken_IsRefusedAtHead) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(head("/closed", 5'000, ""));
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_EQ(responses[0].status, 401);
  EXPECT_EQ(responses[0].headers.get("Connection"), "close");
  EXPECT_EQ(handled_, 0);
  EXPECT_EQ(rejected("not_admitted"), 1);
}

TEST_F(HttpAdmissionTest, SmallBodyWithoutToken_KeepsConnectionOpen) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(head("/closed", 500, "") + std::string(500, 'x') + head("/closed", 2, kGood) + "ab");
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].status, 401);
  EXPECT_EQ(responses[1].body, "2");
  EXPECT_FALSE(peer->ended());
  EXPECT_EQ(admissions_, 2);
}

TEST_F(HttpAdmissionTest, KnownSender_MaySendLargeBody) {
  world_.start();
  EXPECT_EQ(world_.request("POST", "/closed", kGood, std::string(kBodyBytes, 'x')).body, "50000");
}

TEST_F(HttpAdmissionTest, AdmittedBytes_LimitBody) {
  world_.start();
  EXPECT_EQ(world_.request("POST", "/small", "", std::string(2'000, 'x')).body, "2000");
  EXPECT_EQ(world_.request("POST", "/small", "", std::string(2'001, 'x')).status, 413);
}

TEST_F(HttpAdmissionTest, RouteAdmittingNobody_TakesOnlySmallBody) {
  world_.start();
  EXPECT_EQ(world_.request("POST", "/open", "", std::string(kOpenBytes, 'x')).body, "1000");
  EXPECT_EQ(world_.request("POST", "/open", "", std::string(kOpenBytes + 1, 'x')).status, 413);
  EXPECT_EQ(world_.request("POST", "/nowhere", "", std::string(kOpenBytes + 1, 'x')).status, 413);
  EXPECT_EQ(world_.request("GET", "/open", "", std::string(kOpenBytes + 1, 'x')).status, 405);
}

TEST_F(HttpAdmissionTest, ChunkedBodyWithoutToken_IsRefusedAtSmallLimit) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("POST /closed HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  run();
  EXPECT_TRUE(peer->take().empty());
  peer->send("400\r\n" + std::string(1'024, 'x') + "\r\n");
  run();
  EXPECT_EQ(peer->take().at(0).status, 401);
  EXPECT_TRUE(peer->ended());
}

TEST_F(HttpAdmissionTest, ExpectContinue_IsMetOnlyForAdmittedSender) {
  world_.start();
  const auto stranger = world_.connect();
  stranger->send(head("/closed", 5, "Expect: 100-continue\r\n"));
  run();
  const auto refused = stranger->take();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].status, 401);
  const auto known = world_.connect();
  known->send(head("/closed", 5, std::string(kGood) + "Expect: 100-continue\r\n"));
  run();
  EXPECT_EQ(known->take().at(0).status, 100);
}

TEST_F(HttpAdmissionTest, AdmissionThatThrows_IsAnswered500) {
  world_.start();
  EXPECT_EQ(world_.request("POST", "/broken", "", "x").status, 500);
  EXPECT_EQ(world_.request("POST", "/open", "", "x").status, 200);
}

TEST_F(HttpAdmissionTest, RefusalBehindOtherRequest_IsAnsweredInOrder) {
  Responder* kept = nullptr;
  std::vector<Responder> later;
  world_.router.add("GET", "/later", [&](const Request&, Responder responder) {
    later.push_back(std::move(responder));
    kept = &later.back();
  });
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n" + head("/closed", 5'000, ""));
  run();
  EXPECT_TRUE(peer->take().empty());
  ASSERT_NE(kept, nullptr);
  kept->send(Response::text(200, "first"));
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].body, "first");
  EXPECT_EQ(responses[1].status, 401);
}

TEST_F(HttpAdmissionTest, Budget_IsSharedByConnectionsOfAccount) {
  world_.options.max_assembling_bytes_per_account = 2 * (kPart + kHead);
  world_.start();
  std::vector<std::unique_ptr<HttpPeer>> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(world_.connect());
    peers.back()->send(head("/closed", kBodyBytes, kGood) + std::string(kPart, 'x'));
    run();
  }
  EXPECT_TRUE(peers[0]->take().empty());
  EXPECT_TRUE(peers[1]->take().empty());
  const auto refused = peers[2]->take();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].status, 503);
  EXPECT_EQ(refused[0].headers.get("Retry-After"), "5");
  EXPECT_EQ(rejected("assembly_full"), 1);
  // A closed connection releases its share.
  peers[0]->drop();
  run();
  const auto next = world_.connect();
  next->send(head("/closed", kBodyBytes, kGood) + std::string(kPart, 'x'));
  run();
  EXPECT_TRUE(next->take().empty());
}

TEST_F(HttpAdmissionTest, Budget_OfStrangersLeavesRoomForKnownSenders) {
  world_.options.max_assembling_bytes_unknown = kPartOfLimit + kHead;
  world_.options.max_open_body_bytes = kPartOfLimit + kHead;  // the least limit of an address
  world_.start();
  const auto first = world_.connect();
  first->send(head("/open", kOpenBytes, "") + std::string(kPartOfLimit, 'x'));
  const auto second = world_.connect();
  second->send(head("/open", kOpenBytes, "") + std::string(kPartOfLimit, 'x'));
  run();
  EXPECT_EQ(second->take().at(0).status, 503);
  EXPECT_EQ(world_.request("POST", "/closed", kGood, std::string(kBodyBytes, 'x')).status, 200);
  first->send(std::string(kOpenBytes - kPartOfLimit, 'x'));
  run();
  EXPECT_EQ(first->take().at(0).status, 200);
}

TEST_F(HttpAdmissionTest, Budget_CountsHeadThatAwaitsBody) {
  constexpr std::size_t kHeadBytes = 10'000;
  world_.options.max_assembling_bytes_unknown = 4 * kHeadBytes * 3 / 2;  // of one address a quarter
  world_.start();
  const std::string large = "X-Large: " + std::string(kHeadBytes, 'x') + "\r\n";
  const auto first = world_.connect();
  first->send(head("/open", kOpenBytes, large) + "x");
  run();
  EXPECT_TRUE(first->take().empty());
  const auto second = world_.connect();
  second->send(head("/open", kOpenBytes, large) + "x");
  run();
  ASSERT_FALSE(second->received().empty());
  EXPECT_EQ(second->take().at(0).status, 503);
  first->send(std::string(kOpenBytes - 1, 'x'));
  run();
  EXPECT_EQ(first->take().at(0).status, 200);
}

TEST_F(HttpAdmissionTest, Budget_HoldsForAllAccountsTogether) {
  world_.options.max_assembling_bytes = kBodyBytes;
  world_.options.max_assembling_bytes_per_account = kBodyBytes;
  world_.start();
  const auto known = world_.connect();
  known->send(head("/closed", kBodyBytes, kGood) + std::string(kBodyBytes - kHead, 'x'));
  const auto stranger = world_.connect();
  stranger->send(head("/open", kOpenBytes, "") + std::string(kPartOfLimit, 'x'));
  run();
  EXPECT_TRUE(known->take().empty());
  EXPECT_EQ(stranger->take().at(0).status, 503);
}

TEST_F(HttpAdmissionTest, FastBodyTurningSlow_MustKeepLeastRate) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(head("/closed", kBodyBytes, kGood) + std::string(40'000, 'x'));
  run();
  for (int i = 0; i < 3 && !peer->ended(); ++i) {
    peer->send("a");
    world_.scheduler.advance(Millis(50'000));
  }
  EXPECT_EQ(peer->take().at(0).status, 408);
}

}  // namespace
}  // namespace parley::net
