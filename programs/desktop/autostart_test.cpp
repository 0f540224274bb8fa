// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/autostart.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/core/temp_folder.h"

namespace parley::desktop {
namespace {

std::string text_of(const std::string& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

TEST(Autostart, Entry_StartsTheProgramHidden) {
  const core::TempFolder folder;
  const std::string file = folder.file("autostart/parley.desktop");
  ASSERT_TRUE(set_autostart(file, "/opt/my parley/100%/$x", true));
  EXPECT_NE(text_of(file).find("Exec=\"/opt/my parley/100%%/\\\\$x\" --hidden\n"),
            std::string::npos)
      << text_of(file);
  ASSERT_TRUE(set_autostart(file, "/usr/bin/parley-desktop", false));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(set_autostart(file, "/usr/bin/parley-desktop", false));
}

}  // namespace
}  // namespace parley::desktop
