// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The real server in the middle of a study, killed at random moments and restarted, while a host
// page and an agent keep working. The number of kills is half of PARLEY_KILL_ROUNDS;
// PARLEY_KILL_SEED sets the moments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "base/core/entropy.h"
#include "base/core/temp_folder.h"
#include "base/sql/database.h"
#include "tests/kill/audit.h"
#include "tests/kill/study_load.h"
#include "tools/conformance/process.h"
#include "tools/conformance/server_process.h"
#include "tools/conformance/wire.h"

namespace parley::kill {
namespace {

namespace json = boost::json;
using conformance::in_ms;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kDefaultRounds = 5;
constexpr int kRoundsPerStudy = 10;
constexpr std::uint64_t kDefaultSeed = 20'260'213;
constexpr std::uint64_t kMostResultsPerRound = 4'000;
constexpr int kStartMs = 30'000;
constexpr int kRoundMs = 60'000;
constexpr core::Millis kLogPause{20};
constexpr const char* kToken = "kill-test-token";
constexpr int kLastRecords = 5;
constexpr int kStoreBusyMs = 500;

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

int rounds_to_do() {
  const auto wanted = static_cast<int>(setting("PARLEY_KILL_ROUNDS", 2ULL * kDefaultRounds));
  return std::max(1, wanted / 2);
}

std::string member(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

// Content of a study's file, read line by line.
struct StudyLog {
  std::vector<std::string> faults;
  std::multiset<std::string> results;  // markers of the tool.results that were sent
  std::string last_type;
  std::size_t lines = 0;
};

void take_line(StudyLog& log, const std::string& study, const std::string& line) {
  boost::system::error_code error;
  const json::value parsed = json::parse(line, error);
  const std::string name = "line " + std::to_string(log.lines);
  if (error || !parsed.is_object()) {
    log.faults.push_back(name + " is not JSON: " + line);
    return;
  }
  const json::object& record = parsed.get_object();
  if (member(record, "sessionId") != study) log.faults.push_back(name + " is of another study");
  const json::value* index = record.if_contains("eventIndex");
  if (index == nullptr || !index->is_int64() ||
      index->get_int64() != static_cast<std::int64_t>(log.lines)) {
    log.faults.push_back(name + " is not numbered " + std::to_string(log.lines));
  }
  for (const char* required : {"timestamp", "direction", "type"}) {
    if (member(record, required).empty()) log.faults.push_back(name + " has no " + required);
  }
  const json::value* payload = record.if_contains("payload");
  if (payload == nullptr || !payload->is_object()) {
    log.faults.push_back(name + " has no payload");
  } else if (member(record, "direction") == "in" && member(record, "type") == "tool.result") {
    log.results.insert(member(payload->get_object(), "marker"));
  }
  log.last_type = member(record, "type");
  ++log.lines;
}

StudyLog read_log(const std::string& data_dir, const std::string& study) {
  StudyLog log;
  std::ifstream file(data_dir + "/logs/study/" + study + ".jsonl");
  if (!file) log.faults.emplace_back("there is no log");
  std::string line;
  while (std::getline(file, line)) take_line(log, study, line);
  return log;
}

// The study of a data directory with a single log.
std::string only_study(const std::string& data_dir) {
  std::error_code error;
  const std::filesystem::directory_iterator logs(data_dir + "/logs/study", error);
  return logs == std::filesystem::directory_iterator() ? "" : logs->path().stem().string();
}

// A client that has joined the relay.
core::Result<std::unique_ptr<conformance::Wire>> joined_client(const conformance::Target& target,
                                                               const std::string& role) {
  conformance::WebSocketSettings settings;
  settings.path = std::string("/agent/ws?token=") + kToken;
  auto wire = conformance::open_websocket(target, settings, in_ms(kStartMs));
  if (!wire) return wire;
  conformance::Outgoing join;
  join.text =
      R"({"v":"mvp-0.2","type":"relay.join","id":"j","payload":{"role":")" + role + R"("}})";
  const auto joined = (*wire)->send(join, in_ms(kStartMs));
  if (!joined) return core::fail(joined.error());
  const auto told = (*wire)->receive(in_ms(kStartMs));
  if (!told) return core::fail(told.error());
  return wire;
}

class StudyKillTest : public testing::Test {
 public:
  ~StudyKillTest() override { server_.reset(); }

 protected:
  StudyKillTest() : data_(home_.file("data")) {
    server_.emplace(std::vector<std::string>{PARLEY_SERVER, "serve", "--listen",
                                             "127.0.0.1:${port}", "--data", data_, "--token",
                                             kToken});
  }

  void start_server() {
    const auto started = server_->start(in_ms(kStartMs));
    ASSERT_TRUE(started) << started.error().message;
  }

  // Lets the study run for a while, kills the server, and records the markers that the log must
  // have: a result may reach the agent before its record is durable, which the file shows.
  void work_and_kill(StudyLoad& load, const std::string& study) {
    const std::size_t before = load.seen().size();
    const std::size_t more = 1 + random_.next_u64() % kMostResultsPerRound;
    ASSERT_TRUE(load.wait_for_results(before + more, in_ms(kRoundMs)))
        << "the study does not go on: " << server_->errors();
    const SeenResult last = load.seen().back();
    ASSERT_TRUE(comes_into_log(study, R"("marker":")" + last.marker + '"')) << last.marker;
    const auto killed = server_->kill_now();
    ASSERT_TRUE(killed) << killed.error().message;
    owe(load, last.at + std::chrono::nanoseconds(1));
  }

  // Stops the server with SIGTERM: no record may be lost.
  void stop_server() {
    const auto stopped = server_->stop(in_ms(kRoundMs));
    ASSERT_TRUE(stopped) << stopped.error().message;
    EXPECT_THAT(server_->errors(), Not(HasSubstr("not stored")));
  }

  // The log must have each result that the agent received from this run of the server before
  // `until`.
  void owe(const StudyLoad& load, core::MonoTime until) {
    for (const SeenResult& each : load.seen()) {
      if (each.at > last_start_ && each.at < until) owed_.insert(each.marker);
    }
  }

  // Ends the study, kills the server at once, and checks the files that it left.
  void end_and_examine(StudyLoad& load, const std::string& study) {
    load.rest();
    owe(load, clock_.mono());
    const auto ended = load.end_study();
    const auto killed = server_->kill_now();
    ASSERT_TRUE(killed) << killed.error().message;
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(ended->study, study) << "the study goes on under its id";
    EXPECT_EQ(ended->log_file, "logs/study/" + study + ".jsonl");
    examine(study);
    owed_.clear();
  }

  void examine(const std::string& study) {
    const StudyLog log = read_log(data_, study);
    EXPECT_THAT(log.faults, IsEmpty());
    EXPECT_EQ(log.last_type, "study.closed") << "session.ended was told, so the log is whole";
    std::vector<std::string> missing;
    std::set_difference(owed_.begin(), owed_.end(), log.results.begin(), log.results.end(),
                        std::back_inserter(missing));
    EXPECT_THAT(missing, IsEmpty())
        << "the log had the last of these results before the server was killed";
    std::vector<std::string> twice;
    for (const std::string& marker : log.results) {
      if (log.results.count(marker) > 1) twice.push_back(marker);
    }
    EXPECT_THAT(twice, IsEmpty());
    lines_ += log.lines;
    owed_in_all_ += owed_.size();
    verify(study);
    EXPECT_THAT(audit(data_, {}), IsEmpty());
  }

  // Sends a message of the agent and waits until the host receives it.
  static void pass_on(conformance::Wire& agent, conformance::Wire& host, const std::string& text) {
    conformance::Outgoing said;
    said.text = R"({"v":"mvp-0.2","type":"agent.message","id":")" + text +
                R"(","payload":{"text":")" + text + R"("}})";
    ASSERT_TRUE(agent.send(said, in_ms(kStartMs)));
    for (std::string seen; seen.find("\"" + text + "\"") == std::string::npos;) {
      const auto received = host.receive(in_ms(kStartMs));
      ASSERT_TRUE(received) << received.error().message;
      ASSERT_EQ(received->kind, conformance::Received::Kind::message);
      seen = received->bytes;
    }
  }

