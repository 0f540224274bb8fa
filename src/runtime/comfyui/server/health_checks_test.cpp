// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/server/health_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/core/temp_folder.h"
#include "base/http_client/curl_fetcher.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/scripted_server.h"

namespace parley::comfyui {
namespace {

class HealthChecksTest : public ::testing::Test {
 protected:
  void open(const std::vector<std::string>& settings) {
    auto opened = ServerRegistry::open(folder.path(), settings, clock);
    ASSERT_TRUE(opened) << opened.error().message;
    registry = with_health_checks(std::move(*opened), fetcher, entropy, clock);
  }
  http_client::ScriptedAnswer answer() const {
    http_client::ScriptedAnswer out;
    out.status = status;
    out.pieces = {{core::Millis(0), "{}"}};
    if (hangs) out.end = http_client::ScriptedAnswer::End::hang;
    return out;
  }
  template <typename Rule>
  static bool reached(Rule rule) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!rule() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return rule();
  }
  // Reads one server until its status is `health`.
  bool becomes(std::size_t place, Health health) const {
    return reached([&] { return registry->all().at(place)->health == health; });
  }
  std::int64_t requests(std::string_view target) const {
    const auto all = comfyui.requests();
    return std::count_if(all.begin(), all.end(),
                         [&](const auto& request) { return request.target == target; });
  }
  core::FakeClock clock;
  core::SystemClock system_clock;
  core::SystemEntropy entropy;
  core::TempFolder folder;
  std::atomic<int> status{200};
  std::atomic<bool> hangs{false};
  http_client::ScriptedServer comfyui{[this](const auto& /*request*/) { return answer(); }};
  http_client::CurlFetcher fetcher{system_clock};
  std::unique_ptr<ServerRegistry> registry;
};

TEST_F(HealthChecksTest, Start_ChecksEachServer) {
  open({comfyui.url(), "http://127.0.0.1:1"});
  EXPECT_TRUE(becomes(0, Health::healthy));
  EXPECT_TRUE(becomes(1, Health::unhealthy));
}

TEST_F(HealthChecksTest, ReadOfOldStatus_ChecksAgain) {
  open({comfyui.url(), comfyui.url() + "/b"});
  ASSERT_TRUE(becomes(0, Health::healthy));
  ASSERT_TRUE(becomes(1, Health::healthy));
  registry->note_health(registry->all()[1]->id, Health::unhealthy);
  clock.advance(kHealthyAge - core::Millis(1));
  EXPECT_TRUE(becomes(1, Health::healthy));  // a status that is not healthy is old sooner
  EXPECT_EQ(requests("/system_stats"), 1);
  EXPECT_EQ(requests("/b/system_stats"), 2);
  status = 500;
  clock.advance(core::Millis(1));
  EXPECT_EQ(registry->first_of_settings()->health, Health::healthy);  // does not wait
  EXPECT_TRUE(becomes(0, Health::unhealthy));
  EXPECT_EQ(requests("/system_stats"), 2);
}

TEST_F(HealthChecksTest, UnhealthyServer_ThatComesUp_BecomesHealthy) {
  status = 503;
  open({comfyui.url()});
  ASSERT_TRUE(becomes(0, Health::unhealthy));
  status = 200;
  clock.advance(kUnhealthyAge);
  EXPECT_TRUE(becomes(0, Health::healthy));
}

TEST_F(HealthChecksTest, HangingServer_IsCheckedOnce) {
  hangs = true;
  open({comfyui.url(), comfyui.url() + "/b"});
  ASSERT_TRUE(reached([&] { return requests("/b/system_stats") == 1; }));
  for (int i = 0; i < 100; ++i) registry->all();
  EXPECT_EQ(registry->all()[0]->health, Health::unknown);
  registry.reset();
  EXPECT_TRUE(reached([&] { return comfyui.abandoned() == 2; }));
  EXPECT_EQ(requests("/system_stats"), 1);
}

TEST_F(HealthChecksTest, DisabledServer_IsNotAsked) {
  core::FakeScheduler scheduler{clock};
  open({});
  ServerDraft draft;
  draft.base_url = comfyui.url() + "/off";
  draft.enabled = false;
  std::atomic<bool> created{false};
  registry->create(draft, scheduler, [&](const auto& server) { created = server.has_value(); });
  ASSERT_TRUE(reached([&] { return scheduler.run_ready() > 0 || created; }));
  draft.base_url = comfyui.url() + "/on";
  draft.enabled = true;
  created = false;
  registry->create(draft, scheduler, [&](const auto& server) { created = server.has_value(); });
  ASSERT_TRUE(reached([&] { return scheduler.run_ready() > 0 || created; }));
  EXPECT_TRUE(becomes(1, Health::healthy));
  EXPECT_EQ(requests("/off/system_stats"), 0);
}

}  // namespace
}  // namespace parley::comfyui
