// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/question_form.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace parley::mcp {
namespace {

core::Question question(const std::string& text, std::vector<std::string> labels,
                        bool multiple = false, bool custom = false) {
  core::Question out;
  out.text = text;
  out.header = "H " + text;
  out.multiple = multiple;
  out.custom = custom;
  for (const std::string& label : labels) out.choices.push_back({label, {}});
  return out;
}

AssistantCall call(std::vector<core::Question> questions) {
  AssistantCall out;
  out.text = "What?";
  out.questions = std::move(questions);
  return out;
}

boost::json::value schema(const AssistantCall& asked) {
  return boost::json::parse(form_of(asked)).at("requestedSchema");
}

core::Result<std::string> text(const AssistantCall& asked, const std::string& content) {
  return text_of_form(asked, boost::json::parse(content).as_object());
}

TEST(QuestionForm, FreeQuestion_HasOneText) {
  const AssistantCall free = call({});
  EXPECT_EQ(schema(free).at("properties").at("answer").at("type").as_string(), "string");
  EXPECT_EQ(schema(free).at("required").at(0).as_string(), "answer");
  EXPECT_EQ(*text(free, R"({"answer":"so"})"), "so");
  EXPECT_FALSE(text(free, "{}"));
  EXPECT_FALSE(text(free, R"({"answer":7})"));
}

TEST(QuestionForm, ChoiceWithOther_NeedsOneOfBoth) {
  const AssistantCall choice = call({question("a", {"red", "blue"}, false, true)});
  const auto properties = schema(choice).at("properties");
  EXPECT_EQ(properties.at("answer").at("oneOf").at(1).at("const").as_string(), "blue");
  EXPECT_TRUE(properties.as_object().contains("other"));
  EXPECT_FALSE(schema(choice).as_object().contains("required"));
  EXPECT_EQ(*text(choice, R"({"answer":"red"})"), "red");
  EXPECT_EQ(*text(choice, R"({"answer":"red","other":"dark"})"), "red, dark");
  EXPECT_EQ(*text(choice, R"({"other":"green"})"), "green");
  EXPECT_FALSE(text(choice, R"({"other":""})"));
}

TEST(QuestionForm, Multiple_IsArray) {
  const AssistantCall many = call({question("a", {"x", "y", "z"}, true)});
  EXPECT_EQ(schema(many).at("properties").at("answer").at("items").at("anyOf").as_array().size(),
            3U);
  EXPECT_EQ(*text(many, R"({"answer":["x","z"]})"), "x, z");
  EXPECT_FALSE(text(many, R"({"answer":[1]})"));
  EXPECT_FALSE(text(many, R"({"answer":[]})"));
}

TEST(QuestionForm, SeveralQuestions_BecomePairsOfLines) {
  const AssistantCall two = call({question("a", {"x"}), question("b", {}, false, true)});
  EXPECT_EQ(schema(two).at("required").as_array().size(), 2U);
  EXPECT_EQ(*text(two, R"({"q1":"x","q2":"free"})"), "Q: H a\nA: x\nQ: H b\nA: free");
  const auto missing = text(two, R"({"q1":"x"})");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().field, "q2");
}

TEST(QuestionForm, Link_NamesPageAndId) {
  const auto link = boost::json::parse(link_form_of("https://p.example/#/q", "k"));
  EXPECT_EQ(link.at("mode").as_string(), "url");
  EXPECT_EQ(link.at("elicitationId").as_string(), "k");
  EXPECT_FALSE(boost::json::parse(link_form_of("u", "")).as_object().contains("elicitationId"));
}

}  // namespace
}  // namespace parley::mcp
