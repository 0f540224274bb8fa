// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/net/websocket/websocket.h"

namespace parley::net {

// A shared message whose payload a test can read.
struct RecordedMessage final : OutgoingMessage {
  explicit RecordedMessage(std::string_view bytes) : payload(bytes) {}
  static OutgoingMessagePtr make(std::string_view bytes) {
    return std::make_shared<RecordedMessage>(bytes);
  }
  std::string payload;
};

// A WebSocket that records all calls. Shared messages must be RecordedMessages.
class FakeWebSocket final : public WebSocket {
 public:
  explicit FakeWebSocket(core::Scheduler& scheduler) : scheduler_(&scheduler) {}

  void send(const OutgoingMessagePtr& message) override {
    if (!is_open) return;
    shared.push_back(message);
    sent.push_back(static_cast<const RecordedMessage&>(*message).payload);
    if (fills) stuck += sent.back().size();
  }
  void send_text(std::string_view text) override {
    if (!is_open) return;
    texts.emplace_back(text);
    sent.emplace_back(text);
    if (fills) stuck += text.size();
  }
  void send_binary(std::string_view bytes) override {
    if (!is_open) return;
    sent.emplace_back(bytes);
    if (fills) stuck += bytes.size();
  }
  void close(std::uint16_t code, std::string_view reason) override {
    if (!is_open) return;
    is_open = false;
    close_code = code;
    close_reason = std::string(reason);
  }
  void set_resume_hint(std::string hint) override { resume_hint = std::move(hint); }
  void set_resume_seq(std::uint64_t seq) override { resume_seq = seq; }
  std::size_t queued_bytes() const override { return stuck; }
  bool open() const override { return is_open; }
  void pause_reading(bool pause) override { paused = pause; }
  void admit(std::string_view to) override { account = std::string(to); }
  void set_heartbeat(core::Millis interval, core::Millis timeout) override {
    ping_interval = interval;
    silence = timeout;
  }
  void move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) override {
    scheduler_ = &target;
    ++moves;
    target.post(std::move(arrived));
  }
  void give_away(TakeOver take) override { given_to = std::move(take); }
  bool compresses() const override { return false; }
  core::Scheduler& scheduler() override { return *scheduler_; }
  const std::string& peer() const override { return peer_; }
  const std::string& subprotocol() const override { return subprotocol_; }

  std::vector<std::string> sent;           // all messages, in order
  std::vector<std::string> texts;          // those sent with send_text()
  std::vector<OutgoingMessagePtr> shared;  // those sent with send()
  bool is_open = true;
  std::size_t stuck = 0;  // result of queued_bytes()
  bool fills = false;     // sent bytes are added to `stuck`
  bool paused = false;
  int moves = 0;
  TakeOver given_to;
  std::uint16_t close_code = 0;
  std::string close_reason;
  std::string account;  // of admit()
  std::string resume_hint;
  std::optional<std::uint64_t> resume_seq;
  core::Millis ping_interval{0};
  core::Millis silence{0};

 private:
  core::Scheduler* scheduler_;
  std::string peer_ = "192.0.2.7";
  std::string subprotocol_;
};

}  // namespace parley::net
