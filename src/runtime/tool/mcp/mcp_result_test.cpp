// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_result.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace parley::tool {
namespace {

ToolResult read(std::string_view json) {
  const boost::json::value parsed = boost::json::parse(json);
  return read_mcp_result(parsed.as_object());
}

TEST(ReadMcpResult, Texts_AreJoined_OtherPiecesAreNamed) {
  const ToolResult result =
      read(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},
    {"type":"image","mimeType":"image/png","data":"AAAA"},
    {"type":"resource","resource":{"uri":"file:///x","text":"inside"}},
    {"type":"resource_link","uri":"file:///y","name":"y"},7]})");
  EXPECT_EQ(result.content,
            "a\nb\n[image: image/png, about 3 bytes; it cannot be shown to you]\ninside\n"
            "[resource: file:///y y]");
  EXPECT_FALSE(result.is_error);
}

TEST(ReadMcpResult, StructuredContent_IsTakenWithoutText) {
  EXPECT_EQ(read(R"({"content":[],"structuredContent":{"a":1}})").content, R"({"a":1})");
  EXPECT_EQ(read(R"({"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}})").content,
            "t");
}

TEST(ReadMcpResult, ErrorAndEmptyResult_AreTold) {
  EXPECT_TRUE(read(R"({"content":[{"type":"text","text":"no"}],"isError":true})").is_error);
  EXPECT_EQ(read("{}").content, "(no output)");
}

TEST(ReadMcpResult, VeryLongResult_IsCut) {
  EXPECT_LT(read(R"({"content":[{"type":"text","text":")" + std::string(1U << 20U, 'x') + R"("}]})")
                .content.size(),
            300'000U);
}

}  // namespace
}  // namespace parley::tool
