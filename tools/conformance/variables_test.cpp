// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/variables.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "tests/support/core/fake_scheduler.h"

namespace parley::conformance {
namespace {

namespace json = boost::json;

class VariablesTest : public testing::Test {
 protected:
  std::string text(std::string_view from) { return variables_.expand_text(from).value(); }

  core::FakeClock clock_;
  core::SeededEntropy entropy_{1};
  Variables variables_{clock_, entropy_};
};

TEST_F(VariablesTest, NamesInsideText_AreReplaced) {
  variables_.set("who", "Ada");
  variables_.set("n", 7);
  EXPECT_EQ(text("hello ${who}, ${n}!"), "hello Ada, 7!");
}

TEST_F(VariablesTest, LoneName_BecomesValueItself) {
  variables_.set("n", 7);
  EXPECT_EQ(variables_.expand(json::parse(R"({"a":["${n}"]})")).value(),
            json::parse(R"({"a":[7]})"));
}

TEST_F(VariablesTest, Unique_IsFresh_LabelledIsStable) {
  EXPECT_NE(text("${unique}"), text("${unique}"));
  EXPECT_EQ(text("${unique:a}"), text("${unique:a}"));
  EXPECT_NE(text("${unique:a}"), text("${unique:b}"));
}

TEST_F(VariablesTest, Repeat_WritesLongTexts) {
  EXPECT_EQ(text("${repeat:ab:3}"), "ababab");
  EXPECT_FALSE(variables_.expand_text("${repeat:ab}").has_value());
  EXPECT_FALSE(variables_.expand_text("${repeat:ab:99999999999}").has_value());
}

TEST_F(VariablesTest, DoubledDollar_IsPlain) { EXPECT_EQ(text("a $${b} c"), "a ${b} c"); }

TEST_F(VariablesTest, UnknownName_IsErrorWithName) {
  const auto expanded = variables_.expand_text("${nobody}");
  ASSERT_FALSE(expanded.has_value());
  EXPECT_EQ(expanded.error().field, "nobody");
}

TEST(FillParameters, OtherVariables_StayUnchanged) {
  const Bindings given = {{"conn", json::value("ui")}, {"n", json::value(3)}};
  EXPECT_EQ(
      fill_parameters(json::parse(R"({"send":"${conn}","x":"${token} ${n}","y":"${n}"})"), given),
      json::parse(R"({"send":"ui","x":"${token} 3","y":3})"));
}

}  // namespace
}  // namespace parley::conformance
