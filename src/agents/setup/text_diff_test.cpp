// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/text_diff.h"

#include <gtest/gtest.h>

#include <string>

namespace parley::setup {
namespace {

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST(UnifiedDiff, EqualTexts_GiveNothing) { EXPECT_EQ(unified_diff("a\n", "a\n", "f"), ""); }

TEST(UnifiedDiff, DistantChanges_AreHunks) {
  const std::string before = numbers(1, 20);
  std::string after = before;
  after.replace(after.find("2\n"), 2, "two\n");
  after += "21\n";
  EXPECT_EQ(unified_diff(before, after, "f"),
            "--- f\n+++ f\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n"
            "@@ -18,3 +18,4 @@\n 18\n 19\n 20\n+21\n");
}

TEST(UnifiedDiff, NewFileAndMissingEnd_AreShown) {
  EXPECT_EQ(unified_diff("", "a\nb", "f"),
            "--- f\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("a\n", "", "f"), "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, LargeTexts_AreBounded) {
  const std::string before = numbers(1, 5'000);
  const std::string after = numbers(10'001, 15'000);
  EXPECT_EQ(unified_diff(before, after, "f").size(),
            before.size() + after.size() + 10'000 +
                std::string("--- f\n+++ f\n@@ -1,5000 +1,5000 @@\n").size());
}

TEST(MaskedText, SecretsOfJson_AreHidden) {
  EXPECT_EQ(masked_text(R"({"apiKey": "x", "a": {"Password": {"b": ["y", 1]}}, "c": "z"})"),
            R"({"apiKey": "***", "a": {"Password": {"b": ["***", "***"]}}, "c": "z"})");
  EXPECT_EQ(masked_text(R"({"args": ["--token", "x", "--key=y", "Bearer z", "w"]})"),
            R"({"args": ["--token", "***", "***", "***", "w"]})");
}

TEST(MaskedText, SecretsOfLines_AreHidden) {
  EXPECT_EQ(masked_text("[a]\napi_key = \"x\"\r\nb = 1\ntoken: y"),
            "[a]\napi_key = \"***\"\r\nb = 1\ntoken: \"***\"");
}

}  // namespace
}  // namespace parley::setup
