// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/server/server_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/sql/store_test.h"

namespace parley::comfyui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class ServerRegistryTest : public sql::StoreTest {
 protected:
  void open(const std::vector<std::string>& settings = {}) {
    registry.reset();
    auto opened = ServerRegistry::open(place_, settings, clock);
    ASSERT_TRUE(opened) << opened.error().message;
    registry = std::move(*opened);
  }
  template <typename T, typename Begin>
  core::Result<T> ask(Begin begin) {
    std::optional<core::Result<T>> told;
    begin([&](core::Result<T> result) { told = std::move(result); });
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!told && std::chrono::steady_clock::now() < end) {
      if (scheduler.run_ready() == 0) std::this_thread::yield();
    }
    return told ? std::move(*told) : core::fail(core::Code::unknown, "no answer");
  }
  core::Result<ServerPtr> create(ServerDraft draft) {
    return ask<ServerPtr>(
        [&](auto done) { registry->create(std::move(draft), scheduler, std::move(done)); });
  }
  core::Result<ServerPtr> update(const std::string& id, ServerDraft draft) {
    return ask<ServerPtr>(
        [&](auto done) { registry->update(id, std::move(draft), scheduler, std::move(done)); });
  }
  core::Result<void> remove(const std::string& id) {
    return ask<void>([&](auto done) { registry->remove(id, scheduler, std::move(done)); });
  }
  static ServerDraft at(const std::string& url) {
    ServerDraft draft;
    draft.base_url = url;
    return draft;
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  std::unique_ptr<ServerRegistry> registry;
};
INSTANTIATE_TEST_SUITE_P(Engines, ServerRegistryTest, sql::each_engine(), sql::engine_name);

TEST_P(ServerRegistryTest, RegisteredServers_SurviveRestart) {
  open();
  ServerDraft draft = at("http://10.0.0.7:8188/comfy/");
  draft.key = "studio";
  draft.name = "画室";
  draft.auth_mode = "basic_auth";
  draft.api_key = "anna:se:cret";
  draft.timeout_seconds = 7;
  draft.max_retries = 0;
  draft.enabled = false;
  ASSERT_TRUE(create(draft));
  open();
  const ServerPtr server = registry->find_key("studio");
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(server->name, "画室");
  EXPECT_EQ(server->address.prefix, "/comfy");
  EXPECT_EQ(server->credentials.user, "anna");
  EXPECT_EQ(server->credentials.password, "se:cret");
  EXPECT_EQ(server->client_options().request_timeout, core::Millis(7'000));
  EXPECT_EQ(server->client_options().max_retries, 0);
  EXPECT_FALSE(server->enabled);
  ASSERT_TRUE(remove(server->id));
  EXPECT_EQ(registry->find(server->id), nullptr);
  // Ids are not reused: chats refer to them.
  EXPECT_NE((*create(at("http://10.0.0.8:8188")))->id, server->id);
}

TEST_P(ServerRegistryTest, Poll_ReadsWhatAnotherNodeHasChanged) {
  open();
  const auto other = ServerRegistry::open(place_, {}, clock);
  ASSERT_TRUE(other) << other.error().message;
  const auto shows_after_poll = [&](std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while ((*other)->all().size() != count && std::chrono::steady_clock::now() < end) {
      (*other)->poll();
      std::this_thread::yield();
    }
    return (*other)->all().size() == count;
  };
  const auto created = create(at("http://gpu:8188"));
  ASSERT_TRUE(created) << created.error().message;
  ASSERT_TRUE(shows_after_poll(1));
  (*other)->note_health((*created)->id, Health::healthy);
  ASSERT_TRUE(create(at("http://gpu-2:8188")));
  ASSERT_TRUE(shows_after_poll(2));
  EXPECT_EQ((*other)->find((*created)->id)->health, Health::healthy) << "it has not changed";
  ASSERT_TRUE(remove((*created)->id));
  EXPECT_TRUE(shows_after_poll(1));
}

TEST_P(ServerRegistryTest, ConfiguredServers_ComeFirst_AreReadOnly) {
  open({"http://127.0.0.1:8188", "http://127.0.0.1:8188", "https://gpu.example.org/a"});
  ASSERT_TRUE(create(at("http://10.0.0.7:8188")));
  const auto all = registry->all();
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0]->id, "settings-127.0.0.1-8188");
  EXPECT_EQ(registry->first_of_settings(), all[0]);
  EXPECT_EQ(all[1]->key, "gpu.example.org-443-a");
  EXPECT_EQ(update(all[0]->id, {}).error().code, core::Code::failed_precondition);
  EXPECT_EQ(remove(all[0]->id).error().code, core::Code::failed_precondition);
  EXPECT_EQ(remove("77").error().code, core::Code::not_found);
  open();
  EXPECT_EQ(registry->first_of_settings(), nullptr);
}

