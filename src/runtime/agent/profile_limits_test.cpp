// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits of reading profiles: a folder may come from another person, so the cost of reading any
// profile is bounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/core/temp_folder.h"
#include "runtime/agent/profile.h"
#include "runtime/agent/profile_tree.h"

namespace parley::agent {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kFileBytes = 256U << 10U;

std::string refusal(const std::string& text, std::string_view format) {
  const auto tree = read_profile_tree(text, format);
  return tree ? "(it was read)" : tree.error().message;
}

std::string repeated(std::string_view part, std::size_t bytes = kFileBytes) {
  std::string out;
  while (out.size() < bytes) out += part;
  return out;
}

TEST(ProfileLimits, YamlAliases_AreCountedPerUse) {
  const std::string text =
      "a: &a " + std::string(200'000, 'x') + "\nb: [" + repeated("*a,", 27'000);
  EXPECT_THAT(refusal(text + "]\n", "yaml"), HasSubstr("more than a MiB of text"));
  EXPECT_THAT(refusal("---\n" + text + "]\n---\nhello\n", "md"), HasSubstr("more than a MiB"));
}

TEST(ProfileLimits, YamlAliasesOfAliases_AreRefused) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below;
    for (int k = 0; k < 9; ++k) text += "," + below;
    text += "]\n";
  }
  EXPECT_THAT(refusal(text, "yaml"), HasSubstr("more than 10000 values"));
}

TEST(ProfileLimits, YamlKeysOfAliases_AreCountedToo) {
  const std::string key(1'000, 'k');
  EXPECT_THAT(refusal("a: &a {" + key + ": 1}\nb: [" + repeated("*a,", 9'000) + "]\n", "yaml"),
              HasSubstr("more than a MiB of text"));
}

TEST(ProfileLimits, YamlNodes_AreCountedBeforeBuilding) {
  EXPECT_THAT(refusal("a: [" + repeated("~,") + "]\n", "yaml"), HasSubstr("10000 values"));
  EXPECT_THAT(refusal(repeated("--- ~\n"), "yaml"), HasSubstr("more than one document"));
}

TEST(ProfileLimits, YamlNesting_IsRefused) {
  for (const char* part : {"[", "{a: ", "- ", "? "}) {
    EXPECT_NE(refusal(repeated(part), "yaml"), "(it was read)") << part;
  }
}

TEST(ProfileLimits, TomlNesting_IsRefused) {
  EXPECT_THAT(refusal(repeated("a.") + "a = 1\n", "toml"), HasSubstr("nested too deeply"));
  EXPECT_THAT(refusal("[" + repeated("a.") + "a]\n", "toml"), HasSubstr("nested too deeply"));
  EXPECT_NE(refusal("a = " + repeated("["), "toml"), "(it was read)");
  EXPECT_NE(refusal("a = " + repeated("{a="), "toml"), "(it was read)");
}

TEST(ProfileLimits, FileOfOwnData_IsNoProfile) {
  namespace fs = std::filesystem;
  const core::TempFolder folder;
  fs::create_directories(folder.file(".loom/agents"));
  fs::create_directories(folder.file("data"));
  std::ofstream(folder.file("data/token")) << "a secret";
  fs::create_symlink("../../data/token", folder.file(".loom/agents/spy.md"));
  const Profiles all =
      Profiles::load(folder.path(), {}, FolderApprovals::tighten, folder.file("data"));
  const auto found = all.find("spy");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("outside the working folder"));
}

TEST(ProfileLimits, LongTexts_AreRead) {
  const std::string role = repeated("One. Two. ", 200'000);
  EXPECT_EQ(read_profile_tree("role = \"" + role + "\"\n", "toml")->keys.at("role").as_string(),
            role);
  EXPECT_EQ(read_profile_tree("role: \"" + role + "\"\n", "yaml")->keys.at("role").as_string(),
            role);
}

}  // namespace
}  // namespace parley::agent
