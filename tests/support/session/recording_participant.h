// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/session/participant.h"

namespace parley::session {

// A participant that records its callbacks. For tests.
class RecordingParticipant : public Participant {
 public:
  explicit RecordingParticipant(std::string client_id) {
    info_.client_id = std::move(client_id);
    info_.nickname = "nick of " + info_.client_id;
    info_.dialect = "test";
  }

  const ParticipantInfo& info() const override { return info_; }
  void on_opened(const InteractionPtr& interaction) override { opened.push_back(interaction); }
  void on_closed(const InteractionPtr& interaction) override { closed.push_back(interaction); }
  void on_presence(const ParticipantInfo& who, Presence what) override {
    presence.emplace_back(who.client_id, what);
  }
  void on_direct_message(const DirectMessage& message) override { messages.push_back(message); }
  void on_signal(const Signal& signal) override { signals.push_back(signal); }
  void on_answering(const Answering& one) override { answering.push_back(one); }
  void on_event(const event::Event& event) override { events.push_back(event); }
  void on_leave_required(LeaveReason reason) override { leave_reasons.push_back(reason); }

  std::vector<InteractionPtr> opened;
  std::vector<InteractionPtr> closed;
  std::vector<std::pair<std::string, Presence>> presence;
  std::vector<DirectMessage> messages;
  std::vector<Signal> signals;
  std::vector<Answering> answering;
  std::vector<event::Event> events;
  std::vector<LeaveReason> leave_reasons;

 private:
  ParticipantInfo info_;
};

}  // namespace parley::session
