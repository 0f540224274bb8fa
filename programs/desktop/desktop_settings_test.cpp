// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/desktop_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/core/temp_folder.h"

namespace parley::desktop {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

DesktopSettings unusual() {
  DesktopSettings settings;
  settings.servers = {{"a1", "家里 \"home\"", "http://127.0.0.1:22080", "to'k\"en\\", true},
                      {"b2", "", "https://parley.example/console", "t2", false}};
  settings.language = LanguageChoice::chinese;
  settings.on_question = Attention::tray;
  settings.on_report = Attention::none;
  settings.close_to_tray = false;
  settings.autostart = true;
  settings.nickname = "desk";
  settings.typing = true;
  settings.typing_window = "Notes";
  settings.width = 700;
  settings.height = 500;
  settings.maximized = true;
  settings.zoom = 1.25;
  return settings;
}

TEST(DesktopSettings, Written_AreReadBack) {
  const auto read = parse_desktop_settings(write_desktop_settings(unusual()), "f");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, unusual());
}

TEST(DesktopSettings, EmptyFile_GivesTheDefaults) {
  const auto read = parse_desktop_settings("", "f");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, DesktopSettings());
  EXPECT_EQ(read->on_question, Attention::popup_on_top);
  EXPECT_FALSE(read->typing);
}

TEST(DesktopSettings, Fault_NamesLineKeyAndValues) {
  const std::pair<const char*, const char*> cases[] = {
      {"\non_question = \"loud\"", "f:2: on_question: must be \"none\", \"tray\", \"popup\" or"},
      {"typing = 1", "f:1: typing: must be true or false"},
      {"width = 3", "f:1: width: must be a number from 200"},
      {"language = ", "f:1: "},
      {"[[server]]\nid = \"a\"\nurl = \"ftp://x\"\ntoken = \"t\"", "f:3: url: The address must be"},
      {"[[server]]\nid = \"../a\"\nurl = \"http://x\"\ntoken = \"t\"", "f:2: id: "},
      {"[[server]]\nid = \"a\"\nurl = \"http://x\"", "token: must not be empty"},
      {"\n[server]\nid = \"a\"\nurl = \"http://x\"\ntoken = \"t\"", "server: must be written as"},
      {"server = [\"http://x\"]", "f:1: server: must be written as"},
  };
  for (const auto& [text, fault] : cases) {
    const auto read = parse_desktop_settings(text, "f");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(fault));
  }
}

TEST(DesktopSettings, Fault_DoesNotShowTheToken) {
  const auto read = parse_desktop_settings(
      "[[server]]\nid = \"a\"\nurl = \"http://x\"\ntoken = \"secret words\"", "f");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, Not(HasSubstr("secret")));
}

TEST(DesktopSettings, ServersWithOneId_AreRefused) {
  const std::string entry = "[[server]]\nid = \"a\"\nurl = \"http://x\"\ntoken = \"t\"\n";
  EXPECT_TRUE(parse_desktop_settings(entry, "f"));
  EXPECT_FALSE(parse_desktop_settings(entry + entry, "f"));
}

TEST(DesktopSettings, SavedFile_IsPrivate) {
  const core::TempFolder folder;
  const std::string file = folder.file("config/parley/desktop.toml");
  ASSERT_TRUE(save_desktop_settings(unusual(), file));
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(load_desktop_settings(file).value(), unusual());
  EXPECT_EQ(load_desktop_settings(folder.file("none")).value(), DesktopSettings());
}

}  // namespace
}  // namespace parley::desktop
