// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/curl_loop.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/http_client/scripted_server.h"

namespace parley::http_client {
namespace {

using std::chrono::seconds;

constexpr core::Millis kLoopPatience = seconds(30);

HttpPost request_to(std::string url, std::size_t max_bytes = 0) {
  HttpPost request;
  request.url = std::move(url);
  request.timeout = kLoopPatience;
  request.max_bytes = max_bytes;
  return request;
}

class CurlLoopTest : public ::testing::Test {
 protected:
  // True if one turn of the loop ends well before its longest wait.
  bool turns_at_once() {
    const core::MonoTime began = clock_.mono();
    loop_.run_once(kLoopPatience);
    return clock_.mono() - began < seconds(15);
  }

  HttpAnswer answer_to(HttpPost post) {
    std::optional<HttpAnswer> answer;
    loop_.post_to(std::move(post), [&](HttpAnswer came) { answer.emplace(std::move(came)); });
    while (!answer && turns_at_once()) continue;
    return answer.value_or(HttpAnswer{});
  }

  core::SystemClock clock_;
  CurlLoop loop_{clock_};
};

TEST_F(CurlLoopTest, FailedExchange_IsToldWithoutDelay) {
  const HttpAnswer answer = answer_to(request_to("http://127.0.0.1:1/"));
  EXPECT_EQ(answer.status, 0);
  EXPECT_FALSE(answer.sent);
  EXPECT_NE(answer.failure, "");
}

TEST_F(CurlLoopTest, AbortedExchange_IsNotTold) {
  bool told = false;
  HttpPost post;
  post.url = "http://127.0.0.1:1/";
  post.timeout = kLoopPatience;
  const TransferId id = loop_.post_to(post, [&](const HttpAnswer&) { told = true; });
  loop_.abort(id);
  loop_.abort(id);
  loop_.run_once(core::Millis(0));
  EXPECT_FALSE(told);
}

TEST_F(CurlLoopTest, LostAnswer_SaysRequestWasSent) {
  ScriptedServer server([](const ServedRequest&) {
    ScriptedAnswer lost;
    lost.end = ScriptedAnswer::End::cut;
    lost.no_head = true;
    return lost;
  });
  const HttpAnswer answer = answer_to(request_to(server.url()));
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(answer.sent);
  EXPECT_NE(answer.failure.back(), '.') << "it is part of its caller's sentence";
}

TEST_F(CurlLoopTest, AnswerOverLimit_IsTooLarge) {
  ScriptedServer server([](const ServedRequest&) {
    ScriptedAnswer large;
    large.pieces = {{core::Millis(0), "12345"}};
    return large;
  });
  const HttpAnswer fits = answer_to(request_to(server.url(), 5));
  EXPECT_EQ(fits.status, 200);
  EXPECT_EQ(fits.body, "12345");
  const HttpAnswer over = answer_to(request_to(server.url(), 4));
  EXPECT_EQ(over.status, 0);
  EXPECT_TRUE(over.too_large);
  EXPECT_EQ(over.body, "");
}

TEST_F(CurlLoopTest, Proxy_IsPassedByForLoopbackAlone) {
  ScriptedServer proxy([](const ServedRequest&) { return ScriptedAnswer{}; });
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  for (const char* host : {"localhost.example.org", "127.example.org", "localhost:1", "127.0.0.1:1",
                           "LOCALHOST:1", "[::1]:1"}) {
    answer_to(request_to(std::string("http://") + host + "/"));
  }
  ::unsetenv("http_proxy");
  std::vector<std::string> targets;
  for (const ServedRequest& request : proxy.requests()) targets.push_back(request.target);
  EXPECT_EQ(targets,
            (std::vector<std::string>{"http://localhost.example.org/", "http://127.example.org/"}));
}

TEST_F(CurlLoopTest, RequestThatCannotBegin_IsToldLater) {
  bool told = false;
  const HttpPost post = request_to("file:///etc/hostname");
  loop_.post_to(post, [&](const HttpAnswer& answer) { told = answer.status == 0; });
  EXPECT_FALSE(told) << "never inside the call";
  while (!told) ASSERT_TRUE(turns_at_once());
  const TransferId aborted = loop_.post_to(post, [](const HttpAnswer&) { FAIL(); });
  loop_.abort(aborted);
  loop_.run_once(core::Millis(0));
}

TEST_F(CurlLoopTest, Timers_RunInOrderUnlessCancelled) {
  std::string order;
  loop_.after(core::Millis(2), [&] { order += "b"; });
  loop_.after(core::Millis(-5), [&] { order += "a"; });
  const core::TimerId never = loop_.after(core::Millis(1), [&] { order += "x"; });
  loop_.cancel(never);
  loop_.cancel(0);
  while (order.size() < 2) ASSERT_TRUE(turns_at_once());
  EXPECT_EQ(order, "ab");
}

TEST_F(CurlLoopTest, TaskFromOtherThread_WakesLoop) {
  bool ran = false;
  std::thread other([&] { loop_.post([&] { ran = true; }); });
  while (!ran) ASSERT_TRUE(turns_at_once());
  other.join();
  EXPECT_TRUE(loop_.in_thread());
}

TEST_F(CurlLoopTest, DataAndHangUp_AreTold) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  short seen = 0;
  loop_.watch(ends[0], POLLIN, [&](short revents) { seen = revents; });
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  while (seen == 0) ASSERT_TRUE(turns_at_once());
  EXPECT_NE(seen & POLLIN, 0);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ::close(ends[1]);
  seen = 0;
  while (seen == 0) ASSERT_TRUE(turns_at_once());
  EXPECT_NE(seen & POLLHUP, 0);
  loop_.unwatch(ends[0]);
  ::close(ends[0]);
}

}  // namespace
}  // namespace parley::http_client