  // The content of a log from a position on. An empty name: that of the only study.
  std::string log_from(const std::string& study, std::streamoff begin) const {
    const std::string name = study.empty() ? only_study(data_) : study;
    std::ifstream file(data_ + "/logs/study/" + name + ".jsonl");
    std::string text;
    file.seekg(begin);
    std::getline(file, text, '\0');
    return text;
  }
  bool is_in_log(const std::string& study, const std::string& text) const {
    return log_from(study, 0).find(text) != std::string::npos;
  }
  bool comes_into_log(const std::string& study, const std::string& text) const {
    const auto end = in_ms(kRoundMs);
    std::streamoff begin = 0;
    while (std::chrono::steady_clock::now() < end) {
      const std::string added = log_from(study, begin);
      if (added.find(text) != std::string::npos) return true;
      // The text may be cut at the end.
      if (added.size() > text.size())
        begin += static_cast<std::streamoff>(added.size() - text.size());
      std::this_thread::sleep_for(kLogPause);
    }
    return false;
  }

  // `parley study verify`, which researchers use, must agree.
  void verify(const std::string& study) {
    auto process =
        conformance::Process::start({{PARLEY_SERVER, "study", "verify", study, "--data", data_}});
    ASSERT_TRUE(process) << process.error().message;
    std::string said;
    while (true) {
      const auto more = (*process)->read_some(said, in_ms(kStartMs));
      if (!more || !*more) break;
    }
    const auto status = (*process)->wait(in_ms(kStartMs));
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_EQ(*status, 0) << said << (*process)->errors();
  }

