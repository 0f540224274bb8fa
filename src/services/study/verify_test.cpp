// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/verify.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "tests/support/study/lines_source.h"
#include "tests/support/study/study_world.h"

namespace parley::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesSource;
using testing::StudyWorld;
using Lines = std::vector<std::string>;

std::string record_line(int index, const std::string& type, const std::string& payload = "{}",
                        const std::string& session = "s-20260213-001") {
  std::string second = std::to_string(10 + index);
  return R"({"sessionId":")" + session + R"(","eventIndex":)" + std::to_string(index) +
         R"(,"timestamp":"2026-02-13T10:22:)" + second + R"(.123Z","direction":"in","type":")" +
         type + R"(","payload":)" + payload + "}";
}

Lines sound_log() {
  return {record_line(0, "study.opened"), record_line(1, "tool.call"),
          record_line(2, "tool.result"),
          record_line(3, "study.closed", R"({"reason":"done","records":4})")};
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

VerifyReport check(const Lines& lines, const Study* study = nullptr) {
  LinesSource log(lines);
  return *verify({log, nullptr, study});
}

// "LINE code" of every fault.
Lines faults(const VerifyReport& report) {
  Lines out;
  for (const Finding& finding : report.findings) {
    out.push_back(std::to_string(finding.line) + " " + finding.code);
  }
  return out;
}

TEST(Verify, SoundLog_HasNoFaults) {
  const VerifyReport report = check(sound_log());
  EXPECT_THAT(faults(report), IsEmpty());
  EXPECT_TRUE(report.sound());
  EXPECT_TRUE(report.ended);
  EXPECT_EQ(report.records, 4U);
  EXPECT_EQ(report.study, "s-20260213-001");
}

TEST(Verify, MissingRequiredField_IsFault) {
  for (const char* member : {R"("sessionId":"s-20260213-001",)", R"("eventIndex":1,)",
                             R"("timestamp":"2026-02-13T10:22:11.123Z",)", R"("direction":"in",)",
                             R"("type":"tool.call",)", R"(,"payload":{})"}) {
    Lines log = sound_log();
    log[1] = replaced(log[1], member, "");
    EXPECT_THAT(faults(check(log)), ElementsAre("2 field")) << member;
  }
}

TEST(Verify, EachField_HasType) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("sessionId":"s-20260213-001")", R"("sessionId":7)"},
      {R"("eventIndex":1)", R"("eventIndex":"1")"},
      {R"("eventIndex":1)", R"("eventIndex":1.5)"},
      {R"("timestamp":"2026-02-13T10:22:11.123Z")", R"("timestamp":1)"},
      {R"("direction":"in")", R"("direction":null)"},
      {R"("type":"tool.call")", R"("type":{})"},
      {R"("payload":{})", R"("payload":[])"},
      {R"("payload":{})", R"("payload":{},"clientId":1)"},
  };
  for (const auto& [from, to] : cases) {
    Lines log = sound_log();
    log[1] = replaced(log[1], from, to);
    EXPECT_THAT(faults(check(log)), ElementsAre("2 type")) << to;
  }
}

TEST(Verify, NonJsonLine_IsNamed) {
  for (const char* text : {"", "{", "[]", "null", "{\"a\":1}{}"}) {
    Lines log = sound_log();
    log[1] = text;
    EXPECT_THAT(faults(check(log)), ElementsAre("2 json")) << text;
  }
}

TEST(Verify, FieldOutsideFormat_IsNamed) {
  Lines log = sound_log();
  log[1] = replaced(log[1], "}", R"(},"extra":1)");
  EXPECT_THAT(faults(check(log)), ElementsAre("2 unknown"));
  log = sound_log();
  log[1] = replaced(log[1], R"("type":"tool.call")", R"("type":"tool.call","type":"x")");
  EXPECT_THAT(faults(check(log)), ElementsAre("2 field"));
}

TEST(Verify, GapsAndRepetitions_AreNamed) {
  Lines log = sound_log();
  log.erase(log.begin() + 1);
  const VerifyReport gap = check(log);
  EXPECT_THAT(faults(gap), ElementsAre("2 gap"));
  EXPECT_THAT(gap.findings[0].message, HasSubstr("eventIndex 1 was expected, 2 was found"));
  log = sound_log();
  log.insert(log.begin() + 1, log[1]);
  EXPECT_THAT(faults(check(log)), ElementsAre("3 duplicate"));
}

TEST(Verify, Log_BeginsAtZero) {
  Lines log = sound_log();
  log.erase(log.begin());
  EXPECT_THAT(faults(check(log)), ElementsAre("1 gap", "1 opened"));
}

TEST(Verify, Times_DoNotGoBack) {
  Lines log = sound_log();
  log[2] = replaced(log[2], "10:22:12.123Z", "10:22:11.122Z");
  EXPECT_THAT(faults(check(log)), ElementsAre("3 time"));
  for (const char* wrong : {"2026-02-30T10:22:12.123Z", "2026-02-13 10:22:12.123Z",
                            "2026-02-13T10:22:12Z", "2026-02-13T10:22:12.123+01:00"}) {
    log = sound_log();
    log[2] = replaced(log[2], "2026-02-13T10:22:12.123Z", wrong);
    EXPECT_THAT(faults(check(log)), ElementsAre("3 time")) << wrong;
  }
}

TEST(Verify, UnknownDirectionsAndSessions_AreNamed) {
  Lines log = sound_log();
  log[1] = replaced(log[1], R"("direction":"in")", R"("direction":"inward")");
  log[2] = replaced(log[2], "s-20260213-001", "s-20260213-002");
  EXPECT_THAT(faults(check(log)), ElementsAre("2 direction", "3 session"));
}

