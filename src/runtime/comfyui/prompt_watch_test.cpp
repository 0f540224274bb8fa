// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/prompt_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "tests/support/comfyui/comfy_world.h"

namespace parley::comfyui {
namespace {

using OutcomeKind = PromptOutcome::Kind;
using FaultKind = ComfyWorld::Fault::Kind;
using EventKind = ProgressEvent::Kind;
using ::testing::HasSubstr;

class PromptWatchTest : public ::testing::Test {
 protected:
  explicit PromptWatchTest(fake_comfyui::FakeOptions options = ComfyWorld::quick())
      : world(std::move(options)) {}
  void TearDown() override {
    world.on_home([this] { watch.reset(); });
  }

  void start(boost::json::object prompt, WatchOptions options = {}) {
    world.on_home([&] {
      watch = std::make_unique<PromptWatch>(*world.client, world.sockets, options);
      PromptRequest request;
      request.prompt = std::move(prompt);
      WatchEvents events;
      events.on_queued = [this](const QueuedPrompt& told) {
        queued.set_value(told.prompt_id);
        ++queued_count;
      };
      events.on_event = [this](const ProgressEvent& event) {
        if (event.kind == EventKind::progress && !std::exchange(ran, true)) running.set_value();
        if (event.kind != EventKind::status) seen.push_back(event);
      };
      events.on_preview = [this](const Preview& preview) {
        previews += preview.kind == Preview::Kind::png ? 1 : 100;
      };
      watch->start(std::move(request), source.token(), std::move(events),
                   [this](PromptOutcome outcome) { ended.set_value(std::move(outcome)); });
    });
  }
  PromptOutcome outcome() {
    auto end = ended.get_future();
    if (end.wait_for(std::chrono::minutes(2)) != std::future_status::ready) {
      ADD_FAILURE() << "no outcome";
      return {};
    }
    return end.get();
  }
  PromptOutcome run(boost::json::object prompt, WatchOptions options = {}) {
    start(std::move(prompt), options);
    return outcome();
  }
  template <typename T>
  T wait_for(std::promise<T>& promise) {
    auto told = promise.get_future();
    EXPECT_EQ(told.wait_for(std::chrono::minutes(2)), std::future_status::ready);
    return told.get();
  }
  std::vector<EventKind> kinds() const {
    std::vector<EventKind> out;
    for (const ProgressEvent& event : seen) {
      if (out.empty() || out.back() != event.kind) out.push_back(event.kind);
    }
    return out;
  }
  static WatchOptions watchful() {
    WatchOptions options;
    options.check_interval = core::Millis(50);
    options.first_pause = core::Millis(10);
    return options;
  }

  ComfyWorld world;
  core::CancelSource source;
  std::promise<std::string> queued;
  std::promise<void> running;
  std::promise<PromptOutcome> ended;
  // Client's thread only, until the outcome arrives.
  std::vector<ProgressEvent> seen;
  int previews = 0;
  int queued_count = 0;
  bool ran = false;
  std::unique_ptr<PromptWatch> watch;
};

TEST_F(PromptWatchTest, Success_TellsProgressThenOutputs) {
  const PromptOutcome end = run(sample_prompt(5, 4));
  EXPECT_EQ(end.kind, OutcomeKind::success);
  ASSERT_EQ(end.outputs.size(), 1U);
  EXPECT_EQ(end.outputs[0].node_id, "9");
  EXPECT_EQ(end.outputs[0].files.at(0).filename, "ComfyUI_00001_.png");
  const auto progressed = std::count_if(seen.begin(), seen.end(), [](const ProgressEvent& event) {
    return event.kind == EventKind::progress;
  });
  EXPECT_EQ(progressed, 4);
  EXPECT_EQ(previews, 4);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().kind, EventKind::execution_start);
  EXPECT_EQ(queued_count, 1);
  EXPECT_EQ(end.prompt_id, seen.front().prompt_id);
}

TEST_F(PromptWatchTest, UnchangedWorkflow_IsCached) {
  world.queued_id(sample_prompt());
  world.wait_until_idle();
  const PromptOutcome end = run(sample_prompt());
  EXPECT_EQ(end.kind, OutcomeKind::success);
  EXPECT_EQ(end.outputs.size(), 1U);
  const auto cached = std::find_if(seen.begin(), seen.end(), [](const ProgressEvent& event) {
    return event.kind == EventKind::execution_cached;
  });
  ASSERT_NE(cached, seen.end());
  EXPECT_EQ(cached->cached.size(), 7U);
}

TEST_F(PromptWatchTest, RefusedPrompt_HasFaults) {
  auto prompt = sample_prompt();
  prompt.erase("8");
  const PromptOutcome end = run(prompt);
  EXPECT_EQ(end.kind, OutcomeKind::refused);
  EXPECT_FALSE(end.faults.nodes.empty());
}

TEST_F(PromptWatchTest, FailingNode_IsNamed) {
  const PromptOutcome end = run(json_object(R"({
    "1":{"class_type":"TestFail","inputs":{"message":"out of memory"}},
    "2":{"class_type":"SaveImage","inputs":{"images":["1",0],"filename_prefix":"x"}}})"));
  EXPECT_EQ(end.kind, OutcomeKind::failed);
  ASSERT_TRUE(end.fault);
  EXPECT_EQ(end.fault->node_id, "1");
  EXPECT_EQ(end.fault->node_type, "TestFail");
  EXPECT_EQ(end.fault->message, "out of memory");
  EXPECT_THAT(end.fault->traceback, HasSubstr("nodes.py"));
}

class OldPromptWatchTest : public PromptWatchTest {
 protected:
  OldPromptWatchTest() : PromptWatchTest(old()) {}

