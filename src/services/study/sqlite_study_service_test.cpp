// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/sqlite_study_service.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "base/core/entropy.h"
#include "model/event/sql_session_reader.h"
#include "model/event/sqlite_session_store.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/study/study_world.h"

namespace parley::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::parsed;
using ::testing::SizeIs;
using testing::StudyWorld;

TEST(StudyService, Study_IsNamedByDayAndNumber) {
  StudyWorld world;
  world.clock().set_wall(core::from_unix_ms(1'770'978'137'123));  // 2026-02-13T10:22:17.123Z
  world.start();
  auto first = world.open();
  auto other = world.open("other");
  EXPECT_EQ(first->study().id, "s-20260213-001");
  EXPECT_EQ(first->study().log_file, "logs/study/s-20260213-001.jsonl");
  EXPECT_EQ(other->study().id, "s-20260213-002");
  world.clock().advance(core::Millis(24 * 3'600'000));
  EXPECT_EQ(world.open("third")->study().id, "s-20260214-001");
}

TEST(StudyService, NumbersAbove999_GrowLonger) {
  EXPECT_EQ(study_id_of({"20260213", 1'000}), "s-20260213-1000");
  EXPECT_EQ(parse_study_id("s-20260213-1000")->number, 1'000U);
  for (const char* wrong : {"s-20260213-0001", "s-20260213-000", "s-2026021-001", "x-20260213-001",
                            "s-20260213-01", "s-20260213-001x", ""}) {
    EXPECT_FALSE(parse_study_id(wrong).has_value()) << wrong;
  }
}

TEST(StudyService, Line_HasExactlyProtocolFields) {
  StudyWorld world;
  world.clock().set_wall(core::from_unix_ms(1'770'978'137'123));
  world.start();
  auto recorder = world.open();
  recorder->record({"in", "tool.call", R"({"toolName":"select"})", R"("req-003")", "", "c1"});
  recorder->record({"out", "tool.result", "{\n \"ok\": true\n}", "", "7"});
  recorder->record({"internal", "relay.join", ""});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  const auto lines = world.lines(recorder->study().id);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(
      lines[1],
      R"({"sessionId":"s-20260213-001","eventIndex":1,"timestamp":"2026-02-13T10:22:17.123Z",)"
      R"("direction":"in","type":"tool.call","payload":{"toolName":"select"},)"
      R"("id":"req-003","clientId":"c1"})");
  EXPECT_EQ(
      lines[2],
      R"({"sessionId":"s-20260213-001","eventIndex":2,"timestamp":"2026-02-13T10:22:17.123Z",)"
      R"("direction":"out","type":"tool.result","payload":{"ok":true},"replyTo":7})");
  EXPECT_EQ(
      lines[3],
      R"({"sessionId":"s-20260213-001","eventIndex":3,"timestamp":"2026-02-13T10:22:17.123Z",)"
      R"("direction":"internal","type":"relay.join","payload":{}})");
}

TEST(StudyService, FirstRecord_DescribesStudy) {
  StudyWorld world;
  world.start();
  StudyStart start = world.start_of("default");
  start.study_id = "pilot-01";
  start.participant_id = "P07";
  auto recorder = world.open(start);
  const auto lines = world.lines(recorder->study().id);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0],
              HasSubstr(R"("type":"study.opened","payload":{"relaySession":"default",)"
                        R"("studyId":"pilot-01","participantId":"P07","implicit":false})"));
}

TEST(StudyService, Close_EndsStudyWithCount) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  recorder->record({"in", "tool.call", "{}"});
  const auto ended = world.close(std::move(recorder), {"study-complete", true});
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->state, StudyState::ended);
  EXPECT_EQ(ended->record_count, 3U);
  EXPECT_THAT(world.lines(id).back(),
              HasSubstr(R"("type":"study.closed","payload":{"reason":"study-complete",)"
                        R"("stateReset":true,"records":3})"));
  const auto listed = world.find("owner", id);
  EXPECT_EQ(listed->state, StudyState::ended);
  EXPECT_EQ(listed->end_reason, "study-complete");
  EXPECT_EQ(world.resume(), nullptr);
}

