// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/core/temp_folder.h"
#include "services/study/sqlite_study_service.h"
#include "tests/support/api/api_world.h"
#include "tests/support/event/store_fixture.h"

namespace parley::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::World;

constexpr const char* kKit = R"([[study]]
id = "pilot-01"
title = "A pilot"
consent = "Please **read** this."
end = "Thank you."
[[study.condition]]
id = "full"
tools = ["select", "next"]
[[study.scenario]]
id = "early"
instructions = "Book an early show."
)";

std::string text_of(const boost::json::value& value) { return std::string(value.as_string()); }

// The API with studies, and a way to make one.
class StudyApi : public ::testing::Test {
 protected:
  StudyApi() : kit_(*study::Kit::parse(kKit, "studies.toml")) {
    study::StudyOptions options;
    options.data_dir = directory_.path();
    auto service = study::SqliteStudyService::open(options, world_.hub(), world_.store(),
                                                   world_.shard(0), world_.shard(0));
    service_ = std::move(*service);
    world_.set_studies(service_.get(), &kit_);
  }
  ~StudyApi() override { world_.settle(); }

  study::StudyStart start_of(const std::string& participant, const std::string& owner) {
    study::StudyStart start;
    start.owner = owner;
    start.relay_session = "for " + participant;
    start.study_id = "pilot-01";
    start.participant_id = participant;
    return start;
  }
  std::unique_ptr<study::Recorder> open(const std::string& participant,
                                        const std::string& owner = "id-alice") {
    std::unique_ptr<study::Recorder> out;
    service_->open(start_of(participant, owner), world_.shard(0),
                   [&out](core::Result<std::unique_ptr<study::Recorder>> recorder) {
                     ASSERT_TRUE(recorder.has_value()) << recorder.error().message;
                     out = std::move(*recorder);
                   });
    world_.settle();
    return out;
  }
  // Makes a study with one call in it and returns its id.
  std::string hold(const std::string& participant, const std::string& owner = "id-alice") {
    auto recorder = open(participant, owner);
    std::string id = recorder->study().id;
    recorder->record({"in", "tool.call", R"({"toolName":"select","reason":"=because"})", "\"r1\""});
    recorder->record({"out", "tool.result", R"({"ok":true})", "", "\"r1\""});
    service_->close(
        std::move(recorder), {"study-complete", true},
        [](const core::Result<study::Study>& study) { EXPECT_TRUE(study.has_value()); });
    world_.settle();
    return id;
  }

  core::TempFolder directory_;
  World world_;
  study::Kit kit_;
  std::unique_ptr<study::SqliteStudyService> service_;
};

TEST_F(StudyApi, Studies_AreListedNewestFirstAndPageByPage) {
  const std::string first = hold("P01");
  const std::string second = hold("P02");
  const auto recorder = open("P03");
  const auto all = world_.call("GET", "/v1/studies", "alice").json();
  ASSERT_EQ(all.at("studies").as_array().size(), 3U);
  EXPECT_EQ(all.at("studies").at(0).at("state"), "open");
  EXPECT_TRUE(all.at("studies").at(0).at("record_count").is_null());
  EXPECT_EQ(text_of(all.at("studies").at(1).at("id")), second);
  EXPECT_EQ(all.at("studies").at(1).at("record_count"), 4);
  EXPECT_EQ(all.at("studies").at(1).at("end_reason"), "study-complete");
  EXPECT_TRUE(all.at("next").is_null());
  const auto page = world_.call("GET", "/v1/studies?limit=2", "alice").json();
  ASSERT_EQ(page.at("studies").as_array().size(), 2U);
  const auto rest =
      world_.call("GET", "/v1/studies?limit=2&cursor=" + text_of(page.at("next")), "alice").json();
  ASSERT_EQ(rest.at("studies").as_array().size(), 1U);
  EXPECT_EQ(text_of(rest.at("studies").at(0).at("id")), first);
  EXPECT_TRUE(rest.at("next").is_null());
}

