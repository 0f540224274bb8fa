// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The data directory of the real program: permissions of its files, and messages about damaged
// ones.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/core/temp_folder.h"
#include "base/sql/database.h"
#include "program.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kDirectoryToken = "a-token-of-the-directory-test";
constexpr const char* kFiles[] = {"events.db",  "tokens.db",  "accounts.db", "runs.db",
                                  "loom.db",    "chat.db",    "comfyui.db",  "front_end.db",
                                  "studies.db", "booking.db", "notify.db"};

std::vector<std::string> directory_flags(const core::TempFolder& dir) {
  return {"--listen", "127.0.0.1:0", "--data", dir.file("data"), "--token", kDirectoryToken};
}

Ran serve(const core::TempFolder& dir) {
  std::vector<std::string> arguments = directory_flags(dir);
  arguments.insert(arguments.begin(), "serve");
  return run(dir, arguments);
}

Ran doctor(const core::TempFolder& dir) { return run(dir, {"doctor", "--data", dir.file("data")}); }

// Runs a server and stops it in order.
void live_once(const core::TempFolder& dir) {
  Server server(dir, directory_flags(dir));
  server.signal(SIGTERM);
  ASSERT_EQ(server.wait(), 0);
}

std::vector<std::string> open_to_others(const std::string& folder) {
  std::vector<std::string> open;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if ((mode_of(entry.path().string()) & 077U) != 0) open.push_back(entry.path().string());
  }
  return open;
}

// The line of a figure of /metrics as soon as it is 0, at the latest after kPatience.
std::string line_when_zero(const Server& server, const std::string& name) {
  const auto end = in_ms(kPatience);
  while (true) {
    const std::string all = server.call("GET", "/metrics", "").body;
    const auto at = all.find("\n" + name + " ");
    std::string line = all.substr(at + 1, all.find('\n', at + 1) - at - 1);
    if (line == name + " 0" || std::chrono::steady_clock::now() > end) return line;
    std::this_thread::yield();
  }
}

TEST(DataDirectory, EveryFile_IsPrivateWhateverUmask) {
  const core::TempFolder dir;
  const Umask open_to_all(0);
  Server server(dir, directory_flags(dir));
  server.call("POST", "/v1/interactions", kDirectoryToken,
              R"({"key":"k","prompt":{"text":"Go?"}})");
  server.call("POST", "/v1/studies", kDirectoryToken, R"({"relay_session":"r","study_id":"s"})");
  EXPECT_EQ(mode_of(dir.file("data")), 0700U);
  EXPECT_THAT(open_to_others(dir.file("data")), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(dir.file("data/events.db-wal")));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(open_to_others(dir.file("data")), IsEmpty());
}

TEST(DataDirectory, DirectoryReadableByOthers_IsClosedAndTold) {
  const core::TempFolder dir;
  live_once(dir);
  ASSERT_EQ(::chmod(dir.file("data").c_str(), 0755), 0);
  ASSERT_EQ(::chmod(dir.file("data/events.db").c_str(), 0644), 0);
  EXPECT_THAT(doctor(dir).out,
              AllOf(HasSubstr("can be read by other users"), HasSubstr("events.db")));
  Server server(dir, directory_flags(dir));
  EXPECT_EQ(mode_of(dir.file("data")), 0700U);
  EXPECT_EQ(mode_of(dir.file("data/events.db")), 0600U);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(server.errors(), HasSubstr("could be read by others"));
}

TEST(DataDirectory, ForeignFolderReadableByOthers_IsRefused) {
  const core::TempFolder dir;
  ASSERT_EQ(::mkdir(dir.file("data").c_str(), 0700), 0);
  std::ofstream(dir.file("data/recipes.txt")) << "soup";
  ASSERT_EQ(::chmod(dir.file("data").c_str(), 0755), 0);
  const Ran refused = serve(dir);
  EXPECT_EQ(refused.status, 8);
  EXPECT_THAT(refused.errors, HasSubstr("chmod 700"));
  EXPECT_EQ(mode_of(dir.file("data")), 0755U);
}

