// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/setup/setup_world.h"

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

// The folder of a project's file is replaced by a link, between two steps of the setup.
class SwappedFolder : public testing::Test {
 protected:
  SwappedFolder() { fs::create_directories(outside_); }

  // The folder behind the link has the same file, by a hard link: its status does not tell.
  void swap() {
    const fs::path file = folder_ / "settings.json";
    if (fs::exists(file)) fs::create_hard_link(file, outside_ / "settings.json");
    fs::rename(folder_, world_.project() / "moved");
    fs::create_directory_symlink(outside_, folder_);
    names_ = names_outside();
  }
  std::vector<std::string> names_outside() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(outside_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  void expect_outside_untouched() const {
    EXPECT_EQ(names_outside(), names_);
    if (names_.empty()) return;
    EXPECT_EQ(SetupWorld::read(outside_ / "settings.json"), "{}");
  }
  static void in_project(SetupOptions& options) { options.project = ""; }

  SetupWorld world_;
  fs::path folder_ = world_.project() / ".qwen";
  fs::path outside_ = world_.home("outside");
  std::vector<std::string> names_;
};

TEST_F(SwappedFolder, BeforeTheRename_IsSeen) {
  SetupWorld::write(folder_ / "settings.json", "{}");
  world_.places.working_directory = world_.project();
  int calls = 0;
  world_.before_rename = [&] {
    if (++calls == 1) swap();
  };
  const SetupOutcome outcome = world_.run("qwen", in_project);
  EXPECT_EQ(outcome.status, kSetupRefused) << outcome.out;
  EXPECT_EQ(calls, 1);
  expect_outside_untouched();
  EXPECT_EQ(SetupWorld::read(world_.project() / "moved/settings.json"), "{}");
}

TEST_F(SwappedFolder, BeforeTheWrite_IsSeen) {
  for (const bool exists : {true, false}) {
    fs::remove_all(world_.project());
    fs::remove_all(outside_);
    fs::create_directories(outside_);
    fs::create_directories(folder_);
    if (exists) SetupWorld::write(folder_ / "settings.json", "{}");
    const auto seen = read_config_file(folder_ / "settings.json", world_.project());
    ASSERT_TRUE(seen.has_value());
    swap();
    std::vector<fs::path> created;
    EXPECT_EQ(replace_config_file(*seen, "{\"a\": 1}", 0644, created), false);
    EXPECT_THAT(created, testing::IsEmpty());
    expect_outside_untouched();
  }
}

TEST_F(SwappedFolder, MadeForANewFile_IsSeen) {
  fs::create_directories(world_.project());
  const auto seen = read_config_file(folder_ / "deep/settings.json", world_.project());
  ASSERT_TRUE(seen.has_value());
  fs::create_directory_symlink(outside_, folder_);
  std::vector<fs::path> created;
  const auto done = replace_config_file(*seen, "{\"a\": 1}", 0644, created);
  EXPECT_FALSE(done.has_value() && *done);
  expect_outside_untouched();
}

TEST_F(SwappedFolder, BeforeTheRemoval_IsSeen) {
  SetupWorld::write(folder_ / "settings.json", "{}");
  const auto seen = read_config_file(folder_ / "settings.json", world_.project());
  ASSERT_TRUE(seen.has_value());
  swap();
  EXPECT_EQ(remove_config_file(*seen, {folder_}), false);
  expect_outside_untouched();
}

TEST_F(SwappedFolder, MadeFolderBehindALink_IsNotRemoved) {
  SetupWorld::write(folder_ / "settings.json", "{}");
  fs::create_directory(outside_ / "deep");
  fs::create_directory_symlink(outside_, world_.project() / "link");
  const auto seen = read_config_file(folder_ / "settings.json", world_.project());
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(remove_config_file(*seen, {folder_, world_.project() / "link/deep"}), true);
  EXPECT_TRUE(fs::exists(outside_ / "deep"));
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