TEST_F(StudyApi, Lists_AreFiltered) {
  hold("P01");
  const auto recorder = open("P02");
  const auto count = [this](const std::string& query) {
    return world_.call("GET", "/v1/studies" + query, "alice")
        .json()
        .at("studies")
        .as_array()
        .size();
  };
  EXPECT_EQ(count("?state=open"), 1U);
  EXPECT_EQ(count("?state=ended"), 1U);
  EXPECT_EQ(count("?participant_id=P02"), 1U);
  EXPECT_EQ(count("?study_id=pilot-01"), 2U);
  EXPECT_EQ(count("?study_id=pilot-01&participant_id=P09"), 0U);
  for (const char* wrong : {"?state=closed", "?limit=0", "?limit=1001", "?cursor=x"}) {
    EXPECT_EQ(world_.call("GET", std::string("/v1/studies") + wrong, "alice").status(), 400);
  }
}

TEST_F(StudyApi, Study_NamesSessionOfRecords) {
  const std::string id = hold("P01");
  const auto study = world_.call("GET", "/v1/studies/" + id, "alice").json();
  EXPECT_EQ(text_of(study.at("log_file")), "logs/study/" + id + ".jsonl");
  const auto events =
      world_.call("GET", "/v1/sessions/" + text_of(study.at("session")) + "/events", "alice");
  EXPECT_EQ(events.json().at("events").as_array().size(), 4U);
  EXPECT_EQ(events.json().at("events").at(1).at("payload").at("payload").at("toolName"), "select");
}

TEST_F(StudyApi, Log_IsFileOfLines) {
  const std::string id = hold("P01");
  const auto reply = world_.call("GET", "/v1/studies/" + id + "/log", "alice");
  ASSERT_NE(reply.body, nullptr);
  EXPECT_TRUE(reply.body->ended);
  EXPECT_EQ(std::count(reply.body->text.begin(), reply.body->text.end(), '\n'), 4);
  EXPECT_THAT(reply.body->text, StartsWith("{\"sessionId\":\"" + id + "\",\"eventIndex\":0,"));
  EXPECT_EQ(reply.response->headers.get("Content-Disposition"),
            "attachment; filename=\"" + id + ".jsonl\"");
}

TEST_F(StudyApi, LongLog_ArrivesWhole) {
  auto recorder = open("P01");
  const std::string large = "{\"x\":\"" + std::string(700'000, 'x') + "\"}";
  for (int i = 0; i < 5; ++i) recorder->record({"in", "state.updated", large});
  const std::string id = recorder->study().id;
  recorder.reset();
  world_.settle();
  const auto reply = world_.call("GET", "/v1/studies/" + id + "/log", "alice");
  EXPECT_TRUE(reply.body->ended);
  EXPECT_EQ(std::count(reply.body->text.begin(), reply.body->text.end(), '\n'), 6);
  EXPECT_GT(reply.body->text.size(), 5 * large.size());
}

TEST_F(StudyApi, ToolCallsCsv_HoldsNoFormulas) {
  const std::string id = hold("P01");
  const auto reply = world_.send("GET", "/v1/studies/" + id + "/calls.csv", "alice");
  world_.settle();
  EXPECT_THAT(reply->response->body, StartsWith("session,study,participant,condition,scenario,"));
  EXPECT_THAT(reply->response->body, HasSubstr("\r\n" + id + ",pilot-01,P01,"));
  EXPECT_THAT(reply->response->body, HasSubstr(",select,,'=because,"));
}

TEST_F(StudyApi, Summary_IsJsonOrCsv) {
  hold("P01");
  const auto json = world_.call("GET", "/v1/studies/summary", "alice").json();
  EXPECT_EQ(json.at("studies").at(0).at("summary").at("tool_calls"), 1);
  EXPECT_EQ(json.at("studies").at(0).at("participant_id"), "P01");
  const auto by_accept =
      world_.send("GET", "/v1/studies/summary", "alice", "", {{"Accept", "text/csv"}});
  const auto by_format = world_.send("GET", "/v1/studies/summary?format=csv", "alice");
  world_.settle();
  EXPECT_THAT(by_accept->response->body, StartsWith("session,study,participant,"));
  EXPECT_EQ(by_accept->response->body, by_format->response->body);
  EXPECT_EQ(world_.call("GET", "/v1/studies/summary?format=xml", "alice").status(), 400);
}

TEST_F(StudyApi, Log_IsVerified) {
  const std::string id = hold("P01");
  const std::string target = "/v1/studies/" + id + "/verify";
  EXPECT_EQ(world_.call("GET", target, "alice").json().at("sound"), true);
  const std::string path = directory_.path() + "/logs/study/" + id + ".jsonl";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10);
  const auto report = world_.call("GET", target, "alice").json();
  EXPECT_EQ(report.at("sound"), false);
  EXPECT_EQ(report.at("findings").at(0).at("code"), "torn");
}

