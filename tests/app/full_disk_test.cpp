// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "base/core/entropy.h"
#include "base/core/id.h"
#include "base/core/temp_folder.h"
#include "program.h"
#include "small_disk.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFullDiskToken = "test-token-of-the-full-disk";

// A server with a data directory on a disk of 8 MiB, and no limit of its own. A user who may not
// mount has no such disk: then the tests of the store (DiskFault_*) and of StartFailure remain.
class FullDisk : public ::testing::Test {
 protected:
  FullDisk() {
    std::filesystem::create_directory(dir_.file("data"));
    disk_.emplace(dir_.file("data"), "8m");
  }
  // False is told.
  bool has_disk() const {
    if (!disk_->mounted()) std::cerr << "NOT RUN: this user may not mount a file system here\n";
    return disk_->mounted();
  }
  std::vector<std::string> flags() const {
    return {"--listen", "127.0.0.1:0", "--data",       dir_.file("data"),  "--shards",
            "1",        "--token",     kFullDiskToken, "--store-min-free", "0"};
  }
  static int ready(const Server& server) { return server.call("GET", "/readyz", "").status; }
  static int ask(const Server& server, int number) {
    return server
        .call("POST", "/v1/interactions", kFullDiskToken,
              R"({"key":"k)" + std::to_string(number) + R"(","prompt":{"text":")" +
                  std::string(100'000, 'x') + R"("}})")
        .status;
  }

  core::TempFolder dir_;
  std::optional<SmallDisk> disk_;
};

TEST_F(FullDisk, WithoutLimit_IsToldByReadiness) {
  if (!has_disk()) return;
  const Server server(dir_, flags());
  ASSERT_EQ(ask(server, 0), 201);
  EXPECT_EQ(ready(server), 200);
  disk_->fill();
  // The log has room for some until it must grow.
  int number = 1;
  while (ask(server, number) == 201) ASSERT_LT(++number, 200);
  const auto told = server.call("GET", "/readyz", "");
  EXPECT_EQ(told.status, 503);
  EXPECT_THAT(told.body, HasSubstr("The server cannot store anything"));
  disk_->free_again();
  const auto give_up = in_ms(kPatience);
  while (ready(server) != 200) ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  EXPECT_EQ(ask(server, number + 1), 201);
}

TEST_F(FullDisk, Start_IsRefusedWithRemedy) {
  if (!has_disk()) return;
  {
    Server server(dir_, flags());
    server.signal(SIGTERM);
    ASSERT_EQ(server.wait(), 0);
  }
  disk_->fill();
  std::vector<std::string> again = flags();
  again.insert(again.begin(), "serve");
  const Ran ran = run(dir_, again);
  EXPECT_EQ(ran.status, 8);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("is full."), HasSubstr("Free space on it")));
}

// A PostgreSQL on a small disk. What fails first there is its own business: the growth of a table,
// which refuses a commit, or that of its log, which ends the server until there is space.
class FullDiskOfDatabase : public ::testing::Test {
 protected:
  FullDiskOfDatabase() {
    std::filesystem::create_directory(dir_.file("disk"));
    disk_.emplace(dir_.file("disk"), "160m");
    if (!disk_->mounted()) {
      std::cerr << "NOT RUN: this user may not mount a file system here\n";
      return;
    }
    // The server runs as another user, if this one is root.
    for (const std::string& folder : {dir_.path(), dir_.file("disk")}) {
      std::filesystem::permissions(folder, std::filesystem::perms(0755));
    }
    const char* const before = ::getenv("TMPDIR");
    ::setenv("TMPDIR", dir_.file("disk").c_str(), 1);
    postgres_.emplace();
    before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before, 1);
  }
  std::vector<std::string> flags() {
    return {"--listen", "127.0.0.1:0",  "--data",      dir_.file("data"),
            "--token",  kFullDiskToken, "--store-url", postgres_->new_database()};
  }
  // A question of 100,000 bytes that compress badly.
  auto ask(const Server& server, int number) {
    return server.start("POST", "/v1/interactions", kFullDiskToken,
                        R"({"key":"k)" + std::to_string(number) + R"(","prompt":{"text":")" +
                            core::random_hex(entropy_, 50'000) + R"("}})");
  }
  // Waits for a state of the server: false, if it never comes.
  static bool becomes(const Server& server, int readiness) {
    const auto give_up = in_ms(3 * kPatience);
    while (server.call("GET", "/readyz", "").status != readiness) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      ::usleep(5'000);
    }
    return true;
  }

  core::TempFolder dir_;
  core::SeededEntropy entropy_{1};
  std::optional<SmallDisk> disk_;
  std::optional<sql::PrivatePostgres> postgres_;
};

TEST_F(FullDiskOfDatabase, AcknowledgedStays_AllGoesOnWithSpace) {
  if (!postgres_) return;
  const Server server(dir_, flags());
  std::vector<std::unique_ptr<conformance::HttpExchange>> asked;
  asked.push_back(ask(server, 0));
  ASSERT_EQ(asked.front()->head(in_ms(kPatience))->status, 201);
  disk_->fill();
  while (server.call("GET", "/readyz", "").status == 200) {
    ASSERT_LT(asked.size(), 1'000U);
    asked.push_back(ask(server, static_cast<int>(asked.size())));
  }
  disk_->free_again();
  ASSERT_TRUE(becomes(server, 200));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto head = asked[i]->head(in_ms(kPatience));
    ASSERT_TRUE(head) << head.error().message;
    const int found =
        server.call("GET", "/v1/interactions/k" + std::to_string(i), kFullDiskToken).status;
    EXPECT_EQ(found, head->status == 201 ? 200 : 404) << i << " was answered " << head->status;
  }
  const auto last = ask(server, static_cast<int>(asked.size()));
  EXPECT_EQ(last->head(in_ms(kPatience))->status, 201);
}

}  // namespace
}  // namespace parley::tests