  core::TempFolder home_{"parley-study-kill"};
  std::string data_;
  core::SystemClock clock_;
  core::SeededEntropy random_{setting("PARLEY_KILL_SEED", kDefaultSeed)};
  std::optional<conformance::ServerProcess> server_;
  std::set<std::string> owed_;  // markers that this study's log must have
  core::MonoTime last_start_{};
  std::size_t lines_ = 0;
  std::size_t owed_in_all_ = 0;
};

TEST_F(StudyKillTest, RepeatedKills_KeepStudyIdAndWholeLog) {
  const int rounds = rounds_to_do();
  ASSERT_NO_FATAL_FAILURE(start_server());
  const auto server = agent_client::ServerUrl::parse(server_->url());
  ASSERT_TRUE(server);
  StudyLoad load(*server, kToken);
  for (int done = 0; done < rounds;) {
    SCOPED_TRACE("after " + std::to_string(done) + " kills");
    ASSERT_TRUE(load.wait_until_joined(in_ms(kRoundMs)));
    const auto study = load.start_study("P" + std::to_string(done));
    ASSERT_TRUE(study) << study.error().message;
    load.begin();
    for (int round = 0; round < kRoundsPerStudy && done < rounds; ++round, ++done) {
      SCOPED_TRACE("kill " + std::to_string(done));
      ASSERT_NO_FATAL_FAILURE(work_and_kill(load, *study));
      last_start_ = clock_.mono();
      ASSERT_NO_FATAL_FAILURE(start_server());
      ASSERT_TRUE(load.wait_until_joined(in_ms(kRoundMs))) << "they do not come back";
    }
    ASSERT_NO_FATAL_FAILURE(end_and_examine(load, *study));
    last_start_ = clock_.mono();
    ASSERT_NO_FATAL_FAILURE(start_server());
  }
  EXPECT_GT(owed_in_all_, 0U) << "nothing was looked for";
  std::cout << rounds << " kills, " << load.seen().size() << " results seen, " << owed_in_all_
            << " of them owed, " << lines_ << " records in the logs\n";
}

TEST_F(StudyKillTest, StoppedServer_WritesToldRecords) {
  ASSERT_NO_FATAL_FAILURE(start_server());
  const auto server = agent_client::ServerUrl::parse(server_->url());
  ASSERT_TRUE(server);
  StudyLoad load(*server, kToken);
  ASSERT_TRUE(load.wait_until_joined(in_ms(kRoundMs)));
  const auto study = load.start_study("P-stop");
  ASSERT_TRUE(study) << study.error().message;
  load.begin();
  ASSERT_TRUE(load.wait_for_results(kMostResultsPerRound, in_ms(kRoundMs)));
  ASSERT_NO_FATAL_FAILURE(stop_server());
  owe(load, clock_.mono());
  const StudyLog log = read_log(data_, *study);
  EXPECT_THAT(log.faults, IsEmpty());
  EXPECT_TRUE(std::ranges::includes(log.results, owed_)) << "records are missing";
}

// The store is blocked while the last records arrive, so that a server that does not wait for it
// loses them for certain.
TEST_F(StudyKillTest, LastRecords_AreWrittenOnShutdown) {
  ASSERT_NO_FATAL_FAILURE(start_server());
  const auto target = conformance::Target::parse(server_->url());
  ASSERT_TRUE(target);
  auto host = joined_client(*target, "host");
  ASSERT_TRUE(host) << host.error().message;
  auto agent = joined_client(*target, "agent");
  ASSERT_TRUE(agent) << agent.error().message;
  ASSERT_NO_FATAL_FAILURE(pass_on(**agent, **host, "first"));
  ASSERT_TRUE(comes_into_log("", R"("first")"));

  auto busy = sql::Database::open(data_ + "/events.db", sql::OpenMode::read_write);
  ASSERT_TRUE(busy) << busy.error().message;
  busy->set_busy_timeout(kStartMs);
  ASSERT_TRUE(busy->execute("BEGIN IMMEDIATE"));
  for (int i = 0; i < kLastRecords; ++i) {
    ASSERT_NO_FATAL_FAILURE(pass_on(**agent, **host, "last-" + std::to_string(i)));
  }
  agent->reset();
  host->reset();
  std::thread let_go([&busy] {
    // Long enough for a server that does not wait to close its logs.
    ::poll(nullptr, 0, kStoreBusyMs);
    EXPECT_TRUE(busy->execute("ROLLBACK"));
  });
  stop_server();
  let_go.join();
  const std::string study = only_study(data_);
  EXPECT_THAT(read_log(data_, study).faults, IsEmpty());
  for (int i = 0; i < kLastRecords; ++i) {
    EXPECT_TRUE(is_in_log(study, "\"last-" + std::to_string(i) + '"')) << i;
  }
  verify(study);
}

}  // namespace
}  // namespace parley::kill
