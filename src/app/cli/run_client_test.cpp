// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_client.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/support/core/fake_scheduler.h"

namespace parley::app {
namespace {

using http_client::FetchEnd;

// Keeps the callbacks of an exchange, for the test to call.
class HeldFetcher final : public http_client::Fetcher {
 public:
  void fetch(http_client::FetchRequest /*request*/, http_client::FetchEvents events_in,
             core::Scheduler& /*scheduler*/, const core::CancelToken& cancel_in,
             Done done_in) override {
    events = std::move(events_in);
    cancel = cancel_in;
    done = std::move(done_in);
    events.on_head({200, {}, {}});
  }

  http_client::FetchEvents events;
  core::CancelToken cancel;
  Done done;
};

class FollowTest : public testing::Test {
 protected:
  FollowTest() {
    client_.follow(
        "/v1/runs", [this](std::string_view line) { lines_.emplace_back(line); },
        [this](core::Result<void> result) { result_ = std::move(result); });
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  HeldFetcher fetcher_;
  RunClient client_{fetcher_, scheduler_, "http://server", ""};
  std::vector<std::string> lines_;
  std::optional<core::Result<void>> result_;
};

TEST_F(FollowTest, Pieces_AreCutIntoLines) {
  fetcher_.events.on_body("{\"a\":");
  fetcher_.events.on_body("1}\n\n{}\r\n{");
  EXPECT_EQ(lines_, (std::vector<std::string>{"{\"a\":1}", "{}"}));
  EXPECT_FALSE(fetcher_.cancel.cancelled());
  fetcher_.done({FetchEnd::Kind::complete, ""});
  EXPECT_TRUE(result_->has_value());
}

TEST_F(FollowTest, LineWithoutEnd_EndsExchangeWithError) {
  const std::string piece(RunClient::kMaxLineBytes, 'x');
  fetcher_.events.on_body(piece);
  EXPECT_FALSE(fetcher_.cancel.cancelled());
  fetcher_.events.on_body("x");
  EXPECT_TRUE(fetcher_.cancel.cancelled());
  fetcher_.events.on_body("\n{}\n");
  fetcher_.done({FetchEnd::Kind::cancelled, "A line is too long."});
  EXPECT_TRUE(lines_.empty());
  EXPECT_EQ(result_->error().code, core::Code::resource_exhausted);
}

}  // namespace
}  // namespace parley::app
