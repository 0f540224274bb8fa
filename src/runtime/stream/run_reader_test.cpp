// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/core/entropy.h"
#include "runtime/stream/export_form.h"
#include "runtime/stream/reading_json.h"
#include "runtime/stream/reading_text.h"
#include "tests/support/stream/sample_runs.h"

namespace parley::runtime {
namespace {

using namespace runtime;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

using Codes = std::vector<std::string>;

TEST(RunReader, CompleteRun_HasNoFindings) {
  const Reading reading = read_text(sample_run().text());
  EXPECT_THAT(reading.findings, IsEmpty()) << findings_text(reading);
  ASSERT_EQ(reading.sessions.size(), 1U);
  ASSERT_EQ(reading.sessions[0].runs.size(), 1U);
  EXPECT_EQ(reading.counts.events, 24U);
  EXPECT_EQ(reading.counts.gaps, 1U);
}

TEST(RunReader, Run_IsAddedUp) {
  const Reading reading = read_text(sample_run().text());
  const RunSummary& run = reading.sessions.at(0).runs.at(0);
  EXPECT_EQ(run.id, "run-1");
  EXPECT_EQ(run.agent, "react");
  EXPECT_EQ(run.message, "Hello");
  EXPECT_EQ(run.events, 24U);
  EXPECT_EQ(run.nodes, 3U);
  EXPECT_EQ(run.tools, 1U);
  EXPECT_EQ(run.checkpoints, 1U);
  EXPECT_EQ(run.usage, (Usage{30, 7, 37}));
  EXPECT_EQ(run.model_calls, 2U);
  EXPECT_EQ(run.first_event, 1U);
  EXPECT_EQ(run.last_event, 26U);
  EXPECT_TRUE(run.complete);
  ASSERT_TRUE(run.reply);
  EXPECT_EQ(run.reply->reply, "Done.");
}

TEST(RunReader, PiecesCutAnywhere_AreTaken) {
  const std::string text = sample_run().text();
  const std::string whole = frames_in(reader_of(text));
  for (const std::size_t size : {1U, 2U, 7U, 64U, 1000U}) {
    RunReader reader;
    const RunReader::Source source = reader.open("run.ndjson");
    for (std::size_t at = 0; at < text.size(); at += size) {
      reader.feed(source, std::string_view(text).substr(at, size));
    }
    reader.close(source);
    EXPECT_EQ(frames_in(reader), whole) << size;
    EXPECT_EQ(reading_json(reader.read()), reading_json(read_text(text))) << size;
  }
}

TEST(RunReader, ExportForm_ReadsSame) {
  const std::string text = frames_in(reader_of(sample_run().text()));
  const RunReader exported = reader_of(text);
  EXPECT_EQ(frames_in(exported), text);
  EXPECT_EQ(text_in(exported), "I will read itDone.");
  const Reading reading = exported.read();
  EXPECT_THAT(codes(reading), IsEmpty());
  const RunSummary& run = reading.sessions.at(0).runs.at(0);
  EXPECT_EQ(run.nodes, 3U);
  EXPECT_EQ(run.usage.total_tokens, 37U);
  EXPECT_EQ(run.reply->reply, "Done.");
}

TEST(RunReader, LastLineWithoutBreakAndCrLf_AreTaken) {
  const Reading reading = read_text(
      "\xef\xbb\xbf{\"type\":\"run_start\"}\r\n\r\n  \n{\"reply\":\"x\",\"stop_reason\":null}");
  EXPECT_THAT(reading.findings, IsEmpty());
  EXPECT_EQ(reading.counts.lines, 2U);
  EXPECT_EQ(reading.sessions.at(0).runs.at(0).reply->reply, "x");
}

TEST(RunReader, StreamWithoutEnvelopes_IsTaken) {
  const RunReader reader = reader_of(
      lines_of({R"({"type":"run_start","run_id":"run-1","agent":"react"})",
                R"({"type":"node_enter","id":"think"})",
                R"({"type":"message_chunk","content":"Hello","id":"think"})",
                R"({"type":"node_exit","id":"think","result":"Ok"})", R"({"reply":"Hello"})"}));
  const Reading reading = reader.read();
  EXPECT_THAT(reading.findings, IsEmpty());
  EXPECT_EQ(reading.sessions.at(0).id, "");
  EXPECT_EQ(text_in(reader), "Hello");
}

TEST(RunReader, ProtocolExample_CountingFromZero_IsTaken) {
  const Reading reading = read_text(lines_of(
      {R"({"session_id":"sess-001","event_id":0,"type":"run_start","run_id":"run-1","message":"Hello","agent":"react"})",
       R"({"session_id":"sess-001","node_id":"run-think-0","event_id":1,"type":"node_enter","id":"think"})",
       R"({"session_id":"sess-001","node_id":"run-think-0","event_id":2,"type":"message_chunk","content":"I","id":"think"})",
       R"({"session_id":"sess-001","node_id":"run-think-0","event_id":5,"type":"node_exit","id":"think","result":"Ok"})",
       R"({"session_id":"sess-001","node_id":"run-think-0","event_id":8,"reply":"I do not know"})"}));
  EXPECT_THAT(reading.findings, IsEmpty());
  EXPECT_EQ(reading.sessions.at(0).runs.at(0).first_event, 0U);
}

TEST(RunReader, RunsWithoutStart_AreTaken) {
  const Reading reading =
      read_text(lines_of({R"({"type":"node_enter","id":"think","node_id":"run-think-0"})",
                          R"({"type":"node_exit","id":"think","result":"Ok"})",
                          R"({"reply":"one","node_id":"run-think-0"})",
                          R"({"type":"node_enter","id":"think","node_id":"run-think-0"})",
                          R"({"type":"node_exit","id":"think","result":"Ok"})",
                          R"({"reply":"two","node_id":"run-think-0"})"}));
  EXPECT_EQ(codes(reading, true), (Codes{"run_start_missing", "run_start_missing"}));
  EXPECT_EQ(reading.sessions.at(0).runs.size(), 2U);
}

TEST(RunReader, BrokenLines_AreNamedAndPassedOver) {
  SampleStream stream = sample_run();
  stream.lines[2] = R"({"session_id":"s1","event_id":3,"type":"thought_chu)";
  stream.lines.insert(stream.lines.begin() + 5, "nonsense");
  stream.lines.insert(stream.lines.begin() + 6, "[1,2]");
  stream.lines.insert(stream.lines.begin() + 7, "\"\xff\"");
  stream.lines.insert(stream.lines.begin() + 8, R"({"type":"node_enter","id":3})");
  const RunReader reader = reader_of(stream.text());
  const Reading reading = reader.read();
  EXPECT_EQ(codes(reading),
            (Codes{"not_json", "not_object", "not_object", "not_utf8", "wrong_type"}));
  EXPECT_EQ(reading.findings[0].line, 3U);
  EXPECT_EQ(reading.findings[1].line, 6U);
  EXPECT_EQ(reading.counts.broken, 5U);
  EXPECT_EQ(text_in(reader), "I will read itDone.");
}

TEST(RunReader, UnknownTypes_AreNoted) {
  SampleStream stream("s1");
  stream.begin();
  stream.lines.push_back(R"({"session_id":"s1","event_id":2,"type":"tea_break"})");
  stream.skip(1).reply("x");
  const Reading reading = read_text(stream.text());
  EXPECT_EQ(codes(reading, true), Codes{"unknown_type"});
  EXPECT_EQ(reading.sessions.at(0).runs.at(0).unknown, 1U);
}

// --- numbers -------------------------------------------------------------------------------------

TEST(RunReader, NonIncreasingNumbers_AreTold) {
  SampleStream stream = sample_run();
  std::swap(stream.lines[3], stream.lines[4]);
  const RunReader reader = reader_of(stream.text());
  const Reading reading = reader.read();
  EXPECT_EQ(codes(reading), Codes{"event_id_not_increasing"});
  EXPECT_EQ(reading.findings[0].line, 5U);
  EXPECT_EQ(text_in(reader), "I will read itDone.");
}

TEST(RunReader, RepeatedFrames_AreCountedOnce) {
  const std::string text = sample_run().text();
  const Reading reading = read_text(text + text);
  EXPECT_THAT(codes(reading), IsEmpty());
  EXPECT_EQ(reading.counts.duplicates, 24U);
  EXPECT_EQ(reading.counts.events, 24U);
}

TEST(RunReader, TwoFramesOfSameNumber_AreTold) {
  SampleStream stream = sample_run();
  const std::string before = frames_in(reader_of(stream.text()));
  stream.lines.push_back(
      R"({"session_id":"s1","event_id":3,"type":"message_chunk","content":"other","id":"think"})");
  const RunReader reader = reader_of(stream.text());
  EXPECT_EQ(codes(reader.read()), Codes{"event_conflict"});
  EXPECT_EQ(frames_in(reader), before) << "the first counts";
}

TEST(RunReader, ReplyOfEarlierSenders_IsReadWithRun) {
  const Reading reading = read_text(lines_of(
      {R"({"session_id":"run-17","event_id":1,"node_id":"run-think-0","type":"node_enter","id":"think"})",
       R"({"session_id":"run-17","event_id":2,"node_id":"run-think-0","type":"node_exit","id":"think","result":"Ok"})",
       R"({"session_id":"session-5","event_id":3,"node_id":"run-think-0","reply":"hi","stop_reason":"end_turn"})"}));
  EXPECT_THAT(codes(reading), IsEmpty());
  ASSERT_EQ(reading.sessions.size(), 1U);
  EXPECT_EQ(reading.sessions[0].id, "run-17");
  EXPECT_EQ(reading.sessions[0].runs.at(0).reply->reply, "hi");
}

// --- merging -------------------------------------------------------------------------------------

TEST(RunReader, TwoFilesOfSameRun_AreMerged) {
  const SampleStream stream = sample_run();
  RunReader reader;
  const RunReader::Source late = reader.open("late.ndjson");
  const RunReader::Source early = reader.open("early.ndjson");
  for (std::size_t i = 0; i < stream.lines.size(); ++i) {
    if (i >= 10) reader.feed(late, stream.lines[i] + '\n');
    if (i <= 14) reader.feed(early, stream.lines[i] + '\n');
  }
  const Reading reading = reader.read();
  EXPECT_THAT(codes(reading), IsEmpty());
  EXPECT_EQ(reading.counts.duplicates, 5U);
  EXPECT_EQ(reading.sessions.at(0).runs.at(0).events, 24U);
  EXPECT_EQ(frames_in(reader), frames_in(reader_of(stream.text())));
}

TEST(RunReader, Sessions_AreKeptApart) {
  const SampleStream a = sample_run("a");
  const SampleStream b = sample_run("b");
  std::string text;
  for (std::size_t i = 0; i < a.lines.size(); ++i) text += a.lines[i] + '\n' + b.lines[i] + '\n';
  const Reading reading = read_text(text);
  EXPECT_THAT(codes(reading), IsEmpty());
  ASSERT_EQ(reading.sessions.size(), 2U);
  EXPECT_EQ(reading.sessions[1].id, "b");
  EXPECT_EQ(reading.sessions[1].runs.at(0).events, 24U);
}

TEST(RunReader, RunsOfSameSession_AreDistinguished) {
  SampleStream stream;
  stream.begin("run-1").add(NodeEnter{"think"}).add(NodeExit{"think", std::nullopt}).reply("one");
  stream.begin("run-2").add(NodeEnter{"think"}).add(NodeExit{"think", std::nullopt}).reply("two");
  const Reading reading = read_text(stream.text());
  EXPECT_THAT(codes(reading), IsEmpty());
  ASSERT_EQ(reading.sessions.at(0).runs.size(), 2U);
  EXPECT_EQ(reading.sessions[0].runs[1].id, "run-2");
  EXPECT_EQ(reading.sessions[0].runs[1].reply->reply, "two");
}

TEST(RunReader, ResumedRun_IsFollowed) {
  SampleStream stream;
  stream.begin().add(NodeEnter{"think"}).add(NodeExit{"think", "the model is gone"});
  stream.reply("so far", R"(,"error":"the model is gone")");
  stream.add(NodeEnter{"think"}).add(NodeExit{"think", std::nullopt}).reply("whole");
  const Reading reading = read_text(stream.text());
  EXPECT_THAT(codes(reading), IsEmpty());
  ASSERT_EQ(reading.sessions.at(0).runs.size(), 1U);
  EXPECT_EQ(reading.sessions[0].runs[0].resumed, 1U);
  EXPECT_EQ(reading.sessions[0].runs[0].reply->reply, "whole");
}

// Frames shown in the last moment before a kill were not stored: their numbers are used again.
TEST(RunReader, EventsAfterKill_ReplaceUnstored) {
  const std::string head = R"({"session_id":"s","node_id":"run-think-0","event_id":)";
  const std::vector<std::string> lines = {
      R"({"session_id":"s","node_id":"run-0","event_id":1,"type":"run_start","run_id":"r"})",
      head + R"(2,"type":"node_enter","id":"think"})",
      head + R"(3,"type":"message_chunk","content":"lo","id":"think"})",
      head + R"(4,"type":"message_chunk","content":"st","id":"think"})",
      head + R"(3,"type":"custom","value":{"resumed":{"run_id":"r","in_flight":[]}}})",
      R"({"session_id":"s","node_id":"run-think-1","event_id":4,"type":"node_enter","id":"think"})",
      R"({"session_id":"s","node_id":"run-think-1","event_id":5,"type":"message_chunk","content":"kept","id":"think"})",
      R"({"session_id":"s","node_id":"run-think-1","event_id":6,"type":"node_exit","id":"think","result":"Ok"})",
      R"({"session_id":"s","node_id":"run-think-1","event_id":7,"reply":"kept","stop_reason":"end_turn"})"};
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const Reading reading = read_text(text);
  EXPECT_THAT(codes(reading), Not(Contains("event_conflict")));
  EXPECT_THAT(codes(reading), Not(Contains("event_id_not_increasing")));
  EXPECT_EQ(reading.counts.voided, 2U);
  EXPECT_EQ(reading.counts.events, 7U);
  ASSERT_EQ(reading.sessions.at(0).runs.size(), 1U);
  EXPECT_EQ(reading.sessions[0].runs[0].resumed, 1U);
  EXPECT_EQ(reading.sessions[0].runs[0].reply->reply, "kept");
}

TEST(RunReader, Merge_IsIndependentOfSplitOrderRepetition) {
  const SampleStream a = sample_run("a");
  const SampleStream b = sample_run("b");
  std::vector<std::string> all = a.lines;
  all.insert(all.end(), b.lines.begin(), b.lines.end());
  const auto merged = [](const RunReader& reader) {
    Reading reading = reader.read();
    std::sort(reading.sessions.begin(), reading.sessions.end(),
              [](const SessionSummary& x, const SessionSummary& y) { return x.id < y.id; });
    reading.findings.clear();
    reading.counts = {};
    std::map<std::string, std::string> frames;
    reader.each([&frames](const std::string& session, const StreamLine& line) {
      frames[session] += export_form(line) + '\n';
    });
    return reading_json(reading) + frames["a"] + frames["b"];
  };
  RunReader whole;
  whole.feed(whole.open("whole"), a.text() + b.text());
  const std::string wanted = merged(whole);
  core::SeededEntropy entropy(7);
  const auto random = [&entropy](std::size_t below) { return entropy.next_u64() % below; };
  for (int round = 0; round < 200; ++round) {
    RunReader reader;
    const std::size_t sources = 1 + random(4);
    for (std::size_t i = 0; i < sources; ++i) reader.open(std::to_string(i));
    std::vector<std::string> lines = all;
    for (std::size_t i = random(20); i > 0; --i) lines.push_back(all[random(all.size())]);
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random(i)]);
    for (const std::string& line : lines) reader.feed(random(sources), line + '\n');
    ASSERT_EQ(merged(reader), wanted) << "round " << round;
  }
}

