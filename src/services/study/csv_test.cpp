// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/csv.h"

#include <gtest/gtest.h>

namespace parley::study {
namespace {

std::string field(std::string_view text) {
  std::string out;
  CsvWriter(out).text(text);
  return out;
}

TEST(Csv, Fields_AreQuotedAsInRfc4180) {
  EXPECT_EQ(field("plain text"), "plain text");
  EXPECT_EQ(field("a,b"), "\"a,b\"");
  EXPECT_EQ(field("say \"yes\""), "\"say \"\"yes\"\"\"");
  EXPECT_EQ(field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(field(""), "");
}

TEST(Csv, Text_IsNeverFormula) {
  EXPECT_EQ(field("=1+1"), "'=1+1");
  EXPECT_EQ(field("+49 30"), "'+49 30");
  EXPECT_EQ(field("-1"), "'-1");
  EXPECT_EQ(field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(field("=HYPERLINK(\"x\",\"y\")"), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
  EXPECT_EQ(field("\t=1"), "'\t=1");
}

TEST(Csv, Rows_EndWithCrLf) {
  std::string out;
  CsvWriter csv(out);
  csv.header({"a", "b", "c", "d"});
  csv.number(7).boolean(true).empty().text("x").end_row();
  EXPECT_EQ(out, "a,b,c,d\r\n7,true,,x\r\n");
}

}  // namespace
}  // namespace parley::study
