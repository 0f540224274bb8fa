// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The relay with the real study service: contents of the log files (decision 5; fault 8 of section
// 6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/core/temp_folder.h"
#include "services/study/sqlite_study_service.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/external_agent/relay_fixture.h"

namespace parley::external_agent {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

class RelayLog : public testing::Test {
 protected:
  RelayLog() : server({}, 1, [this](RelayServer& created) { return make(created); }) {}

  std::unique_ptr<study::StudyService> make(RelayServer& created) {
    study::StudyOptions options;
    options.data_dir = directory.path();
    auto service = study::SqliteStudyService::open(options, *created.hub, created.store,
                                                   created.schedulers[0], created.schedulers[0]);
    EXPECT_TRUE(service.has_value());
    return service ? std::move(*service) : nullptr;
  }
  std::vector<std::string> lines(const std::string& file) {
    std::ifstream in(directory.path() + "/" + file);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
  // "0 internal study.opened": index, direction and type of every line.
  std::vector<std::string> steps(const std::string& file) {
    std::vector<std::string> out;
    for (const std::string& line : lines(file)) {
      const std::string direction = part(line, "direction");
      const std::string type = part(line, "type");
      out.push_back(part(line, "eventIndex") + " " + direction.substr(1, direction.size() - 2) +
                    " " + type.substr(1, type.size() - 2));
    }
    return out;
  }
  // The text of a raw JSON string.
  static std::string text_of(const std::string& raw) {
    return raw.size() < 2 ? std::string() : decode_json_string(raw);
  }
  static void answer(Peer& host, std::string_view type, std::string_view payload) {
    host.reply(type, part(host.take_one(), "id"), payload);
  }

  core::TempFolder directory;
  RelayServer server;
};

TEST_F(RelayLog, Log_IsWholeWhenEndIsTold) {
  Peer host(server);
  Peer agent(server);
  host.join("host");
  agent.join("agent");
  host.take();
  agent.say("session.start", R"({"studyId":"pilot","participantId":"P07"})", "\"a\"");
  answer(host, "session.started", "{}");
  const std::string id = text_of(part(agent.take_one(), "payload.sessionId"));
  EXPECT_THAT(id, StartsWith("s-20231114-"));
  agent.say("tool.call", R"({"toolName":"next","reason":"go on"})", "7");
  answer(host, "tool.result", R"({"ok":true,"toolName":"next"})");
  agent.take();
  agent.say("session.end", R"({"reason":"study-complete"})");
  answer(host, "session.ended", R"({"stateReset":true})");
  const std::string file = text_of(part(agent.take_one(), "payload.logFile"));
  EXPECT_EQ(file, "logs/study/" + id + ".jsonl");
  EXPECT_THAT(
      steps(file),
      ElementsAre("0 internal study.opened", "1 internal relay.join", "2 internal relay.join",
                  "3 in session.start", "4 out session.start", "5 in session.started",
                  "6 out session.started", "7 in tool.call", "8 out tool.call", "9 in tool.result",
                  "10 out tool.result", "11 in session.end", "12 out session.end",
                  "13 in session.ended", "14 out session.ended", "15 internal study.closed"));
  const std::vector<std::string> all = lines(file);
  ASSERT_EQ(all.size(), 16U);
  EXPECT_EQ(part(all[7], "sessionId"), "\"" + id + "\"");
  EXPECT_EQ(part(all[7], "payload"), R"({"toolName":"next","reason":"go on"})");
  EXPECT_EQ(part(all[7], "id"), "7");
  EXPECT_EQ(part(all[10], "replyTo"), "7");
  EXPECT_EQ(part(all[10], "payload"), R"({"delivered":1,"payload":{"ok":true,"toolName":"next"}})");
  EXPECT_THAT(part(all[7], "timestamp"), EndsWith("Z\""));
}

TEST_F(RelayLog, Log_AfterRestart_HasNoGap) {
  std::string id;
  {
    Peer host(server);
    Peer agent(server);
    host.join("host");
    agent.join("agent");
    host.take();
    agent.say("session.start", R"({"studyId":"pilot","participantId":"P07"})", "1");
    answer(host, "session.started", "{}");
    id = text_of(part(agent.take_one(), "payload.sessionId"));
  }
  server.restart();
  Peer host(server);
  Peer agent(server);
  host.join("host");
  agent.join("agent");
  host.take();
  agent.say("session.start", R"({"studyId":"pilot","participantId":"P07"})", "1");
  answer(host, "session.started", "{}");
  EXPECT_EQ(text_of(part(agent.take_one(), "payload.sessionId")), id);
  agent.say("session.end", "{}");
  answer(host, "session.ended", R"({"stateReset":true})");
  const std::vector<std::string> all = steps(text_of(part(agent.take_one(), "payload.logFile")));
  ASSERT_EQ(all.size(), 20U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_THAT(all[i], StartsWith(std::to_string(i) + " "));
  }
  EXPECT_THAT(all.back(), EndsWith("study.closed"));
}

TEST_F(RelayLog, ImplicitSessions_HaveOwnLogs) {
  for (int round = 0; round < 2; ++round) {
    Peer host(server);
    Peer agent(server);
    host.join("host");
    agent.join("agent");
    agent.say("agent.message", R"({"text":"a"})");
    host.hang_up();
    agent.hang_up();
    server.advance(core::Millis(31'000));
    EXPECT_EQ(server.relay_sessions(), 0U);
  }
  EXPECT_EQ(steps("logs/study/s-20231114-001.jsonl").size(),
            steps("logs/study/s-20231114-002.jsonl").size());
  EXPECT_THAT(steps("logs/study/s-20231114-002.jsonl").back(), EndsWith("study.closed"));
}

}  // namespace
}  // namespace parley::external_agent
