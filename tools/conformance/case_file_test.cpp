// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/case_file.h"

#include <gtest/gtest.h>

namespace parley::conformance {
namespace {

namespace json = boost::json;

std::string error_of(std::string_view text) {
  const auto loaded = parse_case_file(text, "dir/a.json");
  return loaded ? "no error" : loaded.error().message;
}

TEST(CaseFile, NameSourceNeedsAndSteps_AreRead) {
  const auto loaded = parse_case_file(R"({
    "proto": {"file": "x.proto", "message": "p.M"},
    "cases": [
      {"name": "one", "source": "doc 1", "needs": ["token2"],
       "steps": [
         {"connect": "ui", "over": "websocket", "path": "/ws"},
         {"wait": 5, "note": "why"}]}]})",
                                      "dir/a.json");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  ASSERT_EQ(loaded->size(), 1U);
  const Case& one = loaded->front();
  EXPECT_EQ(one.name, "one");
  EXPECT_EQ(one.source, "doc 1");
  EXPECT_EQ(one.needs, std::vector<std::string>{"token2"});
  EXPECT_EQ(one.proto.path, "dir/x.proto");
  EXPECT_EQ(one.at.line, 4);
  ASSERT_EQ(one.steps.size(), 2U);
  EXPECT_EQ(one.steps[0].verb, "connect");
  EXPECT_EQ(one.steps[1].at.to_string(), "dir/a.json:7");
}

TEST(CaseFile, UnknownKey_IsErrorWithLine) {
  EXPECT_EQ(error_of(R"({"cases": [{"name": "a", "source": "s", "steps": [
    {"expect": "ui",
     "mesage": {}}]}]})"),
            "dir/a.json:3: 'expect' has no key 'mesage'");
  EXPECT_EQ(error_of("{\"cases\": [],\n\"case\": []}"),
            "dir/a.json:2: a case file has no key 'case'");
  EXPECT_EQ(error_of(R"({"cases": [{"name": "a", "source": "s", "wants": 1, "steps": []}]})"),
            "dir/a.json:1: a case has no key 'wants'");
}

TEST(CaseFile, Step_HasSingleAction) {
  EXPECT_EQ(error_of(R"({"cases": [{"name": "a", "source": "s", "steps": [
    {"send": "a", "close": "b"}]}]})"),
            "dir/a.json:2: a step does one thing, not both 'send' and 'close'");
  EXPECT_NE(error_of(R"({"cases": [{"name": "a", "source": "s", "steps": [{"x": 1}]}]})")
                .find("a step needs one of: connect"),
            std::string::npos);
}

TEST(CaseFile, TimesForOtherThanSingleMessage_IsError) {
  const auto fault_of = [](const std::string& step) {
    return error_of(R"({"cases": [{"name": "a", "source": "s", "steps": [)" + step + "]}]}");
  };
  EXPECT_EQ(fault_of(R"({"send": "c", "text": "x", "times": 2})"), "no error");
  EXPECT_EQ(fault_of(R"({"send": "c", "text": "x", "times": 0})"),
            "dir/a.json:1: must be at least 1");
  EXPECT_NE(fault_of(R"({"expect": "c", "all": [1], "times": 2})").find("'times'"),
            std::string::npos);
}

TEST(CaseFile, BadPattern_IsErrorWithLine) {
  EXPECT_EQ(error_of(R"({"cases": [{"name": "a", "source": "s", "steps": [
    {"expect": "ui", "message": {
       "Cmd": {"$regexp": "x"}}}]}]})"),
            "dir/a.json:3: unknown matcher '$regexp'");
}

TEST(CaseFile, BrokenJson_IsErrorWithLine) {
  EXPECT_EQ(error_of("{\n\"cases\": [\n}").substr(0, 22), "dir/a.json:3: not JSON");
  EXPECT_EQ(error_of("{\"cases\": []} x").substr(0, 22), "dir/a.json:1: not JSON");
}

TEST(CaseFile, Case_NamesSource_HasUniqueName) {
  EXPECT_NE(error_of(R"({"cases": [{"name": "a", "steps": [{"wait": 1}]}]})").find("'source'"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"cases": [
    {"name": "a", "source": "s", "steps": [{"wait": 1}]},
    {"name": "a", "source": "s", "steps": [{"wait": 1}]}]})")
                .find("dir/a.json:3: two cases have the name 'a'"),
            std::string::npos);
}

TEST(CaseFile, Fragments_AreExpandedWithParameters) {
  const auto loaded = parse_case_file(R"({
    "fragments": {"hello": [{"connect": "${c}", "over": "tcp"}, {"send": "${c}", "text": "${token}"}]},
    "cases": [{"name": "a", "source": "s", "steps": [{"use": "hello", "with": {"c": "ui"}}]}]})",
                                      "a.json");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  const std::vector<Step>& steps = loaded->front().steps;
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].body.at("send"), json::value("ui"));
  EXPECT_EQ(steps[1].body.at("text"), json::value("${token}"));
}

TEST(CaseFile, CycleOfFragments_IsRefused) {
  EXPECT_NE(error_of(R"({"fragments": {"f": [{"use": "f"}]},
    "cases": [{"name": "a", "source": "s", "steps": [{"use": "f"}]}]})")
                .find("ring"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"cases": [{"name": "a", "source": "s", "steps": [{"use": "f"}]}]})")
                .find("no such fragment"),
            std::string::npos);
}

TEST(CaseFile, MissingFile_IsErrorNamingFile) {
  const auto loaded = load_case_file("/nowhere/x.json");
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().message, "/nowhere/x.json:1: this file cannot be read");
  EXPECT_FALSE(find_case_files({"/nowhere"}).has_value());
}

}  // namespace
}  // namespace parley::conformance
