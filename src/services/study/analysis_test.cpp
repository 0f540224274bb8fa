// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/analysis.h"

#include <gmock/gmock.h>

#include "tests/support/study/lines_source.h"

namespace parley::study {
namespace {

using ::testing::HasSubstr;
using testing::LinesSource;
using ::testing::SizeIs;

// Writes a log whose lines are one second apart.
class LogText {
 public:
  LogText& add(const std::string& direction, const std::string& type, const std::string& payload,
               const std::string& rest = "") {
    const int second = static_cast<int>(lines_.size());
    lines_.push_back(R"({"sessionId":"s-20260213-001","eventIndex":)" + std::to_string(second) +
                     R"(,"timestamp":"2026-02-13T10:00:)" + (second < 10 ? "0" : "") +
                     std::to_string(second) + R"(.250Z","direction":")" + direction +
                     R"(","type":")" + type + R"(","payload":)" + payload + rest + "}");
    return *this;
  }
  LogText& state(const std::string& stage, const std::string& modification = "{}",
                 const std::string& source = "host", const std::string& history = "[]") {
    return add("in", "state.updated",
               R"({"source":")" + source + R"(","uiSpec":{"stage":")" + stage +
                   R"(","modification":)" + modification + R"(},"messageHistory":)" + history +
                   "}");
  }
  LogAnalysis read() const {
    LinesSource log(lines_);
    LogAnalysis analysis(true);
    EXPECT_TRUE(analysis.read(log).has_value());
    return analysis;
  }

 private:
  std::vector<std::string> lines_;
};

