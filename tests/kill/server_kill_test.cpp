// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The real server under a load of asks and answers, killed at random moments, restarted and
// audited. PARLEY_KILL_ROUNDS sets the number of kills, PARLEY_KILL_SEED the moments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

#include "base/core/entropy.h"
#include "base/core/temp_folder.h"
#include "tests/kill/audit.h"
#include "tests/kill/server_load.h"
#include "tools/conformance/http_client.h"
#include "tools/conformance/process.h"
#include "tools/conformance/server_process.h"

namespace parley::kill {
namespace {

namespace json = boost::json;
using conformance::in_ms;
using testing::IsEmpty;

constexpr int kDefaultRounds = 15;
constexpr std::uint64_t kDefaultSeed = 20'260'102;
constexpr int kRoundsPerDirectory = 10;
constexpr std::uint64_t kMostAcknowledgedPerRound = 150;
constexpr int kStartMs = 30'000;
constexpr int kRoundMs = 60'000;
constexpr const char* kToken = "kill-test-token";

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

std::vector<std::string> command(const std::string& data_dir) {
  return {PARLEY_SERVER, "serve", "--listen", "127.0.0.1:0", "--data", data_dir, "--token", kToken};
}

// The keys that the server lists as pending.
std::set<std::string> pending_keys(const conformance::Target& target) {
  conformance::HttpRequest request;
  request.path = "/v1/interactions?state=pending";
  request.headers = {{"Authorization", std::string("Bearer ") + kToken}};
  auto exchange = conformance::HttpExchange::start(target, request, in_ms(kStartMs));
  std::set<std::string> keys;
  if (!exchange) return keys;
  const auto head = (*exchange)->head(in_ms(kStartMs));
  const auto body = (*exchange)->body(in_ms(kStartMs));
  if (!head || !body || head->status != 200) return keys;
  const json::value list = json::parse(*body);
  for (const json::value& each : list.at("interactions").as_array()) {
    keys.emplace(each.at("key").as_string());
  }
  return keys;
}

// An interaction that may still be open must be listed as pending or be answered: its answer was
// in flight when the server died. The audit of the closed store decides which.
void check_pending(const conformance::Target& target, const Acknowledged& acknowledged,
                   const std::string& data_dir) {
  const std::set<std::string> listed = pending_keys(target);
  const auto all = acknowledged.expectations().interactions;
  Expectations open;
  for (const std::string& key : acknowledged.may_be_pending()) {
    if (listed.contains(key) || all.empty()) continue;
    open.interactions.push_back({all.front().session, key, {"answered"}});
  }
  ASSERT_THAT(audit(data_dir, open), IsEmpty()) << "neither pending nor answered after a restart";
}

// The number of interactions with this prefix of the key that are known to be answered.
std::size_t answered_with(const Expectations& expected, const std::string& prefix) {
  std::size_t count = 0;
  for (const ExpectedInteraction& each : expected.interactions) {
    if (each.key.starts_with(prefix) && each.states.size() == 1) ++count;
  }
  return count;
}

class ServerKillTest : public testing::Test {
 protected:
  void SetUp() override {
    auto schema = conformance::ProtoSchema::load(PARLEY_PROTO);
    ASSERT_TRUE(schema) << schema.error().message;
    schema_ = *schema;
  }

  // Starts the server and kills it before or just after it prints that it is ready.
  void kill_while_starting(const std::string& data_dir) {
    auto process = conformance::Process::start({command(data_dir)});
    ASSERT_TRUE(process) << process.error().message;
    std::string output;
    const auto ms = static_cast<std::int64_t>(random_.next_u64() % 40);
    (void)(*process)->read_some(output, in_ms(ms));
    (*process)->signal(SIGKILL);
    ASSERT_TRUE((*process)->wait(in_ms(kStartMs)));
  }

  void run_and_kill(const std::string& data_dir, int round, Acknowledged& acknowledged) {
    conformance::ServerProcess server(command(data_dir));
    const auto started = server.start(in_ms(kStartMs));
    ASSERT_TRUE(started) << started.error().message;
    const auto target = conformance::Target::parse(server.url());
    ASSERT_TRUE(target);
    check_pending(*target, acknowledged, data_dir);
    const std::size_t more = random_.next_u64() % kMostAcknowledgedPerRound;
    const std::size_t wanted = acknowledged.count() + more;
    const ServerLoad load(*target, kToken, "r" + std::to_string(round), random_.next_u64(), schema_,
                          acknowledged);
    EXPECT_TRUE(acknowledged.wait_for_count(wanted, in_ms(kRoundMs))) << "the load does not go on";
    const auto killed = server.kill_now();
    EXPECT_TRUE(killed) << killed.error().message;
  }

  std::shared_ptr<const conformance::ProtoSchema> schema_;
  core::SeededEntropy random_{setting("PARLEY_KILL_SEED", kDefaultSeed)};
};

TEST_F(ServerKillTest, ServerKilledAnytime_LosesNothingAcknowledged) {
  const core::TempFolder scratch("parley-server-kill");
  const auto rounds = static_cast<int>(setting("PARLEY_KILL_ROUNDS", kDefaultRounds));
  std::size_t total = 0;
  std::size_t answered_calls = 0;
  auto acknowledged = std::make_unique<Acknowledged>();
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::string data_dir =
        scratch.path() + "/data-" + std::to_string(round / kRoundsPerDirectory);
    if (round % kRoundsPerDirectory == 0) acknowledged = std::make_unique<Acknowledged>();
    const std::size_t before = acknowledged->count();
    if (random_.next_u64() % 5 == 0) kill_while_starting(data_dir);
    ASSERT_NO_FATAL_FAILURE(run_and_kill(data_dir, round, *acknowledged));
    total += acknowledged->count() - before;
    const Expectations expected = acknowledged->expectations();
    ASSERT_THAT(audit(data_dir, expected), IsEmpty());
    answered_calls += answered_with(expected, "r" + std::to_string(round) + "-rpc");
  }
  std::cout << rounds << " kills, " << total << " acknowledgements, " << answered_calls
            << " answered calls\n";
  EXPECT_GT(total, 0U);
  EXPECT_TRUE(answered_calls > 0 || rounds < kRoundsPerDirectory) << "the load asks no RPC";
}

}  // namespace
}  // namespace parley::kill
