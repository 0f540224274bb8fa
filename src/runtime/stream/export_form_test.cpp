// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/export_form.h"

#include <gtest/gtest.h>

#include "tests/support/stream/sample_events.h"

namespace parley::runtime {
namespace {

using namespace runtime;

TEST(ExportForm, EveryType_IsExact) {
  const std::vector<std::string> wanted = {
      R"({"RunStart":{"run_id":"run-1","message":"Hello","agent":"react"}})",
      R"({"TaskStart":{"node_id":"think","namespace":null}})",
      R"({"TaskEnd":{"node_id":"think","result":"Ok","namespace":null}})",
      R"({"TaskEnd":{"node_id":"act","result":{"Err":"it \"broke\""},"namespace":null}})",
      R"({"Messages":{"chunk":{"content":"I\tsee\n","kind":"Message"},)"
      R"("metadata":{"loom_node":"think","namespace":null}}})",
      R"({"Messages":{"chunk":{"content":"hm","kind":"Thinking"},)"
      R"("metadata":{"loom_node":"think","namespace":null}}})",
      R"({"Usage":{"prompt_tokens":100,"completion_tokens":62,"total_tokens":162}})",
      R"({"Values":{"messages":[{"User":"hi"}]}})",
      R"({"Updates":{"node_id":"think","state":{"turn_count":1},"namespace":null}})",
      R"({"Custom":{"progress":0.5}})",
      R"({"Checkpoint":{"checkpoint_id":"c1","timestamp":"1700000000000","step":3,)"
      R"("state":{"a":1},"thread_id":"s1","checkpoint_ns":null,"next":"act"}})",
      R"({"TotExpand":{"candidates":["a","b"]}})",
      R"({"TotEvaluate":{"chosen":1,"scores":[0.25,0.9]}})",
      R"({"TotBacktrack":{"reason":"tool error","to_depth":2}})",
      R"({"GotPlan":{"node_count":2,"edge_count":1,"node_ids":["x","y"]}})",
      R"({"GotNodeStart":{"node_id":"x"}})",
      R"({"GotNodeComplete":{"node_id":"x","result_summary":"done"}})",
      R"({"GotNodeFailed":{"node_id":"y","error":"no"}})",
      R"({"GotExpand":{"node_id":"x","nodes_added":2,"edges_added":3}})",
      R"({"ToolCallChunk":{"call_id":"call_1","name":"read","arguments_delta":"{\"pa"}})",
      R"({"ToolCall":{"call_id":"call_1","name":"read","arguments":{"path":"a.txt"}}})",
      R"({"ToolStart":{"call_id":"call_1","name":"read"}})",
      R"({"ToolOutput":{"call_id":"call_1","name":"read","content":"part"}})",
      R"({"ToolEnd":{"call_id":"call_1","name":"read","result":"text","is_error":false,)"
      R"("raw_result":"all of the text"}})",
      R"({"ToolApproval":{"call_id":"call_1","name":"bash","arguments":{"command":"ls"}}})",
  };
  const std::vector<RunEvent> events = sample_events();
  ASSERT_EQ(events.size(), wanted.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(export_of(stored(events[i])), wanted[i]);
  }
}

TEST(ExportForm, AbsentMembers_AreNull) {
  EXPECT_EQ(export_form(RunStart{}), R"({"RunStart":{"run_id":null,"message":null,"agent":null}})");
  EXPECT_EQ(export_form(ToolCallChunk{std::nullopt, std::nullopt, "x"}),
            R"({"ToolCallChunk":{"call_id":null,"name":null,"arguments_delta":"x"}})");
  EXPECT_EQ(export_form(ToolEnd{std::nullopt, "t", "r", true, std::nullopt}),
            R"({"ToolEnd":{"call_id":null,"name":"t","result":"r","is_error":true}})");
}

TEST(ExportForm, ExportForm_RoundTrips) {
  EventParser parser;
  for (const RunEvent& event : sample_events()) {
    const std::string text = export_form(event);
    const auto line = parser.parse(text);
    ASSERT_TRUE(line) << text << line.error().message;
    ASSERT_NE(line->event(), nullptr) << text;
    EXPECT_EQ(*line->event(), event) << text;
    EXPECT_EQ(line->form, StreamLine::Form::exported);
  }
}

TEST(ExportForm, Reply_HasOwnLine) {
  EXPECT_EQ(export_of(stored_reply(
                R"({"type":"reply","reply":"Hi","node_id":"run-0","stop_reason":"end_turn"})")),
            R"({"reply":"Hi","stop_reason":"end_turn"})");
}

TEST(ExportForm, EventOtherThanFrame_HasNoForm) {
  event::Event event = stored(NodeEnter{"a"});
  event.type = "interaction.opened";
  EXPECT_EQ(export_of(event), std::nullopt);
}

TEST(ExportForm, KeysAndTypes_NameEachOther) {
  for (const RunEvent& event : sample_events()) {
    const std::string_view type = type_name(event);
    EXPECT_FALSE(export_key_of(type).empty());
    if (type == "thought_chunk") continue;  // shares a key
    EXPECT_EQ(type_of_export_key(export_key_of(type)), type);
  }
  EXPECT_EQ(export_key_of("reply"), "");
  EXPECT_EQ(type_of_export_key("Nothing"), "");
}

}  // namespace
}  // namespace parley::runtime