TEST(StudyService, SimultaneousRecords_AreStoredTogether) {
  StudyWorld world;
  world.options().gather = core::Millis(2);
  world.clock().set_wall(core::from_unix_ms(1'770'978'137'123));
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  recorder->record({"in", "tool.call", "{}"});
  world.advance(core::Millis(1));
  recorder->record({"out", "tool.call", "{}"});
  world.settle();
  EXPECT_THAT(world.lines(id), SizeIs(1)) << "the moment is not over";
  EXPECT_GT(recorder->pending_bytes(), 0U);
  world.advance(core::Millis(1));
  world.settle();
  const auto lines = world.lines(id);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[1], HasSubstr(R"("timestamp":"2026-02-13T10:22:17.123Z")"));
  EXPECT_THAT(lines[2], HasSubstr(R"("timestamp":"2026-02-13T10:22:17.124Z")"));
  EXPECT_EQ(recorder->pending_bytes(), 0U);
}

TEST(StudyService, TenThousandRecords_HaveNoGap) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  for (int i = 1; i < 10'000; ++i) {
    recorder->record({"in", "tool.call", R"({"n":)" + std::to_string(i) + "}"});
    if (i % 37 == 0) world.settle();
  }
  ASSERT_TRUE(world.flush(*recorder).has_value());
  EXPECT_EQ(recorder->pending_bytes(), 0U);
  const auto lines = world.lines(recorder->study().id);
  ASSERT_THAT(lines, SizeIs(10'000));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto line = parsed(lines[i]);
    ASSERT_EQ(line.at("eventIndex").to_number<std::size_t>(), i);
    ASSERT_EQ(line.at("payload").at("n").to_number<std::size_t>(), i);
  }
}

TEST(StudyService, OversizedRecord_IsReported) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string large = "{\"x\":\"" + std::string(33U << 20U, 'x') + "\"}";
  recorder->record({"in", "state.updated", large});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  EXPECT_THAT(world.lines(recorder->study().id).back(),
              HasSubstr(R"("payload":{"truncated":true,"bytes":)" + std::to_string(large.size())));
  EXPECT_EQ(world.service().counters().records_cut, 1U);
}

TEST(StudyService, DestroyedRecorder_LeavesStudyOpen) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  recorder->record({"in", "tool.call", "{}"});
  recorder.reset();
  world.settle();
  EXPECT_THAT(world.lines(id), SizeIs(2));
  auto again = world.resume();
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->study().id, id);
  again->record({"in", "tool.call", "{}"});
  ASSERT_TRUE(world.flush(*again).has_value());
  EXPECT_THAT(world.lines(id), SizeIs(3));
}

TEST(StudyService, Study_WithRecordsInFlight_IsResumed) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  recorder->record({"in", "tool.call", "{}"});
  recorder.reset();
  auto again = world.resume();
  ASSERT_NE(again, nullptr);
  again->record({"in", "tool.call", "{}"});
  ASSERT_TRUE(world.flush(*again).has_value());
  EXPECT_THAT(world.lines(id), SizeIs(3));
}

TEST(StudyService, RelaySession_HasSingleOpenStudy) {
  StudyWorld world;
  world.start();
  auto first = world.open();
  EXPECT_EQ(world.try_open(world.start_of("default")).error().code,
            core::Code::failed_precondition);
  const std::string id = first->study().id;
  first.reset();
  auto second = world.open();
  EXPECT_NE(second->study().id, id);
  EXPECT_EQ(world.find("owner", id)->end_reason, "replaced");
  EXPECT_THAT(world.lines(id).back(), HasSubstr("study.closed"));
}

TEST(StudyService, CloseDuringRefusedOpen_LeavesPlaceFree) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  std::optional<core::Code> refused;
  world.service().open(StudyWorld::start_of("default"), world.scheduler(),
                       [&](core::Result<std::unique_ptr<Recorder>> second) {
                         ASSERT_FALSE(second);
                         refused = second.error().code;
                       });
  const auto closed = world.close(std::move(recorder), {"study-complete", false});
  ASSERT_TRUE(closed) << closed.error().message;
  EXPECT_EQ(refused, core::Code::failed_precondition);
  EXPECT_NE(world.open(), nullptr);
}

