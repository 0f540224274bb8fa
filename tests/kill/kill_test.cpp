// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/temp_folder.h"
#include "base/sql/database.h"
#include "model/event/sqlite_session_store.h"
#include "tests/kill/audit.h"
#include "tests/support/event/store_fixture.h"

namespace parley::kill {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kDefaultRounds = 40;
constexpr std::uint64_t kSeed = 20'260'101;
constexpr std::chrono::seconds kPatience{60};  // for one acknowledgement

int rounds() {
  const char* text = std::getenv("PARLEY_KILL_ROUNDS");
  return text == nullptr ? kDefaultRounds : std::atoi(text);
}

// A child process whose standard output is read here.
class Child {
 public:
  Child(const std::string& data_dir, const std::string& life) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl(PARLEY_KILL_STORE_CHILD, PARLEY_KILL_STORE_CHILD, data_dir.c_str(), life.c_str(),
              nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    out_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) kill_and_wait();
    if (out_ >= 0) ::close(out_);
  }

  // Reads until at least `lines` more lines have come. False: they do not come, or the child ends.
  bool read_lines(std::size_t lines) {
    const std::size_t wanted = lines_ + lines;
    while (lines_ < wanted) {
      pollfd ready{out_, POLLIN, 0};
      const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience).count();
      if (::poll(&ready, 1, static_cast<int>(ms)) != 1 || !read_some()) return false;
    }
    return true;
  }

  // Kills the child, then reads the lines written before: they were acknowledged.
  std::string kill_and_wait() {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
    while (read_some()) continue;
    return text_;
  }

 private:
  bool read_some() {
    std::array<char, 4'096> bytes{};
    const ssize_t got = ::read(out_, bytes.data(), bytes.size());
    if (got <= 0) return false;
    for (ssize_t i = 0; i < got; ++i) lines_ += bytes[static_cast<std::size_t>(i)] == '\n' ? 1 : 0;
    text_.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
  }

  pid_t pid_ = -1;
  int out_ = -1;
  std::size_t lines_ = 0;
  std::string text_;
};

// Acknowledgements of all children so far.
class Record {
 public:
  void add(const std::string& text) {
    std::istringstream lines(text);
    std::string what;
    std::string session;
    while (lines >> what >> session) {
      if (what == "event") {
        ExpectedEvent event{session, 0, ""};
        lines >> event.seq >> event.marker;
        expected_.events.push_back(std::move(event));
        continue;
      }
      std::string key;
      lines >> key;
      // Opened and acknowledged: an unacknowledged closing may have been stored too.
      auto& states = interactions_[{session, key}];
      states = what == "closed" ? std::vector<std::string>{"answered"}
                                : std::vector<std::string>{"pending", "answered"};
    }
  }

  Expectations expectations() const {
    Expectations all = expected_;
    for (const auto& [name, states] : interactions_) {
      all.interactions.push_back({name.first, name.second, states});
    }
    return all;
  }

 private:
  Expectations expected_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> interactions_;
};

TEST(KillTest, StoreKilledAnytime_LosesNothingAcknowledged) {
  core::TempFolder directory;
  core::SeededEntropy random(kSeed);
  std::size_t acknowledged = 0;
  Record record;
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    // A new directory every ten rounds: a kill must also hit the creation of the file.
    const std::string data_dir = directory.path() + "/data-" + std::to_string(round / 10);
    if (round % 10 == 0) record = Record();
    Child child(data_dir, "life" + std::to_string(round));
    const std::size_t lines = random.next_u64() % 300;
    ASSERT_TRUE(child.read_lines(lines)) << "the child did not go on";
    record.add(child.kill_and_wait());
    const Expectations expected = record.expectations();
    acknowledged = expected.events.size();
    if (!std::filesystem::exists(event::store_path(data_dir))) {
      ASSERT_EQ(acknowledged, 0U);
      continue;
    }
    ASSERT_THAT(audit(data_dir, expected), IsEmpty());
  }
  EXPECT_GT(acknowledged, 0U);
}

// Tests that the audit finds each kind of fault.
class AuditTest : public testing::Test {
 protected:
  void SetUp() override {
    core::SystemClock clock;
    core::SystemEntropy entropy;
    event::StoreOptions options;
    options.place = directory_.path();
    auto store = event::SqliteSessionStore::open(options, clock, entropy);
    ASSERT_TRUE(store);
    event::StoreCaller caller(**store);
    for (std::uint64_t seq = 1; seq <= 3; ++seq) {
      const std::string payload = "<" + std::to_string(seq) + ">";
      event::Unit unit =
          seq == 2 ? event::asking_unit("s", "k", seq, payload) : event::unit_of("s", seq, payload);
      ASSERT_TRUE(caller.commit(std::move(unit)));
      expected_.events.push_back({"s", seq, "<" + std::to_string(seq) + ">"});
    }
    expected_.interactions.push_back({"s", "k", {"pending"}});
    (*store)->close();
  }
  std::vector<std::string> audit_after(const char* sql) {
    auto database =
        sql::Database::open(event::store_path(directory_.path()), sql::OpenMode::read_write);
    EXPECT_TRUE(database);
    EXPECT_TRUE(database->execute(sql));
    return audit(directory_.path(), expected_);
  }

  core::TempFolder directory_;
  Expectations expected_;
};

TEST_F(AuditTest, SoundStore_Passes) {
  EXPECT_THAT(audit(directory_.path(), expected_), IsEmpty());
}

TEST_F(AuditTest, MissingEvent_IsFound) {
  EXPECT_THAT(audit_after("DELETE FROM events WHERE seq = 3"),
              Contains(HasSubstr("s/3 is missing")));
}

TEST_F(AuditTest, DuplicateEvent_IsFound) {
  EXPECT_THAT(
      audit_after("INSERT INTO events (key, at, direction, type, payload)"
                  " SELECT key + 3, at, direction, type, payload FROM events WHERE seq = 1"),
      Contains(HasSubstr("s/1 is there twice")));
}

TEST_F(AuditTest, ReplacedEvent_IsFound) {
  EXPECT_THAT(audit_after("UPDATE events SET payload = '{}' WHERE seq = 1"),
              Contains(HasSubstr("s/1 is not the acknowledged one")));
}

TEST_F(AuditTest, LostOrChangedInteraction_IsFound) {
  EXPECT_THAT(audit_after("UPDATE interactions SET state = 'cancelled', closed_seq = 3"),
              Contains(HasSubstr("s/k is cancelled")));
  EXPECT_THAT(audit_after("DELETE FROM interactions"), Contains(HasSubstr("s/k is missing")));
}

}  // namespace
}  // namespace parley::kill
