// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/prompt_record.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace parley::comfyui {
namespace {

core::Result<PromptRecord> record_of(const char* json) {
  return read_prompt_record("p", boost::json::parse(json).get_object());
}

TEST(PromptRecordReader, OutputsAndWorkflow_AreRead) {
  auto record = record_of(R"({"prompt":[1,"p",{"9":{"class_type":"SaveImage"}},{},["9"]],
      "outputs":{"9":{"gifs":[{"filename":"a.webp","subfolder":"s","type":"temp"}]}},
      "status":{"status_str":"success","completed":true,"messages":[]}})");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->status, PromptRecord::Status::success);
  EXPECT_EQ(record->outputs.at(0).files.at(0).kind, "gifs");
  EXPECT_TRUE(record->prompt.contains("9"));
}

TEST(PromptRecordReader, Error_IsToldFromInterruption) {
  auto error = record_of(R"({"outputs":{},"status":{"status_str":"error","messages":[
      ["execution_error",{"node_id":"3","exception_message":"x"}]]}})");
  EXPECT_EQ(error->status, PromptRecord::Status::error);
  EXPECT_EQ(error->fault->node_id, "3");
  auto stopped = record_of(R"({"outputs":{},"status":{"status_str":"error","messages":[
      ["execution_interrupted",{"node_id":"3"}]]}})");
  EXPECT_EQ(stopped->status, PromptRecord::Status::interrupted);
  EXPECT_EQ(stopped->stopped_at, "3");
}

TEST(PromptRecordReader, MissingStatus_IsUnknown) {
  EXPECT_EQ(record_of(R"({"outputs":{}})")->status, PromptRecord::Status::unknown);
}

TEST(PromptRecordReader, BrokenEntries_AreErrorsOrPassedOver) {
  EXPECT_FALSE(record_of("{}"));
  EXPECT_FALSE(record_of(R"({"outputs":[]})"));
  EXPECT_TRUE(record_of(R"({"outputs":{"1":7},"prompt":[1],"status":{"messages":[1,[],["x"]]}})"));
}

TEST(QueueReader, BothLists_AreRead) {
  auto queue = read_queue(boost::json::parse(R"({"queue_running":[[0,"a",{},{"client_id":"c"},[]]],
      "queue_pending":[[-1,"b",{},{},[],{}],[2],7,[3,4]]})")
                              .get_object());
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->running.at(0).client_id, "c");
  ASSERT_EQ(queue->pending.size(), 1U);
  EXPECT_EQ(queue->pending[0].number, -1);
  EXPECT_FALSE(read_queue({}));
}

}  // namespace
}  // namespace parley::comfyui