TEST(Verify, OwnLog_IsOpenedAndClosed) {
  Lines log = sound_log();
  log[0] = replaced(log[0], "study.opened", "tool.call");
  EXPECT_THAT(faults(check(log)), ElementsAre("1 opened"));
  log = sound_log();
  log.push_back(record_line(4, "tool.call"));
  EXPECT_THAT(faults(check(log)), ElementsAre("5 closed"));
  log = sound_log();
  log[3] = replaced(log[3], "\"records\":4", "\"records\":5");
  EXPECT_THAT(faults(check(log)), ElementsAre("4 closed"));
}

TEST(Verify, EndedStudy_IsWhole) {
  Study study;
  study.id = "s-20260213-001";
  study.state = StudyState::ended;
  study.record_count = 4;
  EXPECT_THAT(faults(check(sound_log(), &study)), IsEmpty());
  Lines log = sound_log();
  log.pop_back();
  EXPECT_THAT(faults(check(log, &study)), ElementsAre("0 closed", "0 count"));
  study.state = StudyState::open;
  EXPECT_THAT(faults(check(log, &study)), IsEmpty());
  study.id = "s-20260213-009";
  EXPECT_THAT(faults(check(log, &study)), ElementsAre("1 session"));
}

TEST(Verify, TornLastLineAndEmptyLog_AreNamed) {
  LinesSource torn({record_line(0, "study.opened"), record_line(1, "tool.call").substr(0, 30)});
  torn.torn = true;
  EXPECT_THAT(faults(*verify({torn, nullptr, nullptr})), ElementsAre("2 torn", "2 json"));
  EXPECT_THAT(faults(check({})), ElementsAre("0 empty"));
}

TEST(Verify, FileAndStore_Agree) {
  Study study;
  study.id = "s-20260213-001";
  study.state = StudyState::ended;
  study.record_count = 4;
  const auto compare = [&study](const Lines& lines, const Lines& stored) {
    LinesSource log(lines);
    LinesSource store(stored);
    return faults(*verify({log, &store, &study}));
  };
  const Lines whole = sound_log();
  EXPECT_THAT(compare(whole, whole), IsEmpty());
  Lines changed = whole;
  changed[1] = replaced(changed[1], "{}", "{\"x\":1}");
  EXPECT_THAT(compare(changed, whole), ElementsAre("2 store"));
  Lines missing = whole;
  missing.erase(missing.begin() + 1);
  EXPECT_THAT(compare(missing, whole), ElementsAre("2 gap"));
  EXPECT_THAT(compare(whole, {whole[0], whole[1], whole[2]}), ElementsAre("4 store"));
  // Retention has deleted the oldest events; the file still has them.
  EXPECT_THAT(compare(whole, {whole[2], whole[3]}), IsEmpty());
}

// A store to which records are added while the log is read.
class GrowingSource final : public LogSource {
 public:
  core::Result<bool> next(std::string_view& line) override {
    if (at == lines.size()) return false;
    line = lines[at++];
    return true;
  }
  Lines lines;
  std::size_t at = 0;
};

class GrowingLog final : public LogSource {
 public:
  explicit GrowingLog(GrowingSource& store) : store_(store) {}
  core::Result<bool> next(std::string_view& line) override {
    if (at_ == 5) return false;
    store_.lines.push_back(record_line(at_, at_ == 0 ? "study.opened" : "tool.call"));
    text_ = store_.lines.back();
    ++at_;
    line = text_;
    return true;
  }

 private:
  GrowingSource& store_;
  int at_ = 0;
  std::string text_;
};

TEST(Verify, ActiveStudy_IsSound) {
  GrowingSource store;
  GrowingLog log(store);
  Study study;
  study.id = "s-20260213-001";
  const VerifyReport report = *verify({log, &store, &study});
  EXPECT_THAT(faults(report), IsEmpty());
  EXPECT_EQ(report.records, 5U);
}

TEST(Verify, LogsOfOtherHosts_AreCheckedPartly) {
  const Lines log = {
      record_line(0, "relay.join", "{}", "default"), record_line(1, "tool.call", "{}", "default"),
      record_line(0, "relay.join", "{}", "default"), record_line(1, "tool.call", "{}", "default")};
  const VerifyReport report = check(log);
  EXPECT_THAT(faults(report), ElementsAre("3 duplicate", "3 time"));
  EXPECT_EQ(report.study, "default");
}

TEST(Verify, OutputOfService_IsSound) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  for (int i = 0; i < 100; ++i) {
    recorder->record({"in", "tool.call", R"({"reason":"say \"é\""})", "\"r\"", "", "c"});
    recorder->record({"internal", "relay.join", "{}"});
    world.advance(core::Millis(7));
    // An administrator sets the clock back in the middle of the study.
    if (i == 50) world.clock().set_wall(world.clock().wall() - core::Millis(60'000));
  }
  ASSERT_TRUE(world.close(std::move(recorder), {"done", true}).has_value());
  const auto study = world.find("owner", id);
  auto log = open_log_file(world.log_path(id));
  ASSERT_TRUE(log.has_value());
  const VerifyReport report = *verify({**log, nullptr, &*study});
  EXPECT_THAT(faults(report), IsEmpty());
  EXPECT_EQ(report.records, 202U);
}

TEST(Verify, Report_IsJson) {
  Lines log = sound_log();
  log.erase(log.begin() + 1);
  std::string text;
  core::JsonWriter json(text);
  write_report(json, check(log));
  const auto value = boost::json::parse(text);
  EXPECT_EQ(value.at("sound"), false);
  EXPECT_EQ(value.at("findings").at(0).at("line"), 2);
  EXPECT_EQ(value.at("findings").at(0).at("code"), "gap");
}

}  // namespace
}  // namespace parley::study