TEST(DataDirectory, Garbage_IsNamedByServerAndDoctor) {
  for (const std::string file : kFiles) {
    SCOPED_TRACE(file);
    const core::TempFolder dir;
    live_once(dir);
    for (const char* beside : {"-wal", "-shm"}) {
      std::filesystem::remove(dir.file("data/" + file + beside));
    }
    std::ofstream(dir.file("data/" + file)) << std::string(20'000, 'x');
    const Ran refused = serve(dir);
    EXPECT_EQ(refused.status, 8);
    EXPECT_THAT(refused.errors, HasSubstr("The file " + file + " failed: file is not a database"));
    EXPECT_THAT(refused.errors, Not(HasSubstr("in use")));
    const Ran examined = doctor(dir);
    EXPECT_EQ(examined.status, 8);
    EXPECT_THAT(examined.out, AllOf(HasSubstr("FAULT    " + file), HasSubstr("from a backup")));
  }
}

TEST(DataDirectory, FileOfNewerVersion_IsNamed) {
  for (const std::string file : kFiles) {
    SCOPED_TRACE(file);
    const core::TempFolder dir;
    live_once(dir);
    {
      auto database = sql::Database::open(dir.file("data/" + file), sql::OpenMode::read_write);
      ASSERT_TRUE(database);
      ASSERT_TRUE(database->execute("PRAGMA user_version = 99"));
    }
    const Ran refused = serve(dir);
    EXPECT_EQ(refused.status, 8);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("A newer Parley wrote"), HasSubstr(file)));
    EXPECT_THAT(refused.errors, Not(HasSubstr("in use")));
    const Ran examined = doctor(dir);
    EXPECT_EQ(examined.status, 8);
    EXPECT_THAT(examined.out,
                AllOf(HasSubstr("FAULT    " + file), HasSubstr("Start that version")));
  }
}

TEST(DataDirectory, FileOfOlderVersion_IsMigratedByCommand) {
  const core::TempFolder dir;
  const auto migrate = [&dir](std::vector<std::string> words) {
    words.insert(words.begin(), {"migrate", "--data", dir.file("data")});
    return run(dir, words);
  };
  EXPECT_EQ(migrate({}).status, 0) << "there is nothing yet";
  live_once(dir);
  {
    auto database = sql::Database::open(dir.file("data/front_end.db"), sql::OpenMode::read_write);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute("DROP TABLE file_parts; PRAGMA user_version = 1"));
  }
  const Ran checked = migrate({"--check"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.out, HasSubstr("version 1, this program knows 2"));
  EXPECT_EQ(migrate({"--check"}).out, checked.out) << "it changes nothing";
  const Ran migrated = migrate({});
  EXPECT_EQ(migrated.status, 0) << migrated.out;
  EXPECT_THAT(migrated.out, HasSubstr("version 2, migrated"));
  EXPECT_EQ(migrate({"--check"}).status, 0);
  const Server server(dir, directory_flags(dir));
  const Ran busy = migrate({});
  EXPECT_EQ(busy.status, 6);
  EXPECT_THAT(busy.errors, HasSubstr("is in use"));
  EXPECT_EQ(migrate({"--check"}).status, 0);
}

TEST(DataDirectory, UnknownDatabase_IsTold) {
  const core::TempFolder dir;
  live_once(dir);
  std::ofstream(dir.file("data/recipes.db")) << "soup";
  const Ran examined = doctor(dir);
  EXPECT_EQ(examined.status, 0);
  EXPECT_THAT(examined.out, HasSubstr("recipes.db"));
}

TEST(Memory, UnwatchedRunsAndQuestions_LeaveNoSession) {
  const core::TempFolder dir;
  const Server server(dir, directory_flags(dir));
  for (int i = 0; i < 10; ++i) {
    const auto run =
        server.call("POST", "/v1/runs", kDirectoryToken, R"({"message":"Say hello."})");
    EXPECT_EQ(run.status / 100, 2) << run.body;
  }
  for (int i = 0; i < 10; ++i) {
    const auto asked = server.call("POST", "/v1/interactions", kDirectoryToken,
                                   R"({"prompt":{"text":"Go?","timeout_s":1}})");
    EXPECT_EQ(asked.status / 100, 2) << asked.body;
  }
  EXPECT_EQ(line_when_zero(server, "parley_interactions_pending"), "parley_interactions_pending 0");
  EXPECT_EQ(line_when_zero(server, "parley_sessions"), "parley_sessions 0");
}

}  // namespace
}  // namespace parley::tests
