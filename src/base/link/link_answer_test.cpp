// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_answer.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace parley::link {
namespace {

using ::testing::HasSubstr;

LinkAnswer refusal_with(RefusalCode code, const std::string& sentence) {
  return {Refusal{code, sentence}, kNoNode};
}

std::vector<LinkAnswer> all_answers() {
  std::vector<LinkAnswer> out = {{}, {std::nullopt, 1}, {std::nullopt, INT64_MAX}};
  for (std::size_t i = 0; i + 1 < kRefusalNames.size(); ++i) {
    out.push_back(refusal_with(static_cast<RefusalCode>(i), "This is why."));
  }
  return out;
}

TEST(LinkAnswerTest, Answers_AreReadAsWritten) {
  for (const LinkAnswer& answer : all_answers()) {
    std::string line = encode_answer(answer);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();
    const auto read = decode_answer(line);
    ASSERT_TRUE(read.has_value()) << line;
    EXPECT_EQ(*read, answer) << line;
  }
}

TEST(LinkAnswerTest, Lines_HaveTheirForm) {
  EXPECT_EQ(encode_answer({}), "PARLEY-LINK/1 accepted\n");
  EXPECT_EQ(encode_answer({std::nullopt, 12}), "PARLEY-LINK/1 moved 12\n");
  EXPECT_EQ(encode_answer(refusal_with(RefusalCode::not_me, "This is node 8.")),
            "PARLEY-LINK/1 refused not_me This is node 8.\n");
}

TEST(LinkAnswerTest, Sentence_BreaksNoLine) {
  const std::string line =
      encode_answer(refusal_with(RefusalCode::busy, "a\nb\r" + std::string(9'000, 'x')));
  EXPECT_LE(line.size(), kMaxLinkAnswerBytes);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(line.find('\r'), std::string::npos);
}

TEST(LinkAnswerTest, RefusalOfOtherRelease_IsRead) {
  const auto version = decode_answer("PARLEY-LINK/2 refused version I speak 2.");
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(version->refusal->code, RefusalCode::version);
  const auto code = decode_answer("PARLEY-LINK/1 refused too_cold Put on a coat.");
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(*code, refusal_with(RefusalCode::unknown, "Put on a coat."));
}

TEST(LinkAnswerTest, OtherLines_AreRefusedInWords) {
  for (const char* line :
       {"", "HTTP/1.1 400 Bad Request", "PARLEY-LINK/", "PARLEY-LINK/0 accepted",
        "PARLEY-LINK/x accepted", "PARLEY-LINK/2 accepted", "PARLEY-LINK/1", "PARLEY-LINK/1 yes",
        "PARLEY-LINK/1 accepted now", "PARLEY-LINK/1 accepted\r", "PARLEY-LINK/1 moved",
        "PARLEY-LINK/1 moved 0", "PARLEY-LINK/1 moved -1", "PARLEY-LINK/1 moved 7 8",
        "PARLEY-LINK/1 refused busy \xff"}) {
    const auto read = decode_answer(line);
    ASSERT_FALSE(read.has_value()) << line;
    EXPECT_EQ(read.error().code, core::Code::invalid_argument);
    EXPECT_THAT(read.error().message, HasSubstr("must be")) << line;
  }
}

TEST(LinkAnswerTest, Reader_TakesTheLineOnly_InAnyPieces) {
  const std::string wire = encode_answer({std::nullopt, 12}) + "HTTP/1.1 200 OK";
  for (std::size_t piece = 1; piece <= wire.size(); ++piece) {
    LinkAnswerReader reader;
    std::size_t taken = 0;
    for (std::size_t at = 0; at < wire.size() && !reader.result(); at += piece) {
      taken += reader.take(std::string_view(wire).substr(at, piece));
    }
    ASSERT_TRUE(reader.result() && reader.result()->has_value()) << piece;
    EXPECT_EQ((*reader.result())->successor, 12);
    EXPECT_EQ(wire.substr(taken), "HTTP/1.1 200 OK") << piece;
    EXPECT_EQ(reader.take("more"), 0U);
  }
}

TEST(LinkAnswerTest, EndlessLine_IsRefused) {
  LinkAnswerReader reader;
  const std::string piece(100, 'x');
  for (std::size_t sent = 0; sent <= kMaxLinkAnswerBytes && !reader.result(); sent += 100) {
    reader.take(piece);
  }
  ASSERT_TRUE(reader.result().has_value());
  EXPECT_FALSE(reader.result()->has_value());
}

}  // namespace
}  // namespace parley::link
