// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/prompt_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace parley::comfyui {
namespace {

core::Result<PromptAnswer> answer_of(int status, const char* json) {
  return read_prompt_answer(status, boost::json::parse(json).get_object());
}

TEST(PromptAnswerReader, QueuedPrompt_HasId) {
  auto answer = answer_of(200, R"({"prompt_id":"p","number":-3,"node_errors":{}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<QueuedPrompt>(*answer).prompt_id, "p");
  EXPECT_EQ(std::get<QueuedPrompt>(*answer).number, -3);
}

TEST(PromptAnswerReader, NodeErrorsAsList_AreNone) {
  auto answer = answer_of(400, R"({"error":{"type":"prompt_no_outputs",
      "message":"Prompt has no outputs","details":"","extra_info":{}},"node_errors":[]})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<PromptFaults>(*answer).type, "prompt_no_outputs");
}

TEST(PromptAnswerReader, EachError_HasNodeInputAndType) {
  auto answer = answer_of(400, R"({"error":{"type":"t","message":"m"},"node_errors":{"4":{
      "errors":[{"type":"value_not_in_list","message":"Value not in list","details":"d",
                 "extra_info":{"input_name":"ckpt_name"}},{"type":"b"}, 7],
      "dependent_outputs":["9"],"class_type":"Loader"}, "5":[]}})");
  ASSERT_TRUE(answer);
  const auto& nodes = std::get<PromptFaults>(*answer).nodes;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].input, "ckpt_name");
  EXPECT_EQ(nodes[0].class_type, "Loader");
  EXPECT_EQ(nodes[1].type, "b");
  EXPECT_THAT(std::get<PromptFaults>(*answer).text(), ::testing::HasSubstr("node 4 (Loader)"));
}

TEST(PromptAnswerReader, TextAsError_IsTakenFromOlderServers) {
  auto answer = answer_of(400, R"({"error":"no prompt","node_errors":[]})");
  EXPECT_EQ(std::get<PromptFaults>(*answer).message, "no prompt");
}

TEST(PromptAnswerReader, AnswersWithoutContent_AreErrors) {
  EXPECT_FALSE(answer_of(200, "{}"));
  EXPECT_FALSE(answer_of(200, R"({"prompt_id":7})"));
  EXPECT_FALSE(answer_of(400, "{}"));
}

}  // namespace
}  // namespace parley::comfyui