TEST_F(StudyApi, StudiesOfOtherToken_AreNotFound) {
  const std::string id = hold("P01");
  for (const char* rest : {"", "/log", "/calls.csv", "/verify"}) {
    EXPECT_EQ(world_.call("GET", "/v1/studies/" + id + rest, "bob").status(), 404) << rest;
  }
  EXPECT_TRUE(world_.call("GET", "/v1/studies", "bob").json().at("studies").as_array().empty());
  EXPECT_TRUE(
      world_.call("GET", "/v1/studies/summary", "bob").json().at("studies").as_array().empty());
}

TEST_F(StudyApi, Kit_TellsParticipantInstructions) {
  const auto list = world_.call("GET", "/v1/study-kit", "alice").json();
  EXPECT_EQ(list.at("studies").at(0).at("id"), "pilot-01");
  const auto study = world_.call("GET", "/v1/study-kit/pilot-01", "alice").json();
  EXPECT_EQ(study.at("consent"), "Please **read** this.");
  EXPECT_EQ(study.as_object().contains("conditions"), false);
  EXPECT_EQ(world_.call("GET", "/v1/study-kit/other", "alice").status(), 404);
}

TEST_F(StudyApi, ReturningParticipant_GetsSameKit_AndIsRecorded) {
  const std::string target = "/v1/study-kit/pilot-01/assign";
  const auto first = world_.call("POST", target, "alice", R"({"participantId":"P07"})").json();
  EXPECT_EQ(first.at("participantId"), "P07");
  EXPECT_EQ(first.at("condition").at("tools"), (boost::json::array{"select", "next"}));
  EXPECT_EQ(first.at("scenario").at("instructions"), "Book an early show.");
  EXPECT_EQ(world_.call("POST", target, "alice", R"({"participantId":"P07"})").json(), first);
  const auto recorder = open("P07");
  EXPECT_EQ(recorder->study().start.condition, "full");
  EXPECT_EQ(recorder->study().start.scenario, "early");
}

TEST_F(StudyApi, ParticipantWithoutId_GetsId) {
  const std::string target = "/v1/study-kit/pilot-01/assign";
  const auto one = text_of(world_.call("POST", target, "alice").json().at("participantId"));
  const auto other = text_of(world_.call("POST", target, "alice", "{}").json().at("participantId"));
  EXPECT_THAT(one, ::testing::MatchesRegex("P-[2-9A-HJ-NP-Z]{4}"));
  EXPECT_NE(one, other);
  EXPECT_EQ(world_.call("POST", target, "alice", R"({"participant":"x"})").status(), 400);
  const auto long_id = R"({"participantId":")" + std::string(300, 'x') + "\"}";
  EXPECT_EQ(world_.call("POST", target, "alice", long_id).json().at("field"), "participantId");
}

TEST(StudyApiAlone, ServerWithoutStudies_SaysSo) {
  World world;
  EXPECT_EQ(world.call("GET", "/v1/studies", "alice").status(), 404);
  EXPECT_EQ(world.call("GET", "/v1/studies/s-20260213-001/log", "alice").status(), 404);
  EXPECT_TRUE(world.call("GET", "/v1/study-kit", "alice").json().at("studies").as_array().empty());
}

}  // namespace
}  // namespace parley::api
