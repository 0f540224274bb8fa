// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/fetch_pipe.h"

#include <gtest/gtest.h>

#include "base/http_client/curl_fetcher.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::http_client {
namespace {

TEST(FetchPipe, FullPipe_RefusesUntilSchedulerTakes) {
  core::FakeClock clock;
  core::FakeScheduler loop(clock);
  std::size_t taken = 0;
  FetchEvents events;
  events.on_body = [&](std::string_view bytes) { taken += bytes.size(); };
  auto pipe = std::make_shared<FetchPipe>(std::move(events), loop, [](const FetchEnd&) {});
  bool drained = false;
  pipe->on_drained([&] { drained = true; });
  const std::string piece(CurlFetcher::kHeldBytes / 2, 'x');
  EXPECT_TRUE(pipe->put_body(piece));
  EXPECT_TRUE(pipe->put_body(piece));
  EXPECT_FALSE(pipe->put_body("y"));
  EXPECT_FALSE(drained);
  loop.run_ready();
  EXPECT_TRUE(drained);
  EXPECT_EQ(taken, CurlFetcher::kHeldBytes);
  EXPECT_TRUE(pipe->put_body("y"));
}

TEST(FetchPipe, Pieces_ShareBuffer) {
  core::FakeClock clock;
  core::FakeScheduler loop(clock);
  std::vector<const char*> places;
  std::string seen;
  FetchEvents events;
  events.on_body = [&](std::string_view bytes) {
    places.push_back(bytes.data());
    seen += bytes;
  };
  auto pipe = std::make_shared<FetchPipe>(std::move(events), loop, [](const FetchEnd&) {});
  for (const char letter : {'a', 'b', 'c'}) {
    EXPECT_TRUE(pipe->put_body(std::string(100, letter)));
    loop.run_ready();
  }
  EXPECT_EQ(seen, std::string(100, 'a') + std::string(100, 'b') + std::string(100, 'c'));
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[1], places[2]);
}

TEST(FetchPipe, ClosedPipe_IsQuiet) {
  core::FakeClock clock;
  core::FakeScheduler loop(clock);
  bool told = false;
  FetchEvents events;
  events.on_body = [&](std::string_view) { told = true; };
  auto pipe =
      std::make_shared<FetchPipe>(std::move(events), loop, [&](const FetchEnd&) { told = true; });
  EXPECT_TRUE(pipe->put_body("a"));
  pipe->close();
  pipe->put_end({});
  loop.run_ready();
  EXPECT_FALSE(told);
}

TEST(FetchPipe, Cancel_DropsUndelivered) {
  core::FakeClock clock;
  core::FakeScheduler loop(clock);
  std::string seen;
  FetchEvents events;
  events.on_body = [&](std::string_view bytes) { seen += bytes; };
  auto pipe = std::make_shared<FetchPipe>(std::move(events), loop, [&](const FetchEnd& end) {
    seen += end.kind == FetchEnd::Kind::cancelled ? "cancelled" : "ended";
  });
  core::CancelSource source;
  bool aborted = false;
  pipe->watch_cancel(source.token(), [&] { aborted = true; });
  EXPECT_TRUE(pipe->put_body("a"));
  pipe->put_end({});
  source.cancel("enough");
  EXPECT_EQ(seen, "");
  loop.run_ready();
  EXPECT_EQ(seen, "cancelled");
  EXPECT_TRUE(aborted);
}

}  // namespace
}  // namespace parley::http_client
