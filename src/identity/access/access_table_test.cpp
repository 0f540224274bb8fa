// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/access/access_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace parley::access {
namespace {

// The rows of the table below the heading "Who may do what".
std::vector<std::string> documented_rows() {
  std::ifstream in(PARLEY_SOURCE_DIR "/docs/rights.md");
  std::vector<std::string> rows;
  std::string line;
  bool inside = false;
  while (std::getline(in, line)) {
    if (line.starts_with("#")) inside = line.find("Who may do what") != std::string::npos;
    const bool is_row = line.starts_with("| `");
    if (inside && is_row) rows.push_back(line);
  }
  return rows;
}

TEST(AccessTable, Document_ShowsExactlyTableRows) {
  std::vector<std::string> expected;
  for (const Row& row : rows()) {
    expected.push_back("| `" + std::string(row.method) + "` | `" + std::string(row.where) + "` | " +
                       need_text(row) + " |");
  }
  const std::vector<std::string> documented = documented_rows();
  for (const std::string& row : expected) {
    EXPECT_NE(std::find(documented.begin(), documented.end(), row), documented.end())
        << "missing in docs/rights.md:\n"
        << row;
  }
  for (const std::string& row : documented) {
    EXPECT_NE(std::find(expected.begin(), expected.end(), row), expected.end())
        << "not in identity/access/access_table.cpp:\n"
        << row;
  }
}

TEST(AccessTable, Rows_AreUnique) {
  std::set<std::string> seen;
  for (const Row& row : rows()) {
    EXPECT_TRUE(seen.insert(std::string(row.method) + " " + std::string(row.where)).second)
        << row.where;
  }
}

TEST(AccessTable, Guests_NeedOnlyStudy) {
  for (const Row& row : rows()) {
    if (!row.guests) continue;
    EXPECT_EQ(missing(row, auth::Rights{auth::Right::study}), std::nullopt) << row.where;
  }
}

TEST(AccessTableDeathTest, MissingRow_EndsProcess) {
  EXPECT_DEATH(row_of("GET", "/v1/nowhere"), "/v1/nowhere has no row");
}

}  // namespace
}  // namespace parley::access
