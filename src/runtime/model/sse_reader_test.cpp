// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/sse_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace parley::model {
namespace {

// The events of `text`, each as "event|data;", fed in pieces of `step` bytes.
std::string read(std::string_view text, std::size_t step = 1'000'000) {
  std::string out;
  SseReader reader([&out](std::string_view event, std::string_view data) {
    out.append(event).append("|").append(data).append(";");
  });
  for (std::size_t at = 0; at < text.size(); at += step) {
    EXPECT_TRUE(reader.feed(text.substr(at, step)));
  }
  reader.finish();
  return out;
}

TEST(SseReader, Lines_MayEndInEveryWay_BeSplitAnywhere) {
  const std::string expected = "|a;note|b\nc;|d;";
  for (const std::string_view text :
       {"data: a\n\nevent: note\ndata: b\ndata: c\n\ndata:d\n\n",
        "data: a\r\n\r\nevent: note\r\ndata: b\r\ndata: c\r\n\r\ndata:d\r\n\r\n",
        "data: a\r\revent: note\rdata: b\rdata: c\r\rdata:d\r\r"}) {
    for (std::size_t step = 1; step <= text.size(); ++step) {
      EXPECT_EQ(read(text, step), expected) << step;
    }
  }
}

TEST(SseReader, CommentsAndUnknownFields_AreNoEvents) {
  EXPECT_EQ(read(": ping\n\nid: 7\nretry: 10\n\n:\n\nevent: alone\n\ndata: x\n\n"), "|x;");
}

TEST(SseReader, ByteOrderMark_IsSkipped) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "data: x\n\n"),
            "|x;");
}

TEST(SseReader, EventWithoutBlankLine_CountsAtEnd) {
  EXPECT_EQ(read("data: x\n"), "|x;");
  EXPECT_EQ(read("data: x"), "|x;");
}

TEST(SseReader, EndlessEvent_IsRefusedAtLimit) {
  SseReader reader([](std::string_view, std::string_view) { FAIL(); });
  const std::string piece(1U << 20U, 'x');
  EXPECT_TRUE(reader.feed("data: "));
  std::size_t fed = 0;
  while (reader.feed(piece)) {
    fed += piece.size();
    ASSERT_LE(fed, SseReader::kMaxEventBytes);
  }
  EXPECT_FALSE(reader.feed("\n\n"));
  reader.finish();
}

}  // namespace
}  // namespace parley::model
