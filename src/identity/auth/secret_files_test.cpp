// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/secret_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "base/core/private_files.h"
#include "base/core/temp_folder.h"
#include "tests/support/sql/store_test.h"

namespace parley::auth {
namespace {

using testing::HasSubstr;

constexpr std::array<std::string_view, 2> kFiles = {"some.key", "some.pem"};

std::string bytes_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SecretFilesTest : public sql::StoreTest {
 protected:
  // The data directory of a server on another machine.
  sql::StorePlace machine(const std::string& name) const {
    sql::StorePlace place = place_;
    place.data_dir = folder_.file(name);
    std::filesystem::create_directory(place.data_dir);
    return place;
  }
  static core::Result<void> share(const sql::StorePlace& place, const std::string& created) {
    return share_secret(place, kFiles, [&]() -> core::Result<void> {
      for (const std::string_view name : kFiles) {
        const std::string path = place.data_dir + "/" + std::string(name);
        if (std::filesystem::exists(path)) continue;
        PARLEY_TRY_VOID(core::write_private_file(path, created));
      }
      return {};
    });
  }
  static std::string key(const sql::StorePlace& place) {
    return bytes_in(place.data_dir + "/some.key");
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, SecretFilesTest, sql::each_engine(), sql::engine_name);

class SharedSecretTest : public SecretFilesTest {};
INSTANTIATE_TEST_SUITE_P(Engines, SharedSecretTest, testing::Values(sql::Engine::postgres),
                         sql::engine_name);

TEST_P(SecretFilesTest, Secret_IsMadeOnce) {
  const sql::StorePlace here = machine("a");
  const std::string bytes("\0made\xff\n", 7);
  ASSERT_TRUE(share(here, bytes));
  ASSERT_TRUE(share(here, "again"));
  EXPECT_EQ(key(here), bytes);
}

TEST_P(SharedSecretTest, SecretOfFirstServer_IsThatOfAll) {
  ASSERT_TRUE(share(machine("a"), "first"));
  const sql::StorePlace other = machine("b");
  ASSERT_TRUE(share(other, "second"));
  EXPECT_EQ(key(other), "first");
  EXPECT_EQ(bytes_in(other.data_dir + "/some.pem"), "first");
  struct stat info {};
  ASSERT_EQ(::stat((other.data_dir + "/some.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_P(SharedSecretTest, SecretOfDirectory_BecomesThatOfNewDatabase) {
  const sql::StorePlace here = machine("a");
  ASSERT_TRUE(core::write_private_file(here.data_dir + "/some.key", "old"));
  ASSERT_TRUE(share(here, "made"));
  const sql::StorePlace other = machine("b");
  ASSERT_TRUE(share(other, "second"));
  EXPECT_EQ(key(other), "old");
}

TEST_P(SharedSecretTest, FileThatDiffers_StaysBesideThatOfDatabase) {
  ASSERT_TRUE(share(machine("a"), "first"));
  const sql::StorePlace other = machine("b");
  ASSERT_TRUE(core::write_private_file(other.data_dir + "/some.key", "own"));
  ASSERT_TRUE(share(other, "second"));
  EXPECT_EQ(key(other), "first");
  EXPECT_EQ(bytes_in(other.data_dir + "/some.key.before"), "own");
}

TEST_P(SharedSecretTest, ServersThatStartAtOnce_HaveTheSame) {
  constexpr int kServers = 6;
  std::vector<sql::StorePlace> places;
  std::vector<std::thread> servers;
  for (int i = 0; i < kServers; ++i) places.push_back(machine(std::to_string(i)));
  for (int i = 0; i < kServers; ++i) {
    servers.emplace_back([&place = places.at(static_cast<std::size_t>(i)), i] {
      const core::Result<void> shared = share(place, "made by " + std::to_string(i));
      EXPECT_TRUE(shared) << shared.error().message;
    });
  }
  for (std::thread& server : servers) server.join();
  for (const sql::StorePlace& place : places) EXPECT_EQ(key(place), key(places.front()));
}

TEST_P(SecretFilesTest, FileTooLarge_IsNotCopied) {
  const sql::StorePlace here = machine("a");
  ASSERT_TRUE(core::write_private_file(here.data_dir + "/some.key", std::string(100'000, 'x')));
  const auto copied = copy_secrets(here.data_dir, machine("b"), kFiles);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, core::Code::data_loss);
  EXPECT_THAT(copied.error().message, HasSubstr("some.key is too large"));
}

TEST_P(SecretFilesTest, Copy_HasAllFiles_ThereAndBack) {
  const sql::StorePlace here = machine("a");
  EXPECT_EQ(*copy_secrets(here.data_dir, place_, kFiles), 0U) << "there is none yet";
  ASSERT_TRUE(core::write_private_file(here.data_dir + "/some.key", "key"));
  ASSERT_TRUE(core::write_private_file(here.data_dir + "/some.pem", "certificate"));
  const auto copied = copy_secrets(here.data_dir, place_, kFiles);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(*copied, 2U);
  const sql::StorePlace back = machine("back").data_dir;
  EXPECT_EQ(*copy_secrets(place_, back, kFiles), 2U);
  EXPECT_EQ(key(back), "key");
  EXPECT_EQ(bytes_in(back.data_dir + "/some.pem"), "certificate");
}

}  // namespace
}  // namespace parley::auth
