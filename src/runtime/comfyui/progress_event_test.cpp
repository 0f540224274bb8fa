// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/progress_event.h"

#include <gtest/gtest.h>

namespace parley::comfyui {
namespace {

ProgressEvent event_of(std::string_view text) {
  auto event = read_progress_event(text);
  if (!event || !*event) {
    ADD_FAILURE() << text;
    return {};
  }
  return std::move(**event);
}

TEST(ProgressEventReader, EachKind_IsRead) {
  EXPECT_EQ(event_of(R"({"type":"status","data":{"status":{"exec_info":{"queue_remaining":3}},
                         "sid":"x"}})")
                .queue_remaining,
            3);
  EXPECT_EQ(event_of(R"({"type":"execution_start","data":{"prompt_id":"p"}})").prompt_id, "p");
  EXPECT_EQ(event_of(R"({"type":"execution_cached","data":{"nodes":["1","2"],"prompt_id":"p"}})")
                .cached.size(),
            2U);
  EXPECT_EQ(event_of(R"({"type":"executing","data":{"node":"7","display_node":"8"}})").display_node,
            "8");
  const auto progress =
      event_of(R"({"type":"progress","data":{"value":3,"max":20.0,"node":"7","prompt_id":"p"}})");
  EXPECT_EQ(progress.value, 3);
  EXPECT_EQ(progress.max, 20);
  EXPECT_EQ(progress.node_id, "7");
  const auto state = event_of(R"({"type":"progress_state","data":{"prompt_id":"p","nodes":
      {"3":{"value":1,"max":2,"state":"running"}}}})");
  EXPECT_EQ(state.nodes.at(0).state, "running");
  const auto executed = event_of(R"({"type":"executed","data":{"node":"9","prompt_id":"p",
      "output":{"images":[{"filename":"a.png","subfolder":"","type":"output"},
                          {"filename":"../b.png","subfolder":"","type":"output"}],
                "text":["hello"]}}})");
  ASSERT_TRUE(executed.output);
  EXPECT_EQ(executed.output->files.size(), 1U);  // a name with ".." is left out
  EXPECT_TRUE(executed.output->raw.contains("text"));
  const auto error = event_of(R"({"type":"execution_error","data":{"prompt_id":"p","node_id":"4",
      "node_type":"KSampler","exception_message":"oom","exception_type":"E","traceback":["a","b"]}})");
  EXPECT_EQ(error.fault->traceback, "ab");
  EXPECT_EQ(error.node_id, "4");
}

TEST(ProgressEventReader, EndOfRun_HasNoNode) {
  EXPECT_TRUE(
      event_of(R"({"type":"executing","data":{"node":null,"prompt_id":"p"}})").node_id.empty());
}

TEST(ProgressEventReader, UnknownTypes_AreIgnored) {
  for (const char* text :
       {R"({"type":"feature_flags","data":{}})", R"({"type":"crystools.monitor"})"}) {
    auto event = read_progress_event(text);
    ASSERT_TRUE(event);
    EXPECT_FALSE(*event);
  }
}

TEST(ProgressEventReader, BrokenText_IsError) {
  for (const char* text : {"", "{", "[]", "3", R"({"type":)", R"({"type":3})", R"({"data":{}})",
                           "{\"type\":\"progress\"} x"}) {
    EXPECT_FALSE(read_progress_event(text)) << text;
  }
  EXPECT_FALSE(read_progress_event(R"({"type":"status","data":)" + std::string(100, '[')));
}

TEST(ProgressEventReader, WrongMembers_AreAsGoodAsNone) {
  const auto event = event_of(
      R"({"type":"progress","data":{"value":"three","max":null,"node":{},"prompt_id":7}})");
  EXPECT_EQ(event.value, 0);
  EXPECT_TRUE(event.node_id.empty());
  EXPECT_EQ(event_of(R"({"type":"progress","data":3})").kind, ProgressEvent::Kind::progress);
}

TEST(ProgressEventReader, LongTraceback_KeepsEnd) {
  std::string lines;
  for (int i = 0; i < 1'000; ++i) lines += "\"line " + std::to_string(i) + "             \",";
  const auto event =
      event_of(R"({"type":"execution_error","data":{"traceback":[)" + lines + R"("the end"]}})");
  EXPECT_LE(event.fault->traceback.size(), kMaxTracebackBytes);
  EXPECT_TRUE(event.fault->traceback.ends_with("the end"));
}

TEST(PreviewReader, OnlyPictures_AreTaken) {
  const auto message = [](char event, char kind, std::string bytes) {
    return std::string({0, 0, 0, event, 0, 0, 0, kind}) + std::move(bytes);
  };
  const std::string png = message(1, 2, "picture");
  const auto preview = read_preview(png);
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->kind, Preview::Kind::png);
  EXPECT_EQ(preview->bytes, "picture");
  for (const std::string& other :
       {message(3, 1, "text"), message(1, 7, "x"), message(1, 1, ""), std::string("abc"),
        std::string(), message(1, 1, std::string(kMaxPreviewBytes + 1, 'x'))}) {
    EXPECT_FALSE(read_preview(other));
  }
}

}  // namespace
}  // namespace parley::comfyui
