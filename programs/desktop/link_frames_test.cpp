// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/link_frames.h"

#include <gtest/gtest.h>

#include <array>

namespace parley::desktop {
namespace {

// The first vector of section 7 of the protocol's contract.
TEST(LinkFrames, Login_HasTheBytesOfTheProtocol) {
  std::string hex;
  for (const char c : login_message("tok", "Al").SerializeAsString()) {
    std::array<char, 3> pair{};
    std::snprintf(pair.data(), pair.size(), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    hex += pair.data();
  }
  EXPECT_EQ(hex, "0a09557365724c6f67696e6203746f6b920102416c");
}

TEST(LinkFrames, TypingAnswer_GoesToTheAsker) {
  pb::ForwardStateQueryRequest query;
  query.set_request_id("r");
  query.set_requester_client_id("phone");
  const std::array<TypingWindow, 1> windows = {TypingWindow{"7", "Notes"}};
  const pb::WebsocketMessage answer = typing_answer(query, true, windows);
  EXPECT_EQ(answer.cmd(), "ForwardStateQueryResponse");
  EXPECT_EQ(answer.forwardstatequeryresponse().target_client_id(), "phone");
  EXPECT_EQ(answer.forwardstatequeryresponse().request_id(), "r");
  EXPECT_EQ(answer.forwardstatequeryresponse().windows(0).title(), "Notes");
  EXPECT_TRUE(answer.forwardstatequeryresponse().forward_enabled());
}

TEST(LinkFrames, TypingFailure_NamesTheWindow) {
  pb::ChatMessage chat;
  chat.set_sender_client_id("phone");
  chat.mutable_forward_target()->set_window_id("7");
  const pb::WebsocketMessage failure = typing_failed(chat, "gone");
  EXPECT_EQ(failure.forwarddeliveryerrornotification().target_client_id(), "phone");
  EXPECT_EQ(failure.forwarddeliveryerrornotification().invalid_window_id(), "7");
  EXPECT_EQ(failure.forwarddeliveryerrornotification().reason(), "gone");
}

TEST(LinkFrames, Pauses_GrowToTheirLimit) {
  EXPECT_EQ(reconnect_pause_ms(0, 0.5), 1'000);
  EXPECT_EQ(reconnect_pause_ms(0, 0.0), 800);
  EXPECT_EQ(reconnect_pause_ms(2, 1.0), 4'800);
  EXPECT_EQ(reconnect_pause_ms(9, 1.0), 30'000);
  EXPECT_EQ(reconnect_pause_ms(1'000'000, 0.5), 30'000);
}

}  // namespace
}  // namespace parley::desktop
