// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/engine.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "tests/support/comfyui/fault.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::fake_comfyui {
namespace {

using Words = std::vector<std::string>;

class EngineTest : public ::testing::Test, public EngineListener {
 protected:
  void on_event(const std::string& client, std::string_view type,
                boost::json::object data) override {
    const boost::json::value* node = data.if_contains("node");
    std::string word(type);
    if (node != nullptr) word += node->is_null() ? " -" : " " + std::string(node->get_string());
    if (type != "progress_state") words.push_back(client + ": " + word);
  }
  void on_preview(const std::string&, std::string message) override {
    EXPECT_GT(message.size(), 8U);
  }
  void on_queue_changed() override {}

  static boost::json::object prompt(int ticks) {
    return boost::json::parse(R"({
      "1":{"class_type":"LoadImage","inputs":{"image":"example.png"}},
      "2":{"class_type":"TestSlow","inputs":{"image":["1",0],"ticks":)" +
                              std::to_string(ticks) + R"(}},
      "3":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"x"}}})")
        .get_object();
  }
  bool submit(const std::string& id, double number = 0, int ticks = 2) {
    Job job;
    job.prompt_id = id;
    job.number = number;
    job.client_id = "c";
    job.prompt = prompt(ticks);
    job.outputs = {"3"};
    return engine.submit(std::move(job));
  }
  std::string status(const std::string& id) {
    const auto history = engine.history(std::string_view(id));
    if (!history.contains(id)) return "none";
    return std::string(history.at(id).at("status").at("status_str").get_string());
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{1};
  FileStore files{1U << 20U};
  Engine engine{scheduler, entropy, files, *this, {core::Millis(10), true, 3, 2}};
  Words words;
};

TEST_F(EngineTest, Run_IsToldInServerOrder) {
  submit("a");
  scheduler.advance(core::Millis(1'000));
  EXPECT_EQ(words, (Words{"c: execution_start", "c: execution_cached", "c: executing 1",
                          "c: executing 2", "c: progress 2", "c: progress 2", "c: executing 3",
                          "c: executed 3", "c: execution_success", "c: executing -"}));
  EXPECT_EQ(status("a"), "success");
  EXPECT_NE(files.find({"output", "", "x_00001_.png"}), nullptr);
}

TEST_F(EngineTest, UnchangedNodes_AreCached) {
  submit("a");
  scheduler.advance(core::Millis(1'000));
  words.clear();
  submit("b");
  scheduler.advance(core::Millis(1'000));
  EXPECT_EQ(words, (Words{"c: execution_start", "c: execution_cached", "c: executed 3",
                          "c: execution_success", "c: executing -"}));
  words.clear();
  submit("c", 0, 1);
  scheduler.advance(core::Millis(1'000));
  EXPECT_EQ(words,
            (Words{"c: execution_start", "c: execution_cached", "c: executing 2", "c: executing 3",
                   "c: executed 3", "c: execution_success", "c: executing -"}));
}

TEST_F(EngineTest, ChangedFile_IsLoadedAgain) {
  submit("a");
  scheduler.advance(core::Millis(1'000));
  files.put({"input", "", "example.png"}, "other");
  submit("b");
  scheduler.advance(core::Millis(1'000));
  EXPECT_EQ(*files.find({"output", "", "x_00002_.png"}), "other");
}

TEST_F(EngineTest, LowNumbers_RunFirst_QueueIsLimited) {
  submit("running", 0, 100);
  EXPECT_TRUE(submit("a", 1));
  EXPECT_TRUE(submit("b", 2));
  EXPECT_TRUE(submit("front", -3));
  EXPECT_FALSE(submit("over", 4));
  const auto queue = engine.queue();
  EXPECT_EQ(queue.at("queue_running").at(0).at(1), "running");
  EXPECT_EQ(queue.at("queue_pending").at(0).at(1), "front");
  EXPECT_EQ(engine.remaining(), 4U);
  engine.remove_pending({"a", "none"});
  EXPECT_EQ(engine.remaining(), 3U);
}

TEST_F(EngineTest, Interrupt_EndsRunningPrompt) {
  submit("a", 0, 100);
  submit("b");
  scheduler.advance(core::Millis(50));
  engine.interrupt("b");
  scheduler.advance(core::Millis(50));
  EXPECT_EQ(status("a"), "none");
  engine.interrupt("a");
  scheduler.advance(core::Millis(10));
  EXPECT_EQ(status("a"), "error");
  scheduler.advance(core::Millis(1'000));
  EXPECT_EQ(status("b"), "success");
}

TEST_F(EngineTest, History_KeepsLatest) {
  for (const char* id : {"a", "b", "c"}) submit(id);
  scheduler.advance(core::Millis(1'000));
  EXPECT_EQ(status("a"), "none");
  EXPECT_EQ(engine.history(std::size_t{1}).begin()->key(), "c");
  engine.remove_history({"c"});
  EXPECT_EQ(engine.history(std::size_t{9}).size(), 1U);
}

TEST_F(EngineTest, DeterministicMode_GivesSameIds) {
  core::SeededEntropy again{1};
  Engine other(scheduler, again, files, *this, {});
  EXPECT_EQ(engine.new_prompt_id(), other.new_prompt_id());
}

TEST(FileStore, OldestFiles_GoWithoutRoom) {
  FileStore files(10);
  files.put({"output", "", "a"}, "12345");
  files.put({"output", "", "b"}, "12345");
  files.put({"output", "", "c"}, "1");
  EXPECT_EQ(files.find({"output", "", "a"}), nullptr);
  EXPECT_NE(files.find({"output", "", "b"}), nullptr);
  EXPECT_EQ(FileStore::key_of("s/t/x.png [output]"), (FileStore::Key{"output", "s/t", "x.png"}));
}

TEST(Picture, Picture_DependsOnSeedAndText) {
  const std::string one = draw({1, "a", 40, 30});
  EXPECT_TRUE(one.starts_with("\x89PNG"));
  EXPECT_EQ(one, draw({1, "a", 40, 30}));
  EXPECT_NE(one, draw({2, "a", 40, 30}));
  EXPECT_NE(one, draw({1, "b", 40, 30}));
  EXPECT_LT(draw({1, "a", 16'384, 16'384}).size(), 1U << 20U);
}

TEST(FaultReader, BadFault_NamesField) {
  const auto fault_of = [](const char* json) {
    return read_fault(boost::json::parse(json).get_object());
  };
  EXPECT_EQ(fault_of(R"({"fault":"slow","route":"/x","delay_ms":5})")->delay, core::Millis(5));
  EXPECT_EQ(fault_of("{}").error().field, "fault");
  EXPECT_EQ(fault_of(R"({"fault":"fire"})").error().field, "fault");
  EXPECT_EQ(fault_of(R"({"fault":"status","status":200})").error().field, "status");
  EXPECT_EQ(fault_of(R"({"fault":"slow","times":"two"})").error().field, "times");
  EXPECT_EQ(fault_of(R"({"fault":"slow","route":1})").error().field, "route");
}

}  // namespace
}  // namespace parley::fake_comfyui
