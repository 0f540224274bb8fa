// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/options.h"

#include <gtest/gtest.h>

#include <string>

namespace parley::shell {
namespace {

constexpr OptionTable kTable = {"u user chdir", "n v verbose", "i"};

// The options in the form "name=value", joined by blanks, then the first operand.
std::string options_of(std::string_view text) {
  const Script script = parse_script("program " + std::string(text));
  const std::span<const Word> words = script.commands.front().words;
  const Options read = read_options(words, 1, kTable);
  std::string out;
  for (const Option& each : read.options) {
    out.append(each.name).append(each.value ? "=" + each.value->text : "").append(" ");
  }
  if (read.end < words.size()) out.append("| ").append(words[read.end].text);
  if (!read.unknown.empty()) out.append(" !").append(read.unknown);
  return out;
}

TEST(OptionsTest, Letters_AreReadWithTheirValues) {
  EXPECT_EQ(options_of("-nu root a"), "n u=root | a");
  EXPECT_EQ(options_of("-nuroot a -v"), "n u=root | a");
  EXPECT_EQ(options_of("-vixu a"), "v i | a");
  EXPECT_EQ(options_of("-u"), "u ");
}

TEST(OptionsTest, LongOptions_MayBeShortened) {
  EXPECT_EQ(options_of("--user root --chd=/ --verb a"), "user=root chdir=/ verbose | a");
  EXPECT_EQ(options_of("-- -n"), "| -n");
}

TEST(OptionsTest, UnknownOptions_AreNamed) {
  EXPECT_EQ(options_of("-nz a"), "n z | a !-nz");
  EXPECT_EQ(options_of("--other a"), "other | a !--other");
}

}  // namespace
}  // namespace parley::shell
