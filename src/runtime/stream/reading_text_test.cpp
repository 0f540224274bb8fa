// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/reading_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stream/sample_runs.h"

namespace parley::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string shown(std::string_view text, const TextOptions& options = {}) {
  const RunReader reader = reader_of(text);
  return reading_text(reader, reader.read(), options);
}

TEST(ReadingText, Text_IsOneLinePerEventThenSums) {
  EXPECT_EQ(shown(sample_run().text()),
            R"(session s1
     1 run_start run-1  react  Hello
     2   node_enter think
     3     thought_chunk think  look first
     4     message_chunk think  I will 
     5     message_chunk think  read it
     6     tool_call_chunk (c1) read  {"path"
     7     tool_call_chunk (c1) :"a.txt"}
     8     tool_call (c1) read {"path":"a.txt"}
     9     usage 10 + 5 = 15 tokens
    10   node_exit think
    11   updates think  {"messages":[{"User":"Hello"}],"turn_count":0}
    14   node_enter act
    15     tool_start (c1) read
    16       tool_output (c1) read  some 
    17       tool_output (c1) read  text
    18     tool_end (c1) read  some text
    19   node_exit act
    20   updates act  {"messages":[{"Tool":"x"}],"log_from":1,"turn_count":1}
    21   node_enter think
    22     message_chunk think  Done.
    23     usage 20 + 2 = 22 tokens
    24   node_exit think
    25   checkpoint k1  step 3  next __end__
    26 reply Done.
run run-1 · react · 24 events, 3 nodes, 1 tool call, 1 checkpoint, 2 model calls, 30 + 7 = 37 tokens
24 lines, 24 events
)");
}

TEST(ReadingText, EventsOfSubAgents_StandInsideCall) {
  const auto within = [](std::string_view name, const std::string& event) {
    return R"({"type":"custom","value":{"sub_agent":")" + std::string(name) +
           R"(","call_id":"c","event":)" + event + "}}";
  };
  const std::string enter = R"({"type":"node_enter","id":"think"})";
  const std::string text =
      shown(lines_of({within("explore", enter), within("explore", within("deeper", enter)),
                      within("explore", R"({"reply":"found"})"), within("explore", "{}")}));
  EXPECT_THAT(text, HasSubstr("\n               explore: node_enter think\n"
                              "                     deeper: node_enter think\n"
                              "             explore: reply found\n"
                              "           custom {\"sub_agent\":\"explore\""));
}

TEST(ReadingText, EndOfRun_IsTold) {
  SampleStream stream;
  const std::string failed = shown(stream.begin().reply("so far", R"(,"error":"why")").text());
  EXPECT_THAT(failed, HasSubstr("     2 reply so far  why\n"));
  EXPECT_THAT(shown(R"({"reply":"","stop_reason":"cancelled"})"), HasSubstr("reply cancelled\n"));
  EXPECT_THAT(shown(R"({"type":"run_start","run_id":"r"})"), HasSubstr("tool calls · not over\n"));
}

TEST(ReadingText, SessionsAndUnknownTypes_AreNamed) {
  const std::string text =
      shown(lines_of({R"({"session_id":"a","event_id":1,"type":"tea_break","sugar":2})",
                      R"({"session_id":"b","event_id":1,"type":"run_start"})"}));
  EXPECT_THAT(text, HasSubstr("session a\n     1   tea_break {\"session_id\""));
  EXPECT_THAT(text, HasSubstr("session b\n     1 run_start\n"));
  EXPECT_THAT(text, HasSubstr("session a · run · 1 event, 0 nodes, 0 tool calls, 1 event of "
                              "unknown types · not over\nsession b · run · "));
}

TEST(ReadingText, Text_IsCutToWidth) {
  SampleStream stream;
  stream.begin().add(MessageChunk{std::string(500, 'x'), "think"});
  TextOptions options;
  options.width = 60;
  EXPECT_THAT(shown(stream.text(), options),
              HasSubstr("\n     2     message_chunk think  " + std::string(28, 'x') + "…\n"));
  options.width = 1;
  EXPECT_THAT(shown(stream.text(), options),
              HasSubstr("message_chunk think  " + std::string(13, 'x') + "…\n"))
      << "some of each event is always told";
}

TEST(ReadingText, TerminalControls_AreNotQuoted) {
  const std::string bad = R"(\u001b[2J\u0007\u202e\u009b\n)";
  std::string lines;
  for (const std::string_view shape :
       {R"({"session_id":"@","type":"@","event_id":1})",
        R"({"type":"tool_start","call_id":"@","name":"@"})",
        R"({"type":"custom","value":{"sub_agent":"@","event":{"type":"run_start","message":"@"}}})",
        R"({"type":"run_start","run_id":"@","agent":"@"})", R"({"reply":"@","error":"@"})"}) {
    std::string line(shape);
    for (std::size_t at = line.find('@'); at != std::string::npos; at = line.find('@')) {
      line.replace(at, 1, bad);
    }
    lines += line + '\n';
  }
  const std::string text = shown(lines);
  for (const char* obeyed : {"\x1b", "\x07", "\xe2\x80\xae", "\xc2\x9b"}) {
    EXPECT_THAT(text, Not(HasSubstr(obeyed)));
  }
  EXPECT_THAT(text, HasSubstr("tool_start (<U+001B>[2J<U+0007><U+202E><U+009B> )"));
  EXPECT_EQ(one_line("a\x1b[31mb\n\n\tc\x7f\xc2\x9b"
                     "d\xc3\xa9",
                     80),
            "a<U+001B>[31mb c<U+007F><U+009B>d\xc3\xa9");
}

TEST(ReadingText, Cut_IsBetweenCharacters) {
  EXPECT_EQ(one_line("ab\xe4\xbd\xa0\xe5\xa5\xbd", 6), "ab\xe4\xbd\xa0\xe2\x80\xa6");
  EXPECT_EQ(one_line("abc", 3), "abc");
  EXPECT_EQ(one_line("abcd", 3), "abc\xe2\x80\xa6");
}

TEST(ReadingText, Findings_AreListedWithLines) {
  EXPECT_EQ(findings_text(read_text("{\"type\":\"run_start\"}\nnonsense\n{\"reply\":\"\"}\n")),
            "run.ndjson:2: error not_object: The line is not a JSON object.\n");
}

TEST(ReadingText, Colours_AreUsedOnRequest) {
  SampleStream stream;
  stream.begin().add(ToolEnd{"c", "bash", "broken", true, std::nullopt});
  EXPECT_THAT(shown(stream.text()), Not(HasSubstr("\x1b")));
  TextOptions options;
  options.colour = true;
  EXPECT_THAT(shown(stream.text(), options), HasSubstr("\x1b[31mbash  broken\x1b[0m\n"));
}

}  // namespace
}  // namespace parley::runtime
