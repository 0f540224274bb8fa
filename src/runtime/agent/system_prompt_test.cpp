// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/system_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/core/utf8.h"

namespace parley::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class SystemPrompt : public ::testing::Test {
 protected:
  SystemPrompt() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(::testing::TempDir()) / (std::string("prompt_") + info->name());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ / "here");
    std::filesystem::create_directories(root_ / "work");
  }
  ~SystemPrompt() override { std::filesystem::remove_all(root_); }

  void write(const std::string& folder, const std::string& text) const {
    std::ofstream(root_ / folder / "AGENTS.md", std::ios::binary) << text;
  }
  std::string prompt(const std::string& role = {}) const {
    Profile profile;
    profile.role = role;
    return system_prompt(profile, (root_ / "work").string(), (root_ / "here").string());
  }

  std::filesystem::path root_;
};

TEST_F(SystemPrompt, Prompt_BeginsWithRole) {
  EXPECT_THAT(prompt("Be a poet."), StartsWith("Be a poet."));
}

TEST_F(SystemPrompt, Prompt_HasInstructionsOfBothFolders) {
  write("here", "Speak Latin.");
  write("work", "Speak Greek.");
  const std::string text = prompt();
  EXPECT_LT(text.find("Speak Latin."), text.find("Speak Greek."));
  EXPECT_THAT(text, HasSubstr("working folder is " + (root_ / "work").string()));
  EXPECT_THAT(text, HasSubstr("wait until a person allows them"));
}

TEST_F(SystemPrompt, LongFile_IsCutBetweenCharacters) {
  std::string text(kMaxAgentsFile - 1, 'a');
  write("work", text + "\xE4\xB8\xAD\xE4\xB8\xAD");
  const std::string all = prompt();
  EXPECT_TRUE(core::is_utf8(all));
  EXPECT_THAT(all, HasSubstr("left out"));
  EXPECT_LT(all.size(), kMaxAgentsFile + 2'000);
}

TEST_F(SystemPrompt, FileOfOwnData_IsLeftOut) {
  std::filesystem::create_directories(root_ / "work" / "data");
  std::ofstream(root_ / "work" / "data" / "token") << "a secret";
  std::filesystem::create_symlink("data/token", root_ / "work" / "AGENTS.md");
  const std::string work = (root_ / "work").string();
  EXPECT_THAT(system_prompt({}, work, "", work + "/data"), Not(HasSubstr("a secret")));
  EXPECT_THAT(system_prompt({}, "", work + "/data", work + "/data"), Not(HasSubstr("a secret")));
}

TEST_F(SystemPrompt, FileLeadingOutOfFolder_IsLeftOut) {
  std::ofstream(root_ / "secret") << "a secret";
  std::filesystem::create_symlink(root_ / "secret", root_ / "work" / "AGENTS.md");
  EXPECT_THAT(prompt(), Not(HasSubstr("a secret")));
  std::filesystem::create_directory(root_ / "here" / "docs");
  std::ofstream(root_ / "here" / "docs" / "agents.md") << "Speak Latin.";
  std::filesystem::create_symlink("docs/agents.md", root_ / "here" / "AGENTS.md");
  EXPECT_THAT(prompt(), HasSubstr("Speak Latin."));
}

TEST_F(SystemPrompt, NonTextFile_IsLeftOut) {
  write("work", "\xFF\xFE\xFD");
  EXPECT_THAT(prompt(), Not(HasSubstr("AGENTS.md")));
}

}  // namespace
}  // namespace parley::agent