TEST(Analysis, Call_GetsItsAnswer) {
  LogText log;
  log.state("movie");
  log.add("in", "tool.call", R"({"toolName":"select","params":{"itemId":"m1"},"reason":"first"})",
          R"(,"id":"r1","clientId":"a")");
  log.add("in", "tool.call", R"({"toolName":"sort"})", R"(,"id":"r1","clientId":"b")");
  log.add("out", "error",
          R"({"delivered":1,"payload":{"code":"INVALID_PARAMS","message":"field?"}})",
          R"(,"replyTo":"r1","clientId":"b")");
  log.add("out", "tool.result", R"({"delivered":1,"payload":{"ok":true,"toolName":"select"}})",
          R"(,"replyTo":"r1","clientId":"host")");
  const LogAnalysis analysis = log.read();
  ASSERT_THAT(analysis.calls(), SizeIs(2));
  const ToolCall& select = analysis.calls()[0];
  EXPECT_EQ(select.index, 1U);
  EXPECT_EQ(select.tool, "select");
  EXPECT_EQ(select.params, R"({"itemId":"m1"})");
  EXPECT_EQ(select.reason, "first");
  EXPECT_EQ(select.stage, "movie");
  EXPECT_TRUE(select.ok);
  EXPECT_EQ(select.latency_ms, 3'000U);
  const ToolCall& sort = analysis.calls()[1];
  EXPECT_TRUE(sort.answered);
  EXPECT_FALSE(sort.ok);
  EXPECT_EQ(sort.error_code, "INVALID_PARAMS");
  EXPECT_EQ(sort.error_message, "field?");
  EXPECT_EQ(sort.latency_ms, 1'000U);
  EXPECT_EQ(analysis.summary().errors, 1U);
}

TEST(Analysis, AnswerWithoutId_BelongsToOldestCallOfTool) {
  LogText log;
  log.add("in", "tool.call", R"({"toolName":"select"})");
  log.add("in", "tool.call", R"({"toolName":"sort"})");
  log.add("out", "tool.result", R"({"delivered":1,"payload":{"ok":true,"toolName":"sort"}})");
  const LogAnalysis analysis = log.read();
  EXPECT_FALSE(analysis.calls()[0].answered);
  EXPECT_TRUE(analysis.calls()[1].answered);
}

TEST(Analysis, Steps_ArePassedStagesAndConfirmation) {
  LogText log;
  log.state("movie").state("theater").state("theater").state("movie", "{}", "user");
  log.state("theater").state("date").state("date", "{}", "host");
  log.state("confirm", "{}", "host",
            R"([{"id":"usr-1","type":"user","action":"select","label":"Booking Confirmed!"}])");
  const Summary summary = log.read().summary();
  EXPECT_EQ(summary.steps, 5U);
  EXPECT_EQ(summary.backs, 1U);
  EXPECT_TRUE(summary.completed);
  EXPECT_EQ(summary.duration_ms(), 7'000U);
}

TEST(Analysis, TypedConfirmationText_IsNoBooking) {
  LogText log;
  log.state("confirm", "{}", "host",
            R"([{"id":"usr-1","type":"user","action":"input","label":"Booking Confirmed!"}])");
  EXPECT_FALSE(log.read().summary().completed);
}

TEST(Analysis, Undone_IsCounted) {
  LogText log;
  log.state("movie", R"({"filter":{},"augment":[{"itemId":"m1"},{"itemId":"m2"}]})");
  log.state("movie", R"({"augment":[{"itemId":"m1"},{"itemId":"m2"}]})", "user");
  log.state("movie", R"({"augment":[{"itemId":"m1"}]})", "user");
  log.state("movie", R"({})", "host");  // the agent cleared it
  log.state("theater", R"({})", "user");
  EXPECT_EQ(log.read().summary().undone, 2U);
}

TEST(Analysis, Messages_AreCountedOnce) {
  LogText log;
  log.add("in", "user.message", R"({"text":"hi"})");
  log.add("out", "user.message", R"({"delivered":2,"payload":{"text":"hi"}})");
  log.add("in", "agent.message", R"({"text":"hello"})");
  log.add("out", "agent.message", R"({"text":"hello"})");
  const Summary summary = log.read().summary();
  EXPECT_EQ(summary.user_messages, 1U);
  EXPECT_EQ(summary.agent_messages, 1U);
}

TEST(Analysis, Labels_AreFromOpening) {
  LogText log;
  log.add("internal", "study.opened",
          R"({"studyId":"pilot-01","participantId":"P07","condition":"agent","scenario":"early"})");
  log.add("in", "session.start", R"({"studyId":"other"})");
  const LogAnalysis analysis = log.read();
  EXPECT_EQ(analysis.labels().study_id, "pilot-01");
  EXPECT_EQ(analysis.labels().condition, "agent");
}

TEST(Tables, CallRow_HasColumnsOfHeader) {
  Study study;
  study.id = "s-20260213-001";
  study.start.participant_id = "=P07";
  ToolCall call;
  call.tool = "select";
  call.params = R"({"itemId":"m1"})";
  call.answered = true;
  std::string csv;
  append_calls_header(csv);
  append_calls(csv, study, {call, ToolCall()});
  EXPECT_EQ(csv,
            "session,study,participant,condition,scenario,index,time,tool,params,reason,stage,ok,"
            "error_code,error_message,latency_ms\r\n"
            "s-20260213-001,,'=P07,,,0,,select,\"{\"\"itemId\"\":\"\"m1\"\"}\",,,false,,,0\r\n"
            "s-20260213-001,,'=P07,,,0,,,,,,,,,\r\n");
}

TEST(Tables, SummaryRow_HasColumnsOfHeader) {
  Study study;
  study.id = "s-20260213-001";
  study.start.study_id = "pilot-01";
  study.started_at = core::from_unix_ms(0);
  Summary summary;
  summary.tool_calls = 3;
  summary.first = core::from_unix_ms(1'000);
  summary.last = core::from_unix_ms(2'600);
  summary.completed = true;
  std::string csv;
  append_summary_header(csv);
  append_summary(csv, study, summary);
  EXPECT_THAT(csv, HasSubstr("\r\ns-20260213-001,pilot-01,,,,open,1970-01-01T00:00:00.000Z,,,2,0,0,"
                             "3,0,0,0,0,0,true\r\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), ','), 2 * 18);
}

}  // namespace
}  // namespace parley::study
