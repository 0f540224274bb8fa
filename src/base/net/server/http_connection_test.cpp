// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/server/http_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/core/time_text.h"
#include "base/net/http/compression.h"
#include "tests/support/net/http_test_world.h"

namespace parley::net {
namespace {

using core::Millis;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Routes that answer at once, echo bodies, keep Responders for later, stream, or fail.
class HttpConnectionTest : public testing::Test {
 protected:
  explicit HttpConnectionTest(MemoryNetworkOptions options = {}) : world_(std::move(options)) {
    world_.router.add("GET", "/hello", [](const Request& request, Responder responder) {
      responder.send(Response::text(200, "hello " + request.query_param("name").value_or("you")));
    });
    world_.router.add(
        "POST", "/echo",
        [](Request request, Responder responder) {
          responder.send(Response::text(200, std::move(request.body)));
        },
        [](const Request&) { return Admission{"tester"}; });
    world_.router.add("GET", "/large", [](const Request&, Responder responder) {
      responder.send(Response::json(200, "[" + std::string(50'000, ' ') + "]"));
    });
    world_.router.add("GET", "/later", [this](const Request&, Responder responder) {
      responder.on_disconnect([this] { ++gone_; });
      kept_.push_back(std::move(responder));
    });
    world_.router.add("GET", "/stream", [this](const Request&, Responder responder) {
      Response head;
      head.headers.add("Content-Type", "text/event-stream");
      writer_ = responder.start(std::move(head));
      writer_->on_disconnect([this] { ++gone_; });
    });
    world_.router.add("GET", "/forgets", [](const Request&, Responder) {});
    world_.router.add("GET", "/throws", [](const Request&, Responder) -> void {
      throw std::runtime_error("for the test");
    });
  }

  void run() { world_.scheduler.run_ready(); }

  HttpWorld world_;
  std::vector<Responder> kept_;
  std::shared_ptr<BodyWriter> writer_;
  int gone_ = 0;
};

TEST_F(HttpConnectionTest, EveryAnswer_HasCommonFields) {
  world_.start();
  const WireResponse response = world_.request("GET", "/hello?name=Ada");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "hello Ada");
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.headers.get("Content-Length"), "9");
  EXPECT_EQ(response.headers.get("Date"), core::http_date(world_.clock.wall()));
  EXPECT_EQ(response.headers.get("Server"), "parley");
  EXPECT_EQ(response.headers.get("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(response.headers.get("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(response.headers.get("X-Frame-Options"), "DENY");
  EXPECT_THAT(std::string(response.headers.get("Content-Security-Policy")),
              HasSubstr("frame-ancestors 'none'"));
  EXPECT_EQ(response.headers.get("X-Request-Id").size(), 16U);
  EXPECT_FALSE(response.headers.has("Access-Control-Allow-Origin"));
}

TEST_F(HttpConnectionTest, SaneRequestId_IsKept) {
  world_.start();
  EXPECT_EQ(world_.request("GET", "/hello", "X-Request-Id: abc-1\r\n").headers.get("X-Request-Id"),
            "abc-1");
  EXPECT_NE(world_.request("GET", "/hello", "X-Request-Id: a b\r\n").headers.get("X-Request-Id"),
            "a b");
}

TEST_F(HttpConnectionTest, KeepAlive_FollowsVersionAndClient) {
  world_.start();
  const std::vector<std::pair<std::string, bool>> cases = {
      {"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n", true},
      {"GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", false},
      {"GET /hello HTTP/1.0\r\n\r\n", false},
      {"GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
  };
  for (const auto& [wire, keeps] : cases) {
    const auto peer = world_.connect();
    peer->send(wire);
    run();
    const auto responses = peer->take();
    ASSERT_EQ(responses.size(), 1U) << wire;
    EXPECT_EQ(responses[0].status, 200) << wire;
    EXPECT_EQ(peer->ended(), !keeps) << wire;
    EXPECT_EQ(responses[0].headers.lists("Connection", "close"), !keeps) << wire;
  }
}

TEST_F(HttpConnectionTest, Head_IsAnsweredLikeGetWithoutBody) {
  world_.start();
  const WireResponse response = world_.request("HEAD", "/hello");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Content-Length"), "9");
  const auto peer = world_.connect();
  peer->send("HEAD /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  EXPECT_THAT(peer->received(), testing::EndsWith("\r\n\r\n"));
}

TEST_F(HttpConnectionTest, PipelinedRequests_AreAnsweredInOrder) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(
      "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "GET /hello?name=B HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nC"
      "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  EXPECT_EQ(peer->received(), "");
  ASSERT_EQ(kept_.size(), 1U);
  kept_[0].send(Response::text(200, "A"));
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 4U);
  EXPECT_EQ(responses[0].body, "A");
  EXPECT_EQ(responses[1].body, "hello B");
  EXPECT_EQ(responses[2].body, "C");
  EXPECT_EQ(responses[3].status, 404);
}

TEST_F(HttpConnectionTest, ReadAhead_IsLimited_LosesNothing) {
  world_.options.max_pipelined = 2;
  world_.start();
  const auto peer = world_.connect();
  std::string wire = "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (int i = 0; i < 50; ++i) {
    wire += "GET /hello?name=" + std::to_string(i) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  peer->send(wire);
  run();
  peer->send("GET /hello?name=last HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  ASSERT_EQ(kept_.size(), 1U);
  kept_[0].send(Response::text(200, "A"));
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 52U);
  EXPECT_EQ(responses[50].body, "hello 49");
  EXPECT_EQ(responses[51].body, "hello last");
}

// Thousands of requests at once would keep all others waiting until the last one is answered.
TEST_F(HttpConnectionTest, ManyPipelinedRequests_LetOthersIn) {
  world_.start();
  const auto greedy = world_.connect();
  const auto other = world_.connect();
  run();
  std::string wire;
  for (unsigned i = 0; i < 10 * HttpConnection::kRequestsPerTurn; ++i) {
    wire += "GET /hello?name=" + std::to_string(i) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  greedy->send(wire);
  other->send("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (other->received().empty()) ASSERT_TRUE(world_.scheduler.run_one());
  EXPECT_LE(greedy->take().size(), 2 * HttpConnection::kRequestsPerTurn);
  run();
  EXPECT_GE(greedy->take().size(), 8 * HttpConnection::kRequestsPerTurn);
}

TEST_F(HttpConnectionTest, MalformedRequest_IsAnsweredInOrder_ThenClosed) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(
      "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n"
      "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  kept_.at(0).send(Response::text(200, "A"));
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[1].status, 505);
  EXPECT_THAT(responses[1].body, HasSubstr("\"code\":\"unimplemented\""));
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(world_.counted("parley_http_rejected_total", {{"reason", "unknown_version"}}), 1);
}

TEST_F(HttpConnectionTest, MalformedTarget_IsRefused_ConnectionStays) {
  world_.start();
  const auto responses = world_.exchange(
      "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].status, 400);
  EXPECT_EQ(responses[1].status, 200);
}

TEST_F(HttpConnectionTest, ExpectContinue_IsAnswered) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: "
      "100-continue\r\n\r\n");
  run();
  EXPECT_EQ(peer->received(), "HTTP/1.1 100 Continue\r\n\r\n");
  peer->send("abc");
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[1].body, "abc");
}

TEST_F(HttpConnectionTest, OversizedBody_IsRefusedBeforeSending) {
  world_.options.max_body_bytes = 10;
  world_.start();
  const auto responses = world_.exchange(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\nExpect: "
      "100-continue\r\n\r\n");
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_EQ(responses[0].status, 413);
}

TEST_F(HttpConnectionTest, FailingHandler_IsAnswered500_OthersGoOn) {
  world_.start();
  const auto responses = world_.exchange(
      "GET /forgets HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "GET /throws HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_EQ(responses.size(), 3U);
  EXPECT_EQ(responses[0].status, 500);
  EXPECT_EQ(responses[1].status, 500);
  EXPECT_THAT(responses[1].body, Not(HasSubstr("for the test")));
  EXPECT_EQ(responses[2].status, 200);
}

TEST_F(HttpConnectionTest, LargeAnswer_IsGzippedIfAccepted) {
  world_.start();
  const struct {
    std::string accept;
    bool packed;
  } cases[] = {{"gzip", true},      {"br, gzip;q=0.2", true}, {"GZIP", true}, {"*", true},
               {"gzip;q=0", false}, {"identity", false},      {"br", false}};
  for (const auto& one : cases) {
    const WireResponse response =
        world_.request("GET", "/large", "Accept-Encoding: " + one.accept + "\r\n");
    EXPECT_EQ(response.headers.get("Content-Encoding") == "gzip", one.packed) << one.accept;
    EXPECT_TRUE(response.headers.lists("Vary", "Accept-Encoding")) << one.accept;
    EXPECT_TRUE(response.complete);
    const std::string body =
        one.packed ? gunzip(response.body, 100'000).value_or("") : response.body;
    EXPECT_EQ(body.size(), 50'002U) << one.accept;
  }
  EXPECT_FALSE(
      world_.request("GET", "/hello", "Accept-Encoding: gzip\r\n").headers.has("Content-Encoding"));
}

TEST_F(HttpConnectionTest, Responder_OutlivesConnection) {
  world_.start();
  auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  peer->drop();
  run();
  EXPECT_EQ(gone_, 1);
  kept_.at(0).send(Response::text(200, "too late"));
  run();
  EXPECT_EQ(gone_, 1);
}

TEST_F(HttpConnectionTest, Disconnect_IsToldToHandler_HalfCloseIsAnswered) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  peer->finish();
  run();
  EXPECT_EQ(gone_, 1);
  kept_.at(0).send(Response::text(200, "still here"));
  run();
  EXPECT_THAT(peer->received(), HasSubstr("still here"));
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(world_.server->connection_count(), 0U);
}

TEST_F(HttpConnectionTest, DisconnectAfterAnswer_IsNotTold) {
  world_.start();
  auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  kept_.at(0).send(Response::text(200, "A"));
  run();
  peer->drop();
  run();
  EXPECT_EQ(gone_, 0);
}

TEST_F(HttpConnectionTest, SecondAnswer_NeverReachesNextRequest) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  Responder first = std::move(kept_.at(0));
  kept_.clear();
  first.send(Response::text(200, "A"));
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  first.send(Response::text(200, "A again"));
  kept_.at(0).send(Response::text(200, "B"));
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[1].body, "B");
}

TEST_F(HttpConnectionTest, ChunkedStream_IsFollowedByNextRequest) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  EXPECT_TRUE(writer_->open());
  writer_->write("one ");
  run();
  EXPECT_THAT(peer->received(), testing::EndsWith("4\r\none \r\n"));
  writer_->write("");
  writer_->write("two");
  writer_->end();
  writer_->write("three");
  EXPECT_FALSE(writer_->open());
  peer->send("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].body, "one two");
  EXPECT_TRUE(responses[0].complete);
  EXPECT_EQ(responses[1].body, "hello you");
  EXPECT_EQ(gone_, 0);
}

TEST_F(HttpConnectionTest, StreamToHttp10_LastsUntilConnectionEnd) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  run();
  writer_->write("one");
  writer_->end();
  run();
  EXPECT_THAT(peer->received(), testing::EndsWith("\r\n\r\none"));
  EXPECT_THAT(peer->received(), Not(HasSubstr("chunked")));
  EXPECT_TRUE(peer->ended());
}

TEST_F(HttpConnectionTest, StreamForHead_HasNoBody) {
  world_.start();
  const WireResponse response = world_.request("HEAD", "/stream");
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(writer_->open());
  EXPECT_EQ(gone_, 1);
}

TEST_F(HttpConnectionTest, LostReader_IsToldToStreamOnce) {
  world_.start();
  auto peer = world_.connect();
  peer->send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  peer->drop();
  run();
  EXPECT_FALSE(writer_->open());
  EXPECT_EQ(gone_, 1);
  writer_->write("more");
  writer_->end();
  run();
  EXPECT_EQ(gone_, 1);
  EXPECT_EQ(world_.server->connection_count(), 0U);
}

TEST_F(HttpConnectionTest, SlowReader_IsCut_MemoryStaysBounded) {
  world_.options.max_queue_bytes = 64U << 10U;
  world_.start();
  const auto peer = world_.connect();
  peer->pause(true);
  peer->send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  std::size_t most = 0;
  for (int i = 0; i < 1'000 && writer_->open(); ++i) {
    writer_->write(std::string(4'096, 'x'));
    most = std::max(most, writer_->queued());
    run();
  }
  EXPECT_FALSE(writer_->open());
  EXPECT_EQ(gone_, 1);
  EXPECT_LE(most, (64U << 10U) + 4'096U + 16U);
  EXPECT_EQ(world_.server->connection_count(), 0U);
  EXPECT_EQ(world_.counted("parley_http_rejected_total", {{"reason", "slow_reader"}}), 1);
}

TEST_F(HttpConnectionTest, BytesAroundLargerPart_AreCounted) {
  world_.options.max_queue_bytes = 64U << 10U;
  world_.start();
  const auto peer = world_.connect();
  peer->pause(true);
  peer->send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  writer_->write("begin");
  writer_->write(std::string(1U << 20U, 'x'));
  writer_->write(std::string(32U << 10U, 'y'));
  run();
  EXPECT_TRUE(writer_->open());
  writer_->write(std::string(32U << 10U, 'z'));
  EXPECT_FALSE(writer_->open()) << "the limit holds behind it";
}

TEST_F(HttpConnectionTest, AbandonedStream_IsCutVisibly) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  writer_->write("half");
  writer_.reset();
  run();
  const auto responses = peer->take();
  EXPECT_TRUE(peer->ended());
  EXPECT_TRUE(responses.empty() || !responses[0].complete);
}

TEST_F(HttpConnectionTest, IdleConnection_IsClosedAfterTimeout) {
  world_.start();
  const auto fresh = world_.connect();
  const auto used = world_.connect();
  world_.scheduler.advance(Millis(70'000));
  used->send("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  EXPECT_EQ(used->take().size(), 1U);
  world_.scheduler.advance(Millis(5'001));
  EXPECT_TRUE(fresh->ended());
  EXPECT_EQ(fresh->received(), "");
  EXPECT_FALSE(used->ended());
  world_.scheduler.advance(Millis(70'000));
  EXPECT_TRUE(used->ended());
}

TEST_F(HttpConnectionTest, SlowHead_IsAnswered408) {
  world_.start();
  const auto peer = world_.connect();
  const std::string wire =
      "GET /hello HTTP/1.1\r\nHost: localhost\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaa";
  for (std::size_t i = 0; i < 11; ++i) {
    peer->send(wire.substr(i, 1));
    world_.scheduler.advance(Millis(1'000));
  }
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_EQ(responses[0].status, 408);
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(world_.counted("parley_http_rejected_total", {{"reason", "timeout"}}), 1);
}

TEST_F(HttpConnectionTest, StalledBody_IsAnswered408_SlowBodyIsRead) {
  world_.start();
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
  const auto stopped = world_.connect();
  stopped->send(head + "ab");
  run();
  world_.scheduler.advance(Millis(60'001));
  EXPECT_EQ(stopped->take().at(0).status, 408);

  const auto trickle = world_.connect();
  trickle->send(head);
  for (int i = 0; i < 10 && !trickle->ended(); ++i) {
    trickle->send("a");
    world_.scheduler.advance(Millis(30'000));
  }
  EXPECT_EQ(trickle->take().at(0).status, 408);

  const auto slow = world_.connect();
  slow->send(head);
  for (int i = 0; i < 10; ++i) {
    slow->send(std::string(10'000, 'a'));
    world_.scheduler.advance(Millis(15'000));
  }
  EXPECT_EQ(slow->take().at(0).status, 200);
}

TEST_F(HttpConnectionTest, Megabytes_AreNotCompressedOnLoop) {
  for (const auto& [path, bytes] :
       {std::pair("/most", kMaxCompressedBytes), std::pair("/more", kMaxCompressedBytes + 1)}) {
    world_.router.add("GET", path, [size = bytes](const Request&, Responder responder) {
      responder.send(Response::text(200, std::string(size, 'x')));
    });
  }
  world_.start();
  const auto coding = [this](const char* path) {
    return std::string(
        world_.request("GET", path, "Accept-Encoding: gzip\r\n").headers.get("Content-Encoding"));
  };
  EXPECT_EQ(coding("/most"), "gzip");
  EXPECT_EQ(coding("/more"), "");
}

TEST_F(HttpConnectionTest, Handler_HasNoTimeout) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  world_.scheduler.advance(std::chrono::hours(24));
  kept_.at(0).send(Response::text(200, "at last"));
  run();
  EXPECT_EQ(peer->take().at(0).body, "at last");
}

TEST_F(HttpConnectionTest, UnreadAnswer_IsGivenUp) {
  world_.router.add("GET", "/huge", [](const Request&, Responder responder) {
    responder.send(Response::text(200, std::string(4U << 20U, 'x')));
  });
  world_.start();
  const auto peer = world_.connect();
  peer->pause(true);
  peer->send("GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  EXPECT_EQ(world_.server->connection_count(), 1U);
  world_.scheduler.advance(Millis(180'000));
  EXPECT_EQ(world_.server->connection_count(), 0U);
  EXPECT_EQ(world_.counted("parley_http_rejected_total", {{"reason", "stalled_reader"}}), 1);
}

TEST_F(HttpConnectionTest, Counts_AreByRouteNotPath) {
  world_.router.add("GET", "/v1/things/{id}", [](const Request& request, Responder responder) {
    responder.send(Response::text(200, std::string(request.path_param("id"))));
  });
  world_.start();
  EXPECT_EQ(world_.request("GET", "/v1/things/a%20b").body, "a b");
  world_.request("GET", "/v1/things/2");
  world_.request("BREW", "/v1/things/2");
  const std::string name = "parley_http_requests_total";
  EXPECT_EQ(
      world_.counted(name, {{"route", "/v1/things/{id}"}, {"method", "GET"}, {"status", "200"}}),
      2);
  EXPECT_EQ(world_.counted(name, {{"route", "none"}, {"method", "other"}, {"status", "405"}}), 1);
  EXPECT_THAT(world_.metrics.render(), HasSubstr("parley_http_requests_in_flight 0\n"));
}

TEST_F(HttpConnectionTest, HandlerField_CannotBreakMessage) {
  world_.router.add("GET", "/evil", [](const Request&, Responder responder) {
    Response response = Response::text(200, "body");
    response.headers.add("X-A", "1\r\nX-Injected: 2");
    response.headers.add("Content-Length", "1");
    response.headers.add("X-B", "kept");
    responder.send(std::move(response));
  });
  world_.start();
  const WireResponse response = world_.request("GET", "/evil");
  EXPECT_FALSE(response.headers.has("X-Injected"));
  EXPECT_FALSE(response.headers.has("X-A"));
  EXPECT_EQ(response.headers.get("X-B"), "kept");
  EXPECT_EQ(response.body, "body");
}

}  // namespace
}  // namespace parley::net