TEST(StudyService, Owners_DoNotSeeEachOther) {
  StudyWorld world;
  world.start();
  StudyStart theirs = world.start_of("default");
  theirs.owner = "somebody";
  auto recorder = world.open(theirs);
  EXPECT_EQ(world.find("owner", recorder->study().id).error().code, core::Code::not_found);
  EXPECT_THAT(*world.list("owner"), IsEmpty());
  EXPECT_THAT(*world.list("somebody"), SizeIs(1));
  EXPECT_EQ(world.resume(), nullptr);
}

TEST(StudyService, Labels_AreBounded) {
  StudyWorld world;
  world.start();
  StudyStart start = world.start_of("default");
  start.participant_id = std::string(kMaxLabelBytes + 1, 'x');
  EXPECT_EQ(world.try_open(start).error().field, "participantId");
  start.participant_id = "\xff";
  EXPECT_EQ(world.try_open(start).error().code, core::Code::invalid_argument);
}

TEST(StudyService, OldestUnrecordedStudy_MakesRoom) {
  StudyWorld world;
  world.options().max_open = 2;
  world.start();
  auto first = world.open("a");
  const std::string id = first->study().id;
  auto second = world.open("b");
  EXPECT_EQ(world.try_open(world.start_of("c")).error().code, core::Code::resource_exhausted);
  first.reset();
  world.settle();
  auto third = world.open("c");
  world.settle();
  EXPECT_EQ(world.find("owner", id)->end_reason, "abandoned");
}

TEST(StudyService, NoLog_RecordsAreOnlyEvents) {
  StudyWorld world;
  world.options().write_logs = false;
  world.start();
  auto recorder = world.open();
  EXPECT_EQ(recorder->study().log_file, "");
  recorder->record({"in", "tool.call", "{}"});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  EXPECT_FALSE(std::filesystem::exists(world.path("logs/study")));
  EXPECT_THAT(world.memory().events(recorder->study().session), SizeIs(2));
}

TEST(StudyService, UnwantedRecords_AreKeptNowhere) {
  StudyWorld world;
  world.options().write_logs = false;
  world.options().keep_records = false;
  world.start();
  auto recorder = world.open();
  const std::string session = recorder->study().session;
  recorder->record({"in", "user.message", R"({"text":"private"})"});
  EXPECT_EQ(recorder->pending_bytes(), 0U);
  const auto ended = world.close(std::move(recorder), {"study-complete", true});
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->record_count, 2U);
  const auto events = world.memory().events(session);
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].type, "study.opened");
  EXPECT_EQ(events[1].type, "study.closed");
}

// --- recovery after a kill -------------------------------------------------------------------

TEST(StudyRecovery, TornLine_IsCut_MissingLinesAreWritten) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  for (int i = 0; i < 5; ++i) recorder->record({"in", "tool.call", "{}"});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  const auto whole = world.lines(id);
  world.kill(std::move(recorder));
  world.write_log(id, whole[0] + "\n" + whole[1] + "\n" + whole[2] + "\n" + whole[3].substr(0, 40));
  world.start();
  world.settle();
  EXPECT_EQ(world.lines(id), whole);
}

TEST(StudyRecovery, BlockOfZeroes_IsCut) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  for (int i = 0; i < 5; ++i) recorder->record({"in", "tool.call", "{}"});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  const auto whole = world.lines(id);
  world.kill(std::move(recorder));
  world.write_log(id, whole[0] + "\n" + std::string(4'096, '\0') + "\n" + whole[3] + "\n");
  world.start();
  world.settle();
  EXPECT_EQ(world.lines(id), whole);
}

TEST(StudyRecovery, RemovedFile_IsRewritten) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  recorder->record({"in", "tool.call", "{}"});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  const auto whole = world.lines(id);
  world.kill(std::move(recorder));
  std::filesystem::remove(world.log_path(id));
  world.start();
  auto again = world.resume();
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(world.lines(id), whole);
}