TEST_P(ServerRegistryTest, BadConfiguredAddress_IsNamed) {
  const auto opened = ServerRegistry::open(place_, {"http://anna:secret@x:1"}, clock);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, core::Code::invalid_argument);
  EXPECT_EQ(opened.error().field, "comfyui");
}

TEST_P(ServerRegistryTest, NewAddress_DropsOldCredentials) {
  open();
  ServerDraft draft = at("http://10.0.0.7:8188");
  draft.auth_mode = "basic_auth";
  draft.api_key = "anna:secret";
  const ServerPtr server = *create(draft);
  ServerDraft renamed;
  renamed.name = "Studio";
  EXPECT_FALSE((*update(server->id, renamed))->credentials.none());
  EXPECT_TRUE((*update(server->id, at("http://evil.example.org")))->credentials.none());
}

TEST_P(ServerRegistryTest, BadMembers_AreNamed) {
  open();
  ASSERT_TRUE(create(at("http://10.0.0.7:8188")));
  const auto field_of = [this](void (*spoil)(ServerDraft&)) {
    ServerDraft draft = at("http://10.0.0.9:8188");
    spoil(draft);
    const auto created = create(draft);
    EXPECT_FALSE(created);
    if (created) return std::string();
    EXPECT_THAT(created.error().message, Not(HasSubstr("hidden-word")));
    return created.error().field;
  };
  EXPECT_EQ(field_of([](ServerDraft& d) { d.base_url.reset(); }), "baseUrl");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.base_url = "ftp://x"; }), "baseUrl");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.base_url = "http://a:hidden-word@x"; }), "baseUrl");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.key = "a b"; }), "serverKey");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.key = "10.0.0.7-8188"; }), "serverKey");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.name = std::string(257, 'x'); }), "serverName");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.timeout_seconds = 0; }), "timeoutSeconds");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.max_retries = 6; }), "maxRetries");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.auth_mode = "magic"; }), "authMode");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.auth_mode = "basic_auth"; }), "apiKey");
  EXPECT_EQ(field_of([](ServerDraft& d) { d.api_key = "a:hidden-word"; }), "authMode");
  EXPECT_EQ(field_of([](ServerDraft& d) {
              d.auth_mode = "basic_auth";
              d.api_key = "hidden-word";
            }),
            "apiKey");
}

TEST_P(ServerRegistryTest, TooMany_AreRefused) {
  open();
  for (std::size_t i = 0; i < kMaxComfyServers; ++i) {
    ASSERT_TRUE(create(at("http://10.0.0.1:" + std::to_string(i + 1))));
  }
  EXPECT_EQ(create(at("http://10.0.0.2")).error().code, core::Code::resource_exhausted);
}

TEST_P(ServerRegistryTest, Health_BelongsToCheckedAddress) {
  open();
  const ServerPtr server = *create(at("http://10.0.0.7:8188"));
  EXPECT_EQ(server->health, Health::unknown);
  registry->note_health(server->id, Health::healthy);
  EXPECT_EQ(registry->find(server->id)->health, Health::healthy);
  EXPECT_EQ((*update(server->id, at("http://10.0.0.8:8188")))->health, Health::unknown);
  registry->note_health("none", Health::healthy);
}

}  // namespace
}  // namespace parley::comfyui
