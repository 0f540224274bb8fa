// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "base/core/temp_folder.h"
#include "program.h"
#include "small_disk.h"

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

}  // namespace
}  // namespace parley::tests
