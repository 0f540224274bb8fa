// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/desktop_options.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/core/temp_folder.h"

namespace parley::desktop {
namespace {

TEST(DesktopOptions, Flags_AreRead) {
  const auto options = parse_desktop_flags(
      {"--server", "http://h", "-token-file=/t", "--hidden", "-print-state", "--devtools"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->server, "http://h");
  EXPECT_EQ(options->token_file, "/t");
  EXPECT_TRUE(options->hidden && options->print_state && options->devtools);
}

TEST(DesktopOptions, WrongFlags_AreRefused) {
  const std::vector<std::vector<std::string>> cases = {
      {"--server", "http://h"}, {"--token-file", "/t"}, {"--server"}, {"--loud"}, {"word"}};
  for (const auto& arguments : cases) EXPECT_FALSE(parse_desktop_flags(arguments));
}

TEST(DesktopOptions, TokenFile_GivesItsFirstLine) {
  const core::TempFolder folder;
  std::ofstream(folder.file("t")) << " token-1 \nsecond line\n";
  std::ofstream(folder.file("empty")) << "\n";
  EXPECT_EQ(read_token_file(folder.file("t")).value(), "token-1");
  EXPECT_EQ(read_token_file(folder.file("empty")).error().code, core::Code::invalid_argument);
  EXPECT_EQ(read_token_file(folder.file("none")).error().code, core::Code::not_found);
}

}  // namespace
}  // namespace parley::desktop
