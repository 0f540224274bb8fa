// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/member_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace parley::comfyui {
namespace {

struct Read {
  std::vector<std::string> words;
  bool fed = true;
  bool complete = false;
};

Read read_in_pieces(const std::string& text, std::size_t piece) {
  Read out;
  MemberReader reader([&](std::string_view name, std::string_view value) {
    out.words.push_back(std::string(name) + "=" + std::string(value));
  });
  for (std::size_t at = 0; at < text.size() && out.fed; at += piece) {
    out.fed = reader.feed(std::string_view(text).substr(at, piece));
  }
  out.complete = reader.complete();
  return out;
}

TEST(MemberReader, CutsMembers_InAnyPieces) {
  const std::string text =
      " {\"a\\\"b\" : {\"x\":[1,{\"y\":\"}\\\"\"}]} , \"c\":[ ], \"d\": 3.5 ,\"e\":\"{\"} ";
  const std::vector<std::string> expected = {"a\"b={\"x\":[1,{\"y\":\"}\\\"\"}]}", "c=[ ]", "d=3.5",
                                             "e=\"{\""};
  for (const std::size_t piece : {1U, 2U, 7U, 1'000U}) {
    const Read read = read_in_pieces(text, piece);
    EXPECT_EQ(read.words, expected);
    EXPECT_TRUE(read.complete);
  }
  EXPECT_TRUE(read_in_pieces("{}", 1).complete);
}

TEST(MemberReader, TruncatedText_IsIncomplete) {
  for (const char* text : {"", "{", "{\"a\"", "{\"a\":{", "{\"a\":1,", "{\"a\":\"}"}) {
    const Read read = read_in_pieces(text, 3);
    EXPECT_TRUE(read.fed) << text;
    EXPECT_FALSE(read.complete) << text;
  }
}

TEST(MemberReader, TextOtherThanObject_IsRefused) {
  for (const char* text :
       {"[]", "3", "{,}", "{a:1}", "{\"a\" 1}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1]}", "{} x"}) {
    EXPECT_FALSE(read_in_pieces(text, 2).fed) << text;
  }
  const std::string name(MemberReader::kMaxNameBytes + 10, 'x');
  EXPECT_FALSE(read_in_pieces("{\"" + name + "\":1}", 100).fed);
}

TEST(MemberReader, LongValue_IsToldEmpty) {
  const std::string value(MemberReader::kMaxValueBytes + 10, 'x');
  const Read read = read_in_pieces("{\"a\":\"" + value + "\",\"b\":1}", 4'096);
  EXPECT_EQ(read.words, (std::vector<std::string>{"a=", "b=1"}));
}

}  // namespace
}  // namespace parley::comfyui
