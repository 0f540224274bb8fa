// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "model/session/session.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/session/recording_participant.h"

// For tests only.
namespace parley::session {

// Every event that any watcher has seen, over all restarts of the server.
struct SeenEvents {
  std::map<std::uint64_t, std::string> by_seq;  // type and payload
};

// A participant that checks the events and interactions that it sees.
class SimulatedWatcher final : public RecordingParticipant {
 public:
  SimulatedWatcher(std::string client_id, SeenEvents& seen, const event::MemorySessionStore& store)
      : RecordingParticipant(std::move(client_id)), seen_(seen), store_(store) {}

  // Joins, and reads the pending interactions, as a client does at login.
  void join(Session& session) {
    ASSERT_TRUE(session.join(*this));
    session_ = &session;
    last_ = session.visible_seq();
    for (const InteractionPtr& one : session.pending()) {
      ASSERT_EQ(one->state, InteractionState::pending);
      ASSERT_TRUE(shown_.insert(one->key).second) << one->key << " is pending twice";
    }
  }
  void leave() {
    if (session_ != nullptr) std::exchange(session_, nullptr)->leave(*this);
  }
  Session* session() const { return session_; }
  const std::set<std::string>& shown() const { return shown_; }

  void on_opened(const InteractionPtr& interaction) override {
    ASSERT_EQ(interaction->state, InteractionState::pending);
    ASSERT_TRUE(shown_.insert(interaction->key).second) << interaction->key << " was opened twice";
    ASSERT_TRUE(store_.event(interaction->session, interaction->opened_seq)) << "told, not stored";
  }

  void on_closed(const InteractionPtr& interaction) override {
    ASSERT_NE(interaction->state, InteractionState::pending);
    ASSERT_EQ(shown_.erase(interaction->key), 1U)
        << interaction->key << " was closed twice, or was never shown";
    ASSERT_TRUE(store_.event(interaction->session, interaction->closed_seq)) << "told, not stored";
  }

  void on_event(const event::Event& event) override {
    const bool skips = event.type == event::kNumbersSkipped;
    ASSERT_TRUE(event.seq == last_ + 1 || (skips && event.seq > last_))
        << "event " << event.seq << " was seen after " << last_;
    last_ = event.seq;
    const std::string what = event.type + event.payload;
    const auto [it, first] = seen_.by_seq.emplace(event.seq, what);
    ASSERT_EQ(it->second, what) << "two events have the number " << event.seq;
    if (event::durability_of(event.type) == event::Durability::flowing) return;
    const auto stored = store_.event(event.session, event.seq);
    ASSERT_TRUE(stored) << "event " << event.seq << " was seen and is not stored";
    ASSERT_EQ(stored->payload, event.payload);
  }

  void on_leave_required(LeaveReason /*reason*/) override { leave(); }

 private:
  SeenEvents& seen_;
  const event::MemorySessionStore& store_;
  Session* session_ = nullptr;
  std::uint64_t last_ = 0;
  std::set<std::string> shown_;
};

}  // namespace parley::session
