// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random life of a workspace, from a seed: asks, answers, cancellations, callers that go and come,
// failing commits, restarts. After every step the promises of the model are checked.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/fake_scheduler.h"
#include "event/memory_store.h"
#include "session/hub.h"
#include "session/recording_participant.h"

namespace parley::session {
namespace {

constexpr int kSteps = 400;
constexpr int kSeeds = 60;

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : entropy_(seed) { start(); }

  void run() {
    for (int step = 0; step < kSteps; ++step) {
      one_step();
      if (testing::Test::HasFatalFailure()) return;
    }
    scheduler_.advance(core::limits::kMaxWait);
    for (const auto& [key, text] : asked_) {
      EXPECT_FALSE(session_->is_pending(key)) << key << " has no fate after the longest wait";
    }
    check_log();
  }

 private:
  std::uint64_t pick(std::uint64_t count) { return entropy_.next_u64() % count; }

  void start() {
    std::vector<std::unique_ptr<Shard>> shards;
    shards.push_back(std::make_unique<Shard>(scheduler_, entropy_, store_, SessionLimits{}));
    hub_ = std::make_unique<Hub>(std::move(shards));
    hub_->recover(store_, scheduler_, [](core::Result<std::size_t> count) { ASSERT_TRUE(count); });
    scheduler_.run_ready();
    hub_->with_session({"s", "test", "owner"}, [&](core::Result<Session*> session) {
      ASSERT_TRUE(session);
      session_ = *session;
      ASSERT_TRUE(session_->join(participant_));
    });
    scheduler_.run_ready();
  }

  void one_step() {
    switch (pick(9)) {
      case 0:
      case 1:
      case 2:
        return ask();
      case 3:
      case 4:
        return answer();
      case 5:
        return cancel();
      case 6:
        if (!waiters_.empty()) session_->abandon(waiters_[pick(waiters_.size())]);
        return;
      case 7:
        if (pick(4) == 0) store_.fail_next(1, {core::Code::data_loss, "The disk failed.", ""});
        scheduler_.advance(core::Millis(pick(5'000)));
        return;
      default:
        if (pick(10) == 0) restart();
        scheduler_.run_ready();
    }
  }

  void ask() {
    const std::string key = "q" + std::to_string(pick(40));
    AskRequest request;
    request.key = key;
    request.prompt.text = "text of " + key;
    request.prompt.timeout_s = static_cast<int>(1 + pick(20));
    asked_[key] = request.prompt.text;
    const int life = life_;
    waiters_.push_back(
        session_->ask(std::move(request), [this, key, life](core::Result<InteractionPtr> result) {
          ASSERT_EQ(life, life_) << "a caller of an earlier life was called";
          if (!result) return;
          ASSERT_NE((*result)->state, InteractionState::pending);
          note_fate(**result);
        }));
  }

  void answer() {
    const std::string key = "q" + std::to_string(pick(40));
    Answer answer;
    answer.contents.push_back({Content::Type::text, std::to_string(pick(1'000'000)), "", "", ""});
    session_->answer(key, answer, {"ui", "ui"}, [this](core::Result<AnswerReceipt> receipt) {
      if (receipt) note_fate(*receipt->interaction);
    });
  }

  void cancel() {
    const std::string key = "q" + std::to_string(pick(40));
    session_->cancel(key, "cancelled", {"ui", "ui"}, [this](core::Result<AnswerReceipt> receipt) {
      if (receipt) note_fate(*receipt->interaction);
    });
  }

  // As kill -9: nothing is told, what was committed stays.
  void restart() {
    ++life_;
    waiters_.clear();
    hub_.reset();
    participant_.opened.clear();
    start();
  }

  // One interaction has one fate, whoever is told and however often.
  void note_fate(const Interaction& interaction) {
    const std::string fate = closed_payload(interaction);
    const auto [it, is_new] = fates_.emplace(interaction.key, fate);
    ASSERT_EQ(it->second, fate) << "two fates of " << interaction.key;
  }

  void check_log() {
    std::map<std::string, int> opened;
    std::map<std::string, std::string> closed;
    std::uint64_t seq = 0;
    for (const event::Event& event : store_.events("s")) {
      ASSERT_EQ(event.seq, ++seq);
      const std::string opened_event = event.type == "interaction.opened" ? event.payload : "";
      if (!opened_event.empty()) {
        const auto one = interaction_from_payloads(opened_event, "");
        ASSERT_TRUE(one);
        ASSERT_EQ(++opened[one->key], 1) << one->key << " was opened twice";
      } else {
        const std::string key = key_of(event.payload);
        ASSERT_EQ(opened[key], 1) << key << " was closed before it was opened";
        ASSERT_TRUE(closed.emplace(key, event.payload).second) << key << " was closed twice";
      }
    }
    for (const auto& [key, fate] : fates_) ASSERT_EQ(closed[key], fate) << "told, but not stored";
  }

  static std::string key_of(const std::string& payload) {
    const auto from = payload.find("\"key\":\"") + 7;
    return payload.substr(from, payload.find('"', from) - from);
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_;
  event::MemoryStore store_;
  RecordingParticipant participant_{"watcher"};
  std::unique_ptr<Hub> hub_;
  Session* session_ = nullptr;
  int life_ = 0;
  std::vector<WaiterId> waiters_;
  std::map<std::string, std::string> asked_;
  std::map<std::string, std::string> fates_;
};

TEST(SimulationOfAWorkspace, KeepsItsPromisesForEverySeed) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation(seed).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace parley::session
