// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/front_end/agent_settings.h"

#include <gtest/gtest.h>

#include <future>

#include "services/front_end/digest.h"
#include "tests/support/front_end/front_end_world.h"

namespace parley::front_end {
namespace {

using core::Code;
using Tables = FrontEndStore::Tables;

TEST(AgentSettings, Settings_SurviveRestart) {
  FrontEndWorld world;
  ASSERT_TRUE(world.run([](const Tables& t) { return t.agents.set_enabled("dup", false); }));
  ASSERT_TRUE(world.run([](const Tables& t) {
    return t.agents.set_config("alice", "react", R"({"llmModelIdentifier":"p/m"})");
  }));
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(world.store->agents().enabled("dup"));
    EXPECT_TRUE(world.store->agents().enabled("react"));
    EXPECT_EQ(world.store->agents().model_of("alice", "react"), "p/m");
    EXPECT_EQ(world.store->agents().model_of("bob", "react"), "");
    EXPECT_EQ(world.store->agents().model_of("alice", "dup"), "");
    world.restart();
  }
  ASSERT_TRUE(world.run([](const Tables& t) { return t.agents.set_enabled("dup", true); }));
  EXPECT_TRUE(world.store->agents().enabled("dup"));
  const auto configs = world.run([](const Tables& t) { return t.agents.configs("alice"); });
  EXPECT_EQ(configs->at("react"), R"({"llmModelIdentifier":"p/m"})");
}

TEST(AgentSettings, BadConfiguration_ChangesNothing) {
  FrontEndWorld world;
  ASSERT_TRUE(world.run([](const Tables& t) {
    return t.agents.set_config("alice", "react", R"({"llmModelIdentifier":"p/m"})");
  }));
  for (const std::string& bad : {std::string(), std::string("[]"), std::string("no JSON"),
                                 std::string(R"({"llmModelIdentifier":7})"),
                                 "{\"x\":\"" + std::string(kMaxAgentConfigBytes, 'x') + "\"}"}) {
    const auto done =
        world.run([&](const Tables& t) { return t.agents.set_config("alice", "react", bad); });
    ASSERT_FALSE(done) << bad.substr(0, 40);
    EXPECT_EQ(done.error().field, "agentConfig");
  }
  EXPECT_EQ(world.store->agents().model_of("alice", "react"), "p/m");
  for (const char* none : {"{}", R"({"llmModelIdentifier":null})"}) {
    ASSERT_TRUE(
        world.run([&](const Tables& t) { return t.agents.set_config("alice", "react", none); }));
    EXPECT_EQ(world.store->agents().model_of("alice", "react"), "");
  }
}

TEST(AgentSettings, ConfigurationsOfOwner_AreLimited) {
  FrontEndWorld world;
  ASSERT_TRUE(world.run([](const Tables& t) -> core::Result<void> {
    for (std::size_t i = 0; i < kMaxAgentConfigs; ++i) {
      if (auto done = t.agents.set_config("alice", std::to_string(i), "{}"); !done) return done;
    }
    return {};
  }));
  const auto set = [&](const std::string& agent) {
    return world.run([&](const Tables& t) { return t.agents.set_config("alice", agent, "{}"); });
  };
  EXPECT_EQ(set("more").error().code, Code::resource_exhausted);
  EXPECT_TRUE(set("7"));
}

TEST(FrontEndStore, FullQueue_IsRefused_RetryIsTaken) {
  FrontEndWorld world;
  std::promise<void> resume;
  const std::shared_future<void> hold = resume.get_future().share();
  int done = 0;
  int refused = 0;
  const auto ask = [&](std::size_t bytes) {
    world.store->run<void>(
        world.scheduler, bytes,
        [hold](const Tables&) {
          hold.wait();
          return core::Result<void>();
        },
        [&](const core::Result<void>& result) {
          if (result) {
            ++done;
          } else {
            EXPECT_EQ(result.error().code, Code::resource_exhausted);
            ++refused;
          }
        });
  };
  ask(kMaxWaitingBytes + 1);  // accepted: a single larger body
  ask(1);
  world.scheduler.run_ready();
  EXPECT_EQ(refused, 1);
  resume.set_value();
  ASSERT_TRUE(world.run([](const Tables&) { return core::Result<void>(); }));
  EXPECT_EQ(done, 1);
}

TEST(Digest, NumberOfName_IsStable) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(number_of_name("abc"), "4213142463398924266");
  EXPECT_NE(number_of_name("react"), number_of_name("dup"));
}

}  // namespace
}  // namespace parley::front_end
