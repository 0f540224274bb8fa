// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/session/hub.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/session/recording_participant.h"
#include "tests/support/session/test_actors.h"

// Shared fixture of the session tests. Include only in tests.
namespace parley::session {

// A fixture with one workspace on one shard; records the results of its asks and answers.
class SessionTest : public ::testing::Test {
 protected:
  SessionTest() { session_ = open_session(); }

  Session* open_session() {
    Session* found = nullptr;
    shard_->with_session({"s", "test", "owner"}, [&](core::Result<Session*> session) {
      ASSERT_TRUE(session) << session.error().message;
      found = *session;
      EXPECT_TRUE(found->join(keeper_));
    });
    scheduler_.run_ready();
    return found;
  }

  // A restart: a new shard on the same store, which restores the pending interactions.
  void restart() {
    session_->leave(keeper_);
    std::vector<std::unique_ptr<Shard>> shards;
    shard_.reset();
    shards.push_back(std::make_unique<Shard>(scheduler_, entropy_, store_, limits_));
    hub_ = std::make_unique<Hub>(std::move(shards));
    bool recovered = false;
    hub_->recover(store_, scheduler_, [&](core::Result<std::size_t> count) {
      ASSERT_TRUE(count) << count.error().message;
      recovered = true;
    });
    scheduler_.run_ready();
    ASSERT_TRUE(recovered);
    hub_->with_session({"s", "test", "owner"}, [&](core::Result<Session*> session) {
      session_ = *session;
      EXPECT_TRUE(session_->join(keeper_));
    });
    scheduler_.run_ready();
  }

  WaiterId ask(const std::string& key, const std::string& text, int timeout_s = 0) {
    AskRequest request{asking_token()};
    request.key = key;
    request.prompt.text = text;
    request.prompt.timeout_s = timeout_s;
    return session_->ask(std::move(request), [this, key](core::Result<InteractionPtr> result) {
      fates_.emplace_back(key, std::move(result));
    });
  }

  void answer(const std::string& key, const std::string& text, const std::string& who = "ui") {
    Answer answer;
    answer.contents.push_back(
        {.type = Content::Type::text, .text = text, .mime_type = {}, .uri = {}, .data = {}});
    session_->answer(
        key, std::move(answer), person(who, "nick of " + who),
        [this](core::Result<AnswerReceipt> receipt) { receipts_.push_back(std::move(receipt)); });
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{1};
  event::MemorySessionStore store_;
  SessionLimits limits_;
  RecordingParticipant keeper_{"keeper"};
  std::unique_ptr<Shard> shard_ =
      std::make_unique<Shard>(scheduler_, entropy_, store_, SessionLimits{});
  std::unique_ptr<Hub> hub_;
  Session* session_ = nullptr;
  std::vector<std::pair<std::string, core::Result<InteractionPtr>>> fates_;
  std::vector<core::Result<AnswerReceipt>> receipts_;
};

}  // namespace parley::session
