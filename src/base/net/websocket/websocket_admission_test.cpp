// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/net/websocket/websocket_codec.h"
#include "base/net/websocket/websocket_connection.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::net {
namespace {

using core::Millis;

constexpr std::size_t kAssemblyBytes = 100;

// Admits the sender of "login", and records the end of the connection.
class AdmittingHandler final : public WebSocketHandler {
 public:
  AdmittingHandler(std::vector<std::string>& messages, std::vector<std::string>& ends)
      : messages_(messages), ends_(ends) {}
  void on_open(WebSocket& /*socket*/) override {}
  void on_message(WebSocket& socket, MessageType /*type*/, std::string_view data) override {
    if (data == "login") socket.admit("account");
    messages_.push_back(data.size() > 20 ? std::to_string(data.size()) : std::string(data));
  }
  void on_close(WebSocket& /*socket*/, std::uint16_t /*code*/, std::string_view reason) override {
    ends_.emplace_back(reason);
  }

 private:
  std::vector<std::string>& messages_;
  std::vector<std::string>& ends_;
};

class WebSocketAdmissionTest : public testing::Test {
 protected:
  ~WebSocketAdmissionTest() override {
    clients_.clear();
    run();
  }

  // Opens a connection and returns the client's end. Without `account` the sender is unknown.
  Stream& open(std::optional<std::string> account = std::nullopt) {
    if (!service_) {
      budget_ = std::make_shared<AssemblyBudget>(budget_limits_);
      service_.emplace(WebSocketLimits{}, WebSocketCounters::of(metrics_), nullptr, budget_);
    }
    auto pair = network_.make_pair(scheduler_, scheduler_);
    clients_.push_back(std::move(pair.first));
    WebSocketParams params;
    params.max_open_message_bytes = kAssemblyBytes;
    params.account = std::move(account);
    params.deflate = DeflateParams{};
    service_->adopt(std::move(pair.second), std::make_unique<AdmittingHandler>(messages_, ends_),
                    params);
    return *clients_.back();
  }
  static std::string frame(std::string_view payload, bool fin = true,
                           Opcode opcode = Opcode::text) {
    std::string out;
    append_frame(out, {.opcode = opcode, .fin = fin, .mask = MaskKey{}}, payload);
    return out;
  }
  void run() { scheduler_.run_ready(); }
  double counted(std::string_view name) {
    scheduler_.advance(Millis(2'000));
    return metrics_.counter(name, "").value();
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  MemoryNetwork network_;
  Metrics metrics_;
  AssemblyBudget::Limits budget_limits_{1U << 20U, 1U << 20U, 1U << 20U, 1U << 20U};
  std::shared_ptr<AssemblyBudget> budget_;
  std::optional<WebSocketService> service_;
  std::vector<std::string> messages_;
  std::vector<std::string> ends_;
  std::vector<std::unique_ptr<Stream>> clients_;
};

TEST_F(WebSocketAdmissionTest, StrangersMessage_IsSmall) {
  Stream& client = open();
  client.write(frame(std::string(kAssemblyBytes, 'x')));
  run();
  EXPECT_EQ(messages_, std::vector<std::string>{"100"});
  client.write(frame(std::string(kAssemblyBytes + 1, 'x')));
  run();
  EXPECT_EQ(ends_, std::vector<std::string>{"message too big"});
}

TEST_F(WebSocketAdmissionTest, StrangersCompressedMessage_IsSmallUnpacked) {
  std::string packed;
  DeflateCodec codec;
  ASSERT_TRUE(codec.compress(std::string(5'000, 'x'), packed));
  ASSERT_LT(packed.size(), kAssemblyBytes);
  std::string wire;
  append_frame(wire, {.opcode = Opcode::text, .compressed = true, .mask = MaskKey{}}, packed);
  open().write(wire);
  run();
  EXPECT_TRUE(messages_.empty());
  EXPECT_EQ(ends_, std::vector<std::string>{"message too big"});
}

TEST_F(WebSocketAdmissionTest, LoginByMessage_LiftsLimitAtOnce) {
  open().write(frame("login") + frame(std::string(5'000, 'x')));
  run();
  EXPECT_EQ(messages_, (std::vector<std::string>{"login", "5000"}));
}

TEST_F(WebSocketAdmissionTest, AccountOfHandshake_NeedsNoLogin) {
  open("account").write(frame(std::string(5'000, 'x')));
  run();
  EXPECT_EQ(messages_, std::vector<std::string>{"5000"});
}

TEST_F(WebSocketAdmissionTest, Budget_IsSharedByMessagesOfAccount) {
  budget_limits_.per_account = 1'500;
  Stream& first = open("account");
  first.write(frame(std::string(1'000, 'x'), false));
  run();
  EXPECT_EQ(budget_->bytes(), 1'000U);
  open("account").write(frame(std::string(1'000, 'x'), false));
  open("another").write(frame(std::string(1'000, 'x'), false));
  run();
  EXPECT_EQ(ends_, std::vector<std::string>{"no room for unfinished messages"});
  first.write(frame("y", true, Opcode::continuation));
  run();
  EXPECT_EQ(messages_, std::vector<std::string>{"1001"});
  EXPECT_EQ(budget_->bytes(), 1'000U);
  EXPECT_EQ(counted("parley_websocket_no_room_total"), 1);
}

TEST_F(WebSocketAdmissionTest, Budget_IsReturnedByClosedConnection) {
  open("account").write(frame(std::string(1'000, 'x'), false));
  run();
  EXPECT_EQ(budget_->bytes(), 1'000U);
  clients_.clear();
  run();
  EXPECT_EQ(budget_->bytes(), 0U);
}

TEST_F(WebSocketAdmissionTest, SlowMessage_IsCut) {
  Stream& client = open("account");
  client.write(frame(std::string(500'000, 'x'), false));
  for (int i = 0; i < 3; ++i) {
    scheduler_.advance(Millis(50'000));
    client.write(frame("x", false, Opcode::continuation));
    run();
  }
  EXPECT_EQ(ends_, std::vector<std::string>{"the rest of a message did not arrive in time"});
  EXPECT_EQ(counted("parley_websocket_slow_messages_total"), 1);
}

TEST_F(WebSocketAdmissionTest, MessageAtLeastRate_IsRead) {
  Stream& client = open("account");
  client.write(frame("x", false));
  for (int i = 0; i < 20; ++i) {
    scheduler_.advance(Millis(15'000));
    client.write(frame(std::string(10'000, 'x'), false, Opcode::continuation));
    run();
  }
  client.write(frame("", true, Opcode::continuation));
  run();
  EXPECT_EQ(messages_, std::vector<std::string>{"200001"});
}

}  // namespace
}  // namespace parley::net