TEST(StudyRecovery, FileRemovedDuringWriting_IsRestored) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  std::filesystem::remove(world.log_path(id));
  recorder->record({"in", "tool.call", "{}"});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  EXPECT_THAT(world.lines(id), SizeIs(2));
}

TEST(StudyRecovery, FileAheadOfStore_IsKeptAside) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  ASSERT_TRUE(world.flush(*recorder).has_value());
  const auto whole = world.lines(id);
  world.kill(std::move(recorder));
  std::string ahead = whole[0];
  ahead.replace(ahead.find("\"eventIndex\":0"), 14, "\"eventIndex\":1");
  world.write_log(id, whole[0] + "\n" + ahead + "\n");
  world.start();
  world.settle();
  EXPECT_EQ(world.lines(id), whole);
  std::size_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(world.path("logs/study"))) {
    kept += entry.path().string().find(".ahead-") != std::string::npos ? 1U : 0U;
  }
  EXPECT_EQ(kept, 1U);
}

TEST(StudyRecovery, StudyWithStoredEnd_IsEnded) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const Study study = recorder->study();
  recorder->record({"internal", "study.closed", R"({"reason":"done"})"});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  world.kill(std::move(recorder));
  world.start();
  EXPECT_EQ(world.resume(), nullptr);
  EXPECT_EQ(world.find("owner", study.id)->state, StudyState::ended);
  EXPECT_EQ(world.find("owner", study.id)->end_reason, "done");
}

TEST(StudyRecovery, LostList_NumbersAreNotReused) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  world.kill(std::move(recorder));
  for (const char* name : {"studies.db", "studies.db-wal", "studies.db-shm"}) {
    std::filesystem::remove(world.path(name));
  }
  world.start();
  auto next = world.open("other");
  EXPECT_EQ(parse_study_id(next->study().id)->number, parse_study_id(id)->number + 1);
}

// --- failing disks ---------------------------------------------------------------------------

TEST(StudyFaults, RefusedRecords_AreCounted_NumbersGoOn) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  world.memory().fail_next(1, {core::Code::resource_exhausted, "full", ""});
  recorder->record({"in", "tool.call", "{}"});
  EXPECT_EQ(world.flush(*recorder).error().code, core::Code::resource_exhausted);
  EXPECT_EQ(world.service().counters().records_lost, 1U);
  recorder->record({"in", "tool.result", "{}"});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  const std::string id = recorder->study().id;
  ASSERT_THAT(world.lines(id), SizeIs(2));
  EXPECT_THAT(world.lines(id).back(), HasSubstr("\"eventIndex\":1,"));
  ASSERT_TRUE(world.close(std::move(recorder), {"done", true}).has_value());
  EXPECT_THAT(world.lines(id).back(), HasSubstr("\"lost\":1"));
}

TEST(StudyFaults, UnstorableStudy_IsNotOpened) {
  StudyWorld world;
  world.start();
  world.memory().fail_next(1, {core::Code::resource_exhausted, "full", ""});
  EXPECT_EQ(world.try_open(world.start_of("default")).error().code, core::Code::resource_exhausted);
  EXPECT_THAT(*world.list("owner"), IsEmpty());
  EXPECT_NE(world.open(), nullptr);
}

TEST(StudyFaults, FullDiskForFile_IsError_LinesFollowLater) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  {
    const testing::FileSizeLimit full(400);
    recorder->record({"in", "tool.call", "{\"x\":\"" + std::string(1'000, 'x') + "\"}"});
    EXPECT_FALSE(world.flush(*recorder).has_value());
    EXPECT_GT(world.service().counters().file_failures, 0U);
  }
  world.advance(core::Millis(1'500));
  EXPECT_THAT(world.lines(id), SizeIs(2));
  EXPECT_TRUE(world.flush(*recorder).has_value());
}

}  // namespace
}  // namespace parley::study
