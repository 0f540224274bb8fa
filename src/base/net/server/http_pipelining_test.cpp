// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/net/http_test_world.h"

namespace parley::net {
namespace {

constexpr std::size_t kPipeBytes = 64U << 10U;
constexpr std::size_t kAnswerBytes = 100U << 10U;
// Most bytes written to a peer that reads nothing: the pipe, the queue up to its watermark, and the
// answer that exceeds it, with heads.
constexpr double kMostWritten = kPipeBytes + Stream::kHighWatermark + kAnswerBytes + 4'000;

// A kind of answer, and the number of requests whose answers have 2 MiB or more.
struct Kind {
  std::string name;
  std::string line;
  std::size_t count;
};

class PipelinedKind : public testing::TestWithParam<Kind> {
 protected:
  PipelinedKind() : world_(MemoryNetworkOptions{.pipe_bytes = kPipeBytes}) {
    add("/sized", [](Responder responder) {
      responder.send(Response::text(200, std::string(8U << 10U, 's')));
    });
    add("/shared", [](Responder responder) {
      responder.send(Response::text(200, std::string(kAnswerBytes, 'b')));
    });
    add("/streamed", [](Responder responder) {
      const auto body = responder.start(Response());
      for (int i = 0; i < 10; ++i) body->write(std::string(kAnswerBytes / 10, 'w'));
      body->end();
    });
    add("/later", [this](Responder responder) {
      world_.scheduler.post([responder = std::move(responder)]() mutable {
        responder.send(Response::text(200, std::string(kAnswerBytes, 'l')));
      });
    });
    world_.start();
  }

  void add(const std::string& path, std::function<void(Responder)> answer) {
    world_.router.add("GET", path,
                      [answer = std::move(answer)](const Request&, Responder responder) {
                        answer(std::move(responder));
                      });
  }
  double written() { return world_.counted("parley_http_sent_bytes_total", {}); }
  void run() { world_.scheduler.run_ready(); }

  HttpWorld world_;
};

TEST_P(PipelinedKind, UnreadAnswers_StopNextRequest) {
  const auto peer = world_.connect();
  peer->pause(true);
  std::string wire;
  for (std::size_t i = 0; i < GetParam().count; ++i) {
    wire += GetParam().line + " HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n";
  }
  peer->send(wire);
  run();
  EXPECT_LE(written(), kMostWritten);
  EXPECT_GT(written(), Stream::kHighWatermark);
  // All are answered once the client reads.
  peer->pause(false);
  run();
  EXPECT_EQ(peer->take(GetParam().line.starts_with("HEAD")).size(), GetParam().count);
  EXPECT_FALSE(peer->ended());
}

INSTANTIATE_TEST_SUITE_P(
    Answers, PipelinedKind,
    testing::Values(Kind{"Sized", "GET /sized", 300}, Kind{"Shared", "GET /shared", 30},
                    Kind{"Streamed", "GET /streamed", 30}, Kind{"Later", "GET /later", 30},
                    Kind{"NotFound", "GET /nowhere", 6'000},
                    Kind{"WrongMethod", "DELETE /sized", 6'000},
                    Kind{"Head", "HEAD /shared", 6'000}, Kind{"Options", "OPTIONS *", 8'000},
                    Kind{"Malformed", "GET /%zz", 6'000}),
    [](const auto& kind) { return kind.param.name; });

class HttpPipeliningTest : public PipelinedKind {};

TEST_P(HttpPipeliningTest, UpgradeBehindUnreadAnswers_Waits) {
  // The parameter is the answer before the upgrade.
  const auto peer = world_.connect();
  peer->pause(true);
  std::string wire;
  for (std::size_t i = 0; i < GetParam().count; ++i) {
    wire += GetParam().line + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  wire +=
      "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  peer->send(wire);
  run();
  EXPECT_LE(written(), kMostWritten);
  peer->pause(false);
  run();
  const auto answers = peer->take();
  ASSERT_EQ(answers.size(), GetParam().count + 1);
  EXPECT_EQ(answers.back().status, 404) << "there is no such WebSocket here";
}

INSTANTIATE_TEST_SUITE_P(Before, HttpPipeliningTest,
                         testing::Values(Kind{"Shared", "GET /shared", 30}),
                         [](const auto& kind) { return kind.param.name; });

TEST(HttpPipelining, RequestBehindHugeAnswer_WaitsUntilSent) {
  HttpWorld world(MemoryNetworkOptions{.pipe_bytes = kPipeBytes});
  int handled = 0;
  world.router.add("GET", "/huge", [&](const Request&, Responder responder) {
    ++handled;
    responder.send(Response::text(200, std::string(4U << 20U, 'h')));
  });
  world.start();
  const auto peer = world.connect();
  peer->pause(true);
  for (int i = 0; i < 3; ++i) {
    peer->send("GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n");
    world.scheduler.run_ready();
  }
  EXPECT_EQ(handled, 1);
  peer->pause(false);
  world.scheduler.run_ready();
  EXPECT_EQ(handled, 3);
  EXPECT_EQ(peer->take().size(), 3U);
}

TEST(HttpPipelining, HalfClosedClient_GetsAllAnswers) {
  HttpWorld world(MemoryNetworkOptions{.pipe_bytes = kPipeBytes});
  world.router.add("GET", "/large", [](const Request&, Responder responder) {
    responder.send(Response::text(200, std::string(kAnswerBytes, 'b')));
  });
  world.start();
  const auto peer = world.connect();
  peer->pause(true);
  for (int i = 0; i < 20; ++i) peer->send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  peer->finish();
  world.scheduler.run_ready();
  peer->pause(false);
  world.scheduler.run_ready();
  EXPECT_EQ(peer->take().size(), 20U);
  EXPECT_TRUE(peer->ended());
}

TEST(HttpPipelining, BodiesReadAhead_AreBoundedTogether) {
  HttpWorld world;
  std::vector<Responder> kept;
  world.router.add("GET", "/later", [&](const Request&, Responder responder) {
    kept.push_back(std::move(responder));
  });
  world.router.add(
      "POST", "/echo",
      [](const Request& request, Responder responder) {
        responder.send(Response::text(200, std::to_string(request.body.size())));
      },
      [](const Request&) { return Admission{"tester"}; });
  world.start();
  const auto peer = world.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  constexpr std::size_t kBody = 200U << 10U;
  for (int i = 0; i < 10; ++i) {
    peer->send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
               std::to_string(kBody) + "\r\n\r\n" + std::string(kBody, 'x'));
  }
  world.scheduler.run_ready();
  // Less than half of the sent bytes: reading pauses between two bodies.
  EXPECT_LT(world.counted("parley_http_received_bytes_total", {}), 5 * kBody);
  kept.at(0).send(Response::text(200, "first"));
  world.scheduler.run_ready();
  EXPECT_EQ(peer->take().size(), 11U);
}

}  // namespace
}  // namespace parley::net
