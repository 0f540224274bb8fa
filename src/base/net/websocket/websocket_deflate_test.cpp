// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_deflate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/core/entropy.h"
#include "base/net/websocket/websocket_socket.h"

namespace parley::net {
namespace {

constexpr const char* kPlain =
    "permessage-deflate; server_no_context_takeover; client_no_context_takeover";

TEST(DeflateNegotiation, EveryOfferForm_IsAccepted_WithoutContextTakeover) {
  struct Case {
    const char* offer;
    std::string answer;
    int bits;
  };
  for (const Case& c : {
           Case{"permessage-deflate", kPlain, 15},
           Case{"permessage-deflate; client_max_window_bits", kPlain, 15},
           Case{"permessage-deflate; client_max_window_bits=10", kPlain, 15},
           Case{"permessage-deflate; server_no_context_takeover", kPlain, 15},
           Case{"permessage-deflate;client_no_context_takeover", kPlain, 15},
           Case{"permessage-deflate; server_max_window_bits=10",
                std::string(kPlain) + "; server_max_window_bits=10", 10},
           Case{"permessage-deflate; server_max_window_bits=\"8\"",
                std::string(kPlain) + "; server_max_window_bits=8", 8},
           Case{"x-webkit-deflate-frame, permessage-deflate", kPlain, 15},
           Case{"permessage-deflate; server_max_window_bits=99, permessage-deflate", kPlain, 15},
       }) {
    const auto answer = negotiate_deflate(c.offer);
    ASSERT_TRUE(answer.has_value()) << c.offer;
    EXPECT_EQ(answer->header, c.answer) << c.offer;
    EXPECT_EQ(answer->params.peer_window_bits, c.bits) << c.offer;
  }
}

TEST(DeflateNegotiation, MalformedOffers_AreDeclined) {
  for (const char* offer :
       {"", "permessage-bzip2", "permessage-deflate; unknown",
        "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=7",
        "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=08",
        "permessage-deflate; server_max_window_bits=1x",
        "permessage-deflate; client_max_window_bits=",
        "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; client_max_window_bits; client_max_window_bits",
        "permessage-deflate;"}) {
    EXPECT_FALSE(negotiate_deflate(offer).has_value()) << offer;
  }
}

TEST(DeflateNegotiation, Client_AcceptsOnlyOfferedParameters) {
  EXPECT_TRUE(accept_deflate_answer(kPlain).value().has_value());
  EXPECT_TRUE(accept_deflate_answer("permessage-deflate; server_no_context_takeover")->has_value());
  EXPECT_FALSE(accept_deflate_answer("").value().has_value());
  EXPECT_FALSE(accept_deflate_answer("permessage-deflate").has_value()) << "keeps its window";
  EXPECT_FALSE(accept_deflate_answer(std::string(kPlain) + "; client_max_window_bits=10"));
  EXPECT_FALSE(accept_deflate_answer("permessage-bzip2").has_value());
}

TEST(DeflateNegotiation, OwnOffer_IsAcceptableToOwnServer) {
  const auto answer = negotiate_deflate(deflate_offer());
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(accept_deflate_answer(answer->header)->has_value());
}

// RFC 7692 section 7.2.3.
TEST(DeflateCodec, StandardExamples_AreRead) {
  DeflateCodec codec;
  struct Case {
    const char* what;
    std::string compressed;
    std::string payload;
  };
  for (const Case& c : std::vector<Case>{
           {"one block", std::string("\xf2\x48\xcd\xc9\xc9\x07\x00", 7), "Hello"},
           {"no compression", std::string("\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00", 11),
            "Hello"},
           {"final block", std::string("\xf3\x48\xcd\xc9\xc9\x07\x00\x00", 8), "Hello"},
           {"two blocks", std::string("\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00", 13),
            "Hello"},
           {"empty", std::string("\x00", 1), ""},
       }) {
    std::string out;
    EXPECT_EQ(codec.decompress(c.compressed, 100, out), DeflateCodec::Inflated::ok) << c.what;
    EXPECT_EQ(out, c.payload) << c.what;
  }
}

TEST(DeflateCodec, EveryMessage_IsIndependent) {
  DeflateCodec codec;
  for (const std::size_t size : {900U, 20'000U, 300'000U}) {
    std::string payload;
    for (std::size_t i = 0; payload.size() < size; ++i) payload += "event " + std::to_string(i);
    for (int round = 0; round < 2; ++round) {
      std::string compressed = "kept";
      ASSERT_TRUE(codec.compress(payload, compressed));
      EXPECT_EQ(compressed.substr(0, 4), "kept");
      DeflateCodec other;
      std::string back;
      EXPECT_EQ(other.decompress(std::string_view(compressed).substr(4), payload.size(), back),
                DeflateCodec::Inflated::ok);
      EXPECT_EQ(back, payload);
    }
  }
}

TEST(DeflateCodec, IncompressibleData_IsNotSentCompressed) {
  core::SeededEntropy entropy(3);
  std::string noise(2'000, '\0');
  entropy.fill(std::as_writable_bytes(std::span(noise)));
  DeflateCodec codec;
  std::string out = "kept";
  EXPECT_FALSE(codec.compress(noise, out));
  EXPECT_EQ(out, "kept");
}

TEST(DeflateCodec, Bomb_IsStoppedAtLimit) {
  DeflateCodec codec;
  std::string bomb;
  ASSERT_TRUE(codec.compress(std::string(50'000'000, '\0'), bomb));
  EXPECT_LT(bomb.size(), 400'000U);
  std::string out;
  EXPECT_EQ(codec.decompress(bomb, 100'000, out), DeflateCodec::Inflated::too_big);
  EXPECT_LE(out.size(), 100'001U);
  std::string exact;
  ASSERT_TRUE(codec.compress(std::string(100'000, 'x'), exact = ""));
  out.clear();
  EXPECT_EQ(codec.decompress(exact, 100'000, out), DeflateCodec::Inflated::ok);
  out.clear();
  EXPECT_EQ(codec.decompress(exact, 99'999, out), DeflateCodec::Inflated::too_big);
}

TEST(DeflateCodec, CorruptData_IsRefused_LaterMessagesWork) {
  DeflateCodec codec;
  std::string out;
  EXPECT_EQ(codec.decompress("\xff\xff\xff\xff", 1'000, out), DeflateCodec::Inflated::corrupt);
  out.clear();
  EXPECT_EQ(codec.decompress(std::string("\xf2\x48\xcd\xc9\xc9\x07\x00", 7), 100, out),
            DeflateCodec::Inflated::ok);
  EXPECT_EQ(out, "Hello");
}

TEST(DeflateCodec, TruncatedData_IsCorrupt) {
  core::SeededEntropy entropy(5);
  std::string text;
  while (text.size() < 3'000) text += std::to_string(entropy.next_u64() % 5'000) + " words and ";
  DeflateCodec codec;
  std::string whole;
  ASSERT_TRUE(codec.compress(text, whole));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    std::string out;
    EXPECT_EQ(codec.decompress(std::string_view(whole).substr(0, size), 10'000, out),
              DeflateCodec::Inflated::corrupt)
        << size << " of " << whole.size() << " bytes";
  }
  std::string out;
  EXPECT_EQ(codec.decompress(whole, 10'000, out), DeflateCodec::Inflated::ok);
  EXPECT_EQ(out, text);
}

TEST(EncodedMessage, SharedMessage_IsCompressedOnce) {
  DeflateCodec codec;
  EncodedMessage message(MessageType::text, std::string(2'000, 'x'));
  const SharedBytes& full = message.compressed(codec, {15});
  EXPECT_LT(full.size(), 100U);
  EXPECT_EQ(static_cast<unsigned char>(full.view()[0]), 0xc1U);
  EXPECT_EQ(message.compressed(codec, {11}).view().data(), full.view().data())
      << "2000 fit into 2^11";
  EXPECT_EQ(message.compressed(codec, {10}).view().data(), message.frame().view().data());
}

TEST(EncodedMessage, SmallMessage_StaysUncompressed) {
  DeflateCodec codec;
  EncodedMessage message(MessageType::binary, std::string(kCompressFrom - 1, 'x'));
  EXPECT_EQ(message.compressed(codec, {15}).view().data(), message.frame().view().data());
}

}  // namespace
}  // namespace parley::net