 private:
  static fake_comfyui::FakeOptions old() {
    fake_comfyui::FakeOptions options = ComfyWorld::quick();
    options.old_shapes = true;
    return options;
  }
};

TEST_F(OldPromptWatchTest, HistoryWithoutStatus_EventTellsFailure) {
  const PromptOutcome end = run(json_object(R"({
    "1":{"class_type":"TestFail","inputs":{"message":"out of memory"}},
    "2":{"class_type":"SaveImage","inputs":{"images":["1",0],"filename_prefix":"x"}}})"));
  EXPECT_EQ(end.kind, OutcomeKind::failed);
  ASSERT_TRUE(end.fault);
  EXPECT_EQ(end.fault->node_id, "1");
}

TEST_F(OldPromptWatchTest, HistoryWithoutStatus_EventTellsInterruption) {
  start(slow_prompt(1'000'000));
  wait_for(running);
  ASSERT_TRUE(
      world.ask<void>([&](auto done) { world.client->interrupt("", {}, std::move(done)); }));
  EXPECT_EQ(outcome().kind, OutcomeKind::interrupted);
}

TEST_F(OldPromptWatchTest, HistoryWithoutStatus_OtherEndIsSuccess) {
  EXPECT_EQ(run(sample_prompt()).kind, OutcomeKind::success);
}

TEST_F(PromptWatchTest, Interrupted_IsNoFailure) {
  start(slow_prompt(1'000'000));
  wait_for(running);
  ASSERT_TRUE(
      world.ask<void>([&](auto done) { world.client->interrupt("", {}, std::move(done)); }));
  EXPECT_EQ(outcome().kind, OutcomeKind::interrupted);
}

TEST_F(PromptWatchTest, DroppedSocket_IsOpenedAgain) {
  ComfyWorld::Fault fault;
  fault.kind = FaultKind::drop_socket;
  fault.after_events = 10;
  world.server->inject(fault);
  const PromptOutcome end = run(slow_prompt(300), watchful());
  EXPECT_EQ(end.kind, OutcomeKind::success);
  EXPECT_EQ(end.outputs.size(), 1U);
  // Events arrived after the drop as well.
  EXPECT_GT(seen.size(), 20U);
}

TEST_F(PromptWatchTest, SocketNeverReopened_HistoryTellsEnd) {
  ComfyWorld::Fault fault;
  fault.kind = FaultKind::drop_socket;
  fault.after_events = 10;
  world.server->inject(fault);
  world.connect();
  start(slow_prompt(100), watchful());
  wait_for(running);
  world.inject(FaultKind::refuse_socket, "", -1);
  EXPECT_EQ(outcome().kind, OutcomeKind::success);
}

TEST_F(PromptWatchTest, MuteSocket_HistoryTellsEnd) {
  world.inject(FaultKind::mute_socket, "", -1);
  EXPECT_EQ(run(slow_prompt(20), watchful()).kind, OutcomeKind::success);
  EXPECT_TRUE(seen.empty());
}

TEST_F(PromptWatchTest, GarbageOnSocket_IsSkipped) {
  world.inject(FaultKind::garbage_socket, "", 5);
  EXPECT_EQ(run(sample_prompt()).kind, OutcomeKind::success);
}

TEST_F(PromptWatchTest, RestartedServer_LosesWorkflow) {
  start(slow_prompt(1'000'000), watchful());
  wait_for(running);
  world.inject(FaultKind::crash);
  const PromptOutcome end = outcome();
  EXPECT_EQ(end.kind, OutcomeKind::lost);
  EXPECT_EQ(end.error.code, core::Code::not_found);
}

TEST_F(PromptWatchTest, ServerGone_IsGivenUpAfterSilence) {
  WatchOptions options = watchful();
  options.silence = core::Millis(200);
  start(slow_prompt(1'000'000), options);
  wait_for(running);
  world.server.reset();
  const PromptOutcome end = outcome();
  EXPECT_EQ(end.kind, OutcomeKind::lost);
  EXPECT_EQ(end.error.code, core::Code::unavailable);
  EXPECT_THAT(end.error.message, HasSubstr("has not answered for 200 ms"));
}

TEST_F(PromptWatchTest, CancelBeforeAnswer_NamesRequestedId) {
  world.inject(FaultKind::lose_answer, "/prompt");
  start(slow_prompt(1'000'000));
  world.wait_for([](const QueueState& queue) { return !queue.running.empty(); });
  world.on_home([&] { source.cancel("enough"); });
  const PromptOutcome end = outcome();
  EXPECT_EQ(end.kind, OutcomeKind::cancelled);
  EXPECT_TRUE(world.ask<void>(
      [&](auto done) { world.client->withdraw(end.prompt_id, {}, std::move(done)); }));
}

TEST_F(PromptWatchTest, PromptDeletedFromQueue_IsLost) {
  world.queued_id(slow_prompt(1'000'000));
  start(sample_prompt(), watchful());
  const std::string id = wait_for(queued);
  ASSERT_TRUE(
      world.ask<void>([&](auto done) { world.client->delete_pending({id}, {}, std::move(done)); }));
  EXPECT_EQ(outcome().kind, OutcomeKind::lost);
}

TEST_F(PromptWatchTest, LostAnswer_WorkflowIsFound_NotQueuedTwice) {
  ClientOptions options;
  options.request_timeout = core::Millis(200);
  world.connect(options);
  world.inject(FaultKind::lose_answer, "/prompt");
  const PromptOutcome end = run(sample_prompt());
  EXPECT_EQ(end.kind, OutcomeKind::success);
  EXPECT_EQ(end.outputs.size(), 1U);
  EXPECT_EQ(queued_count, 1);
  auto records = world.ask<std::vector<PromptRecord>>(
      [&](auto done) { world.client->history(std::size_t{10}, {}, std::move(done)); });
  EXPECT_EQ(records->size(), 1U);
}

TEST_F(PromptWatchTest, UnansweredAndNotQueued_IsReported) {
  ClientOptions options;
  options.request_timeout = core::Millis(100);
  world.connect(options);
  world.inject(FaultKind::hang, "/prompt");
  const PromptOutcome end = run(sample_prompt());
  EXPECT_EQ(end.kind, OutcomeKind::not_queued);
  EXPECT_EQ(end.error.code, core::Code::deadline_exceeded);
}

TEST_F(PromptWatchTest, ServerErrorOnPrompt_IsNotQueued) {
  world.inject(FaultKind::status, "/prompt");
  EXPECT_EQ(run(sample_prompt()).error.code, core::Code::unavailable);
}

TEST_F(PromptWatchTest, ErrorsOfHistory_AreTriedAgain) {
  world.inject(FaultKind::status, "/history", 1);
  EXPECT_EQ(run(sample_prompt()).kind, OutcomeKind::success);
}

TEST_F(PromptWatchTest, RefusedSocket_QueuesNothing) {
  ComfyWorld::Fault fault;
  fault.kind = FaultKind::refuse_socket;
  fault.status = 403;
  world.server->inject(fault);
  const PromptOutcome end = run(sample_prompt());
  EXPECT_EQ(end.kind, OutcomeKind::not_queued);
  EXPECT_EQ(end.error.code, core::Code::permission_denied);
  auto queue =
      world.ask<QueueState>([&](auto done) { world.client->queue_state({}, std::move(done)); });
  EXPECT_TRUE(queue->running.empty() && queue->pending.empty());
}

TEST_F(PromptWatchTest, Deadline_IsLost) {
  WatchOptions options;
  options.deadline = core::Millis(100);
  const PromptOutcome end = run(slow_prompt(1'000'000), options);
  EXPECT_EQ(end.kind, OutcomeKind::lost);
  EXPECT_EQ(end.error.code, core::Code::deadline_exceeded);
  EXPECT_FALSE(end.prompt_id.empty());
}

TEST_F(PromptWatchTest, Cancel_EndsWait) {
  start(slow_prompt(1'000'000));
  wait_for(running);
  world.on_home([&] { source.cancel("enough"); });
  EXPECT_EQ(outcome().kind, OutcomeKind::cancelled);
}

TEST_F(PromptWatchTest, DestroyedWatch_ClosesSocket_CallsNoCallback) {
  start(slow_prompt(1'000'000));
  wait_for(running);
  EXPECT_EQ(world.server->sockets(), 1U);
  world.on_home([this] { watch.reset(); });
  for (int i = 0; i < 5'000 && world.server->sockets() > 0; ++i) world.server->sockets();
  EXPECT_EQ(world.server->sockets(), 0U);
}

TEST_F(PromptWatchTest, ServerByName_IsLookedUp) {
  const std::string url = world.server->url();
  world.connect({}, "http://localhost" + url.substr(url.rfind(':')));
  EXPECT_EQ(run(sample_prompt()).kind, OutcomeKind::success);
  EXPECT_FALSE(seen.empty());
}

TEST_F(PromptWatchTest, UnknownName_IsNotQueued) {
  world.connect({}, "http://no-such-host.invalid:8188");
  EXPECT_EQ(run(sample_prompt()).error.code, core::Code::unavailable);
}

TEST_F(PromptWatchTest, OthersEvents_AreNotTold) {
  world.queued_id(slow_prompt(200));
  const PromptOutcome end = run(sample_prompt());
  EXPECT_EQ(end.kind, OutcomeKind::success);
  for (const ProgressEvent& event : seen) EXPECT_EQ(event.prompt_id, end.prompt_id);
}

}  // namespace
}  // namespace parley::comfyui
