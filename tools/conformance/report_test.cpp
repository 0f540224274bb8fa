// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/report.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace parley::conformance {
namespace {

namespace json = boost::json;

std::vector<CaseResult> results() {
  CaseResult good;
  good.name = "login works";
  good.source = "doc 1";
  good.at = {"a.json", 3};
  good.took = core::Millis(1007);
  CaseResult bad;
  bad.name = "a <b> & \"c\"";
  bad.source = "doc 2.3";
  bad.at = {"a.json", 9};
  bad.verdict = Verdict::failed;
  bad.failure = {{"a.json", 11}, 2,       "expect", "this message is not the one",
                 "/Cmd",         "\"A\"", "\"B\""};
  bad.trace = {"ui <- {}"};
  CaseResult skipped;
  skipped.name = "two tokens";
  skipped.source = "doc 3";
  skipped.at = {"b.json", 1};
  skipped.verdict = Verdict::not_run;
  skipped.reason = "needs token2";
  return {good, bad, skipped};
}

TEST(Report, EachVerdict_IsCounted) {
  const Summary summary = summarize(results());
  EXPECT_EQ(summary.passed, 1U);
  EXPECT_EQ(summary.failed, 1U);
  EXPECT_EQ(summary.not_run, 1U);
}

TEST(Report, Failure_NamesStepExpectedGotAndContractLine) {
  const std::string text = readable_report(results(), false);
  EXPECT_NE(text.find("a.json:11: step 2 (expect): this message is not the one"),
            std::string::npos);
  EXPECT_NE(text.find("expected  \"A\""), std::string::npos);
  EXPECT_NE(text.find("got       \"B\""), std::string::npos);
  EXPECT_NE(text.find("contract  doc 2.3"), std::string::npos);
  EXPECT_NE(text.find("| ui <- {}"), std::string::npos);
  EXPECT_NE(text.find("1 passed, 1 failed, 1 not run"), std::string::npos);
  EXPECT_EQ(text.find("login works"), std::string::npos);
  EXPECT_NE(readable_report(results(), true).find("ok      login works (1.007 s)"),
            std::string::npos);
}

TEST(Report, JUnit_EscapesMarkup_CountsPerFile) {
  const std::string text = junit_report(results());
  EXPECT_NE(text.find("<testsuite name=\"a.json\" tests=\"2\" failures=\"1\" skipped=\"0\">"),
            std::string::npos);
  EXPECT_NE(text.find("name=\"a &lt;b&gt; &amp; &quot;c&quot;\""), std::string::npos);
  EXPECT_NE(text.find("<skipped message=\"needs token2\"/>"), std::string::npos);
}

TEST(Report, Json_HoldsSameResults) {
  const json::value report = json::parse(json_report(results(), "http://x"));
  EXPECT_EQ(report.at("failed"), json::value(1));
  const json::value& bad = report.at("cases").at(1);
  EXPECT_EQ(bad.at("result"), json::value("failed"));
  EXPECT_EQ(bad.at("failure").at("step"), json::value(2));
  EXPECT_EQ(bad.at("source"), json::value("doc 2.3"));
}

}  // namespace
}  // namespace parley::conformance
