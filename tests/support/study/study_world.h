// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/json.hpp>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/temp_folder.h"
#include "model/session/hub.h"
#include "services/study/sqlite_study_service.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/event/store_fixture.h"

// A whole study service on one thread, with a fake clock. For tests.
namespace parley::study::testing {

inline boost::json::value parsed(const std::string& text) { return boost::json::parse(text); }

// Simulates a full disk: until destruction, files of this process cannot grow beyond a size.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit before_{};
  void (*old_handler_)(int) = nullptr;
};

class StudyWorld {
 public:
  StudyWorld() = default;

  core::FakeClock& clock() { return clock_; }
  StudyOptions& options() { return options_; }
  event::MemorySessionStore& memory() { return store_; }
  SqliteStudyService& service() { return *service_; }
  session::Hub& hub() { return *hub_; }
  core::FakeScheduler& scheduler() { return *scheduler_; }

  // Creates hub and service again, as after a restart of the server.
  void start() {
    scheduler_ = std::make_unique<core::FakeScheduler>(clock_);
    std::vector<std::unique_ptr<session::Shard>> shards;
    shards.push_back(
        std::make_unique<session::Shard>(*scheduler_, entropy_, store_, session::SessionLimits{}));
    hub_ = std::make_unique<session::Hub>(std::move(shards));
    options_.data_dir = directory_.path();
    auto service = SqliteStudyService::open(options_, *hub_, store_, *scheduler_, *scheduler_);
    ASSERT_TRUE(service.has_value()) << service.error().message;
    service_ = std::move(*service);
  }
  // Destroys service and hub as a killed server: pending work is dropped.
  void kill(std::unique_ptr<Recorder> recorder) {
    recorder.reset();
    service_.reset();
    hub_.reset();
  }
  ~StudyWorld() {
    if (scheduler_) settle();
    service_.reset();
    hub_.reset();
  }

  void settle() { scheduler_->run_ready(); }
  void advance(core::Millis by) { scheduler_->advance(by); }

  static StudyStart start_of(std::string relay_session) {
    StudyStart start;
    start.owner = "owner";
    start.relay_session = std::move(relay_session);
    return start;
  }
  core::Result<std::unique_ptr<Recorder>> try_open(StudyStart start) {
    return wait<std::unique_ptr<Recorder>>(
        [&](auto done) { service_->open(std::move(start), *scheduler_, std::move(done)); });
  }
  std::unique_ptr<Recorder> open(StudyStart start) {
    auto recorder = try_open(std::move(start));
    EXPECT_TRUE(recorder.has_value()) << recorder.error().message;
    return recorder ? std::move(*recorder) : nullptr;
  }
  std::unique_ptr<Recorder> open(const std::string& relay_session = "default") {
    return open(start_of(relay_session));
  }
  std::unique_ptr<Recorder> resume(const std::string& relay_session = "default") {
    auto recorder = wait<std::unique_ptr<Recorder>>(
        [&](auto done) { service_->resume("owner", relay_session, *scheduler_, std::move(done)); });
    EXPECT_TRUE(recorder.has_value()) << recorder.error().message;
    return recorder ? std::move(*recorder) : nullptr;
  }
  core::Result<Study> close(std::unique_ptr<Recorder> recorder, StudyEnd end) {
    return wait<Study>(
        [&](auto done) { service_->close(std::move(recorder), std::move(end), std::move(done)); });
  }
  core::Result<void> flush(Recorder& recorder) {
    return wait<void>([&](auto done) { recorder.flush(std::move(done)); });
  }
  core::Result<std::vector<Study>> list(const std::string& owner) {
    StudyQuery query;
    query.owner = owner;
    return wait<StudyPage>(
               [&](auto done) { service_->search(query, *scheduler_, std::move(done)); })
        .map([](StudyPage page) { return std::move(page.studies); });
  }
  core::Result<Study> find(const std::string& owner, const std::string& id) {
    return wait<Study>([&](auto done) { service_->find(owner, id, *scheduler_, std::move(done)); });
  }

  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  std::string log_path(const std::string& id) const { return path(log_name(id)); }
  std::vector<std::string> lines(const std::string& id) const {
    std::ifstream in(log_path(id));
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
  void write_log(const std::string& id, const std::string& text) const {
    std::ofstream(log_path(id), std::ios::binary | std::ios::trunc) << text;
  }

  // Calls `begin` with a `done`, runs all due tasks, and returns the result that `done` got.
  template <typename T, typename Start>
  core::Result<T> wait(Start begin) {
    std::optional<core::Result<T>> answer;
    begin(StudyService::Done<T>([&answer](core::Result<T> result) { answer = std::move(result); }));
    settle();
    if (answer) return std::move(*answer);
    ADD_FAILURE() << "nothing was answered";
    return core::fail(core::Code::deadline_exceeded, "Nothing was answered.");
  }

 private:
  core::TempFolder directory_;
  core::FakeClock clock_;
  core::SeededEntropy entropy_{7};
  event::MemorySessionStore store_;
  StudyOptions options_;
  std::unique_ptr<core::FakeScheduler> scheduler_;
  std::unique_ptr<session::Hub> hub_;
  std::unique_ptr<SqliteStudyService> service_;
};

}  // namespace parley::study::testing
