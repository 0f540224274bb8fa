// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "setup/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setup/setup_world.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

TEST(ConfigFile, Modes_AreKeptOrPrivate) {
  SetupWorld world;
  const fs::path file = world.home(".kiro/settings/mcp.json");
  ASSERT_EQ(world.run("kiro").status, kSetupDone);
  EXPECT_EQ(mode_of(file), 0600U);
  SetupWorld::write(file, "{}");
  fs::permissions(file, fs::perms(0640));
  ASSERT_EQ(world.run("kiro").status, kSetupDone);
  EXPECT_EQ(mode_of(file), 0640U);
}

TEST(ConfigFile, ChangeBeforeTheRename_StartsOver) {
  SetupWorld world;
  const fs::path file = world.home(".kiro/settings/mcp.json");
  SetupWorld::write(file, "{}");
  int changes = 0;
  world.before_rename = [&] {
    if (++changes == 1) SetupWorld::write(file, "{\"theirs\": 1}");
  };
  ASSERT_EQ(world.run("kiro").status, kSetupDone);
  EXPECT_EQ(changes, 2);
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("theirs"));
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("agent-assistant"));
}

TEST(ConfigFile, ChangesWithoutEnd_GiveUp) {
  SetupWorld world;
  const fs::path file = world.home(".kiro/settings/mcp.json");
  SetupWorld::write(file, "{}");
  std::string text;
  world.before_rename = [&] {
    text += " ";
    SetupWorld::write(file, text + "{}");
  };
  const SetupOutcome outcome = world.run("kiro");
  EXPECT_EQ(outcome.status, kSetupFailed);
  EXPECT_THAT(outcome.out, HasSubstr("keeps changing"));
  EXPECT_EQ(SetupWorld::read(file), "   {}");
  std::size_t entries = 0;
  for (const auto& entry : fs::directory_iterator(file.parent_path()))
    entries += entry.exists() ? 1 : 0;
  EXPECT_EQ(entries, 1U);
}

TEST(ConfigFile, SymbolicLink_IsFollowed) {
  SetupWorld world;
  const fs::path file = world.home(".kiro/settings/mcp.json");
  SetupWorld::write(world.home("dotfiles/mcp.json"), "{}\n");
  fs::create_directories(file.parent_path());
  fs::create_symlink(world.home("dotfiles/mcp.json"), file);
  ASSERT_EQ(world.run("kiro").status, kSetupDone);
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_THAT(SetupWorld::read(world.home("dotfiles/mcp.json")), HasSubstr("agent-assistant"));
  ASSERT_EQ(world.remove("kiro").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(world.home("dotfiles/mcp.json")), "{}\n");
}

TEST(ConfigFile, SymbolicLinkToNowhere_IsRefused) {
  SetupWorld world;
  const fs::path file = world.home(".kiro/settings/mcp.json");
  fs::create_directories(file.parent_path());
  fs::create_symlink(world.home("nowhere.json"), file);
  EXPECT_EQ(world.run("kiro").status, kSetupRefused);
  EXPECT_FALSE(fs::exists(world.home("nowhere.json")));
}

// A file in the place of the folder fails for root as well.
TEST(ConfigFile, FolderThatCannotBeMade_Fails) {
  SetupWorld world;
  SetupWorld::write(world.home(".kiro"), "a file");
  EXPECT_EQ(world.run("kiro").status, kSetupFailed);
  EXPECT_EQ(SetupWorld::read(world.home(".kiro")), "a file");
  // /proc takes no files, not even root's.
  const auto seen = read_config_file("/proc/parley-setup-test.json", {});
  ASSERT_TRUE(seen.has_value());
  std::vector<fs::path> folders;
  EXPECT_FALSE(replace_config_file(*seen, "{}", 0600, folders).has_value());
}

TEST(ConfigFile, FolderInTheFilesPlace_IsRefused) {
  SetupWorld world;
  fs::create_directories(world.home(".kiro/settings/mcp.json"));
  EXPECT_EQ(world.run("kiro").status, kSetupRefused);
}

TEST(ConfigFile, FileOfAnotherUser_IsRefused) {
  if (::geteuid() != 0) return;  // only root can give files away
  SetupWorld world;
  const fs::path file = world.home(".kiro/settings/mcp.json");
  SetupWorld::write(file, "{}");
  ASSERT_EQ(::chown(file.c_str(), 65534, 65534), 0);
  EXPECT_EQ(world.run("kiro").status, kSetupRefused);
  EXPECT_EQ(SetupWorld::read(file), "{}");
}

TEST(ConfigFile, Inside_ComparesWholeNames) {
  EXPECT_TRUE(is_inside("/a/b/c", "/a/b"));
  EXPECT_TRUE(is_inside("/a/b", "/a/b"));
  EXPECT_FALSE(is_inside("/a/bc", "/a/b"));
  EXPECT_FALSE(is_inside("/a", "/a/b"));
}

}  // namespace
}  // namespace parley::setup
