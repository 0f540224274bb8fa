// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/json_input.h"

#include <gmock/gmock.h>

#include "dialects/api/session/interaction_json.h"
#include "tests/support/session/test_actors.h"

namespace parley::api {
namespace {

using ::testing::HasSubstr;

core::Error ask_error(std::string_view body) {
  const auto read = read_ask(body, session::asking_token());
  return read ? core::Error{} : read.error();
}

TEST(JsonInput, UnknownMember_IsNamedByPath) {
  EXPECT_EQ(ask_error(R"({"prompt":{"text":"q"},"Key":"x"})").field, "Key");
  EXPECT_EQ(ask_error(R"({"prompt":{"text":"q","txt":1}})").field, "prompt.txt");
  EXPECT_EQ(
      ask_error(
          R"({"prompt":{"text":"q","questions":[{"text":"a"},{"text":"b","choices":[{"lable":"x"}]}]}})")
          .field,
      "prompt.questions[1].choices[0].label");
}

TEST(JsonInput, WrongType_IsNamedWithExpectedType) {
  const core::Error error = ask_error(R"({"prompt":{"text":7}})");
  EXPECT_EQ(error.field, "prompt.text");
  EXPECT_EQ(error.message, "\"prompt.text\" must be a string.");
  EXPECT_EQ(ask_error(R"({"prompt":{"text":"q"},"wait":"5"})").field, "wait");
  EXPECT_EQ(ask_error(R"({"prompt":{"text":"q"},"wait":1.5})").field, "wait");
  EXPECT_EQ(ask_error(R"({"prompt":{"text":"q","questions":{}}})").field, "prompt.questions");
}

TEST(JsonInput, MissingRequiredMember_IsNamed) {
  EXPECT_THAT(ask_error("{}").message, HasSubstr("\"prompt\" is missing"));
  EXPECT_EQ(ask_error(R"({"prompt":{}})").field, "prompt.text");
  EXPECT_EQ(ask_error(R"({"prompt":{"text":""}})").field, "prompt.text");
}

TEST(JsonInput, DuplicateMember_IsRefused) {
  EXPECT_EQ(ask_error(R"({"prompt":{"text":"q"},"key":"a","key":"b"})").field, "key");
}

TEST(JsonInput, InputOtherThanObject_IsRefused) {
  for (const char* body : {"[]", "7", "{", "nonsense", "{}{}", "{\"a\":\"\xff\"}"}) {
    EXPECT_EQ(ask_error(body).field, "body") << body;
  }
  EXPECT_EQ(ask_error(std::string(40, '[')).field, "body");
}

TEST(JsonInput, Answer_IsEitherTextOrContents) {
  EXPECT_TRUE(read_answer(R"({"text":"yes"})").has_value());
  EXPECT_FALSE(read_answer("{}").has_value());
  EXPECT_FALSE(read_answer(R"({"text":"yes","contents":[]})").has_value());
  EXPECT_EQ(read_answer(R"({"contents":[{"type":"video"}]})").error().field, "contents[0].type");
  EXPECT_EQ(read_answer(R"({"contents":[{"type":"image","data":"%%"}]})").error().field,
            "contents[0].data");
  const auto image = read_answer(R"({"contents":[{"type":"image","data":"aGk="}]})");
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->answer.contents.front().data, "hi");
}

}  // namespace
}  // namespace parley::api