// --- limits --------------------------------------------------------------------------------------

TEST(RunReader, OverlongLine_IsSkipped) {
  SampleStream stream = sample_run();
  stream.lines[3] = R"({"type":"message_chunk","content":")" + std::string(5'000, 'x') + "\"}";
  ReaderLimits limits;
  limits.max_line_bytes = 2'000;
  const Reading reading = read_text(stream.text(), limits);
  EXPECT_EQ(codes(reading), Codes{"line_too_long"});
  EXPECT_EQ(reading.findings[0].line, 4U);
  EXPECT_EQ(reading.counts.events, 23U);
}

TEST(RunReader, Memory_IsLimited) {
  ReaderLimits limits;
  limits.max_events = 10;
  Reading reading = read_text(sample_run().text(), limits);
  EXPECT_EQ(reading.counts.events, 10U);
  EXPECT_THAT(codes(reading), testing::Contains("limit_reached"));
  limits = {};
  limits.max_bytes = 500;
  reading = read_text(sample_run().text(), limits);
  EXPECT_LT(reading.counts.events, 10U);
  EXPECT_THAT(codes(reading), testing::Contains("limit_reached"));
  limits = {};
  limits.max_findings = 3;
  reading = read_text("x\nx\nx\nx\nx\n", limits);
  EXPECT_EQ(reading.findings.size(), 3U);
  EXPECT_EQ(reading.counts.findings_left_out, 2U);
  limits = {};
  limits.max_sessions = 1;
  reading = read_text(sample_run("a").text() + sample_run("b").text(), limits);
  EXPECT_EQ(reading.sessions.size(), 1U);
  EXPECT_THAT(codes(reading), testing::Contains("limit_reached"));
}

}  // namespace
}  // namespace parley::runtime
