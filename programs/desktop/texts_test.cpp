// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/texts.h"

#include <gtest/gtest.h>

namespace parley::desktop {
namespace {

TEST(DesktopTexts, Sentences_ExistInBothLanguages) {
  for (int i = 0; i <= static_cast<int>(Text::settings_unsaved); ++i) {
    const std::string english = say(Language::english, static_cast<Text>(i), "X");
    const std::string chinese = say(Language::chinese, static_cast<Text>(i), "X");
    EXPECT_FALSE(english.empty() || chinese.empty());
    EXPECT_NE(english, chinese);
    EXPECT_EQ(english.find('X') == std::string::npos && chinese.find('X') != std::string::npos,
              false)
        << chinese;
  }
}

TEST(DesktopTexts, Part_IsFilledIn) {
  EXPECT_EQ(say(Language::english, Text::asks, "Coder"), "Coder asks");
  EXPECT_EQ(say(Language::chinese, Text::asks, "Coder"), "Coder 提问");
}

TEST(DesktopTexts, Language_FollowsTheLocaleUnlessChosen) {
  EXPECT_EQ(language_of(LanguageChoice::automatic, "zh_CN.UTF-8"), Language::chinese);
  EXPECT_EQ(language_of(LanguageChoice::automatic, "en_US.UTF-8"), Language::english);
  EXPECT_EQ(language_of(LanguageChoice::english, "zh_CN.UTF-8"), Language::english);
  EXPECT_EQ(language_of(LanguageChoice::chinese, "C"), Language::chinese);
}

}  // namespace
}  // namespace parley::desktop
