// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <sstream>

#include "tests/support/api/api_world.h"
#include "tests/support/run/fake_run_service.h"

namespace parley::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Reply;
using testing::World;

class RunEvents : public ::testing::Test {
 protected:
  RunEvents() { world_.set_runs(runs_); }

  void begin(const std::string& id) {
    run::RunRequest request;
    request.owner = "id-alice";
    request.session = "thread";
    request.run_id = id;
    runs_.start(std::move(request), world_.shard(0), [](const auto& run) { ASSERT_TRUE(run); });
    world_.settle();
  }
  void say(const std::string& id) {
    runs_.emit(id, "run-think-0", runtime::MessageChunk{"Hello", "think"});
    world_.settle();
  }
  void finish(const std::string& id) {
    runs_.finish(id, "Hello");
    world_.settle();
    runs_.runs.at(id).ended_at = core::from_unix_ms(1);
  }

  std::shared_ptr<Reply> watch(const std::string& id, const std::string& query = "",
                               const std::string& accept = "application/x-ndjson") {
    auto stream =
        world_.send("GET", "/v1/runs/" + id + "/events" + query, "alice", "", {{"Accept", accept}});
    world_.advance(core::Millis(100));
    return stream;
  }

  // The type of each line; "reply" for the reply.
  static std::vector<std::string> types_of(const Reply& reply) {
    std::vector<std::string> out;
    std::istringstream lines(reply.body->text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("data: ")) line.erase(0, 6);
      if (!line.starts_with('{')) continue;
      const boost::json::object frame = boost::json::parse(line).as_object();
      const auto* type = frame.if_contains("type");
      out.emplace_back(type == nullptr ? "reply" : std::string(type->as_string()));
    }
    return out;
  }

  World world_;
  run::FakeRunService runs_{world_.hub()};
};

TEST_F(RunEvents, RunCancelledAtLaunch_HasNoEvents) {
  begin("run-1");
  say("run-1");
  finish("run-1");
  run::Run never = runs_.runs.at("run-1");
  never.id = "run-2";
  never.first_seq = never.last_seq = 0;
  never.state = run::RunState::cancelled;
  runs_.runs["run-2"] = never;
  const auto stream = watch("run-2");
  EXPECT_THAT(types_of(*stream), ElementsAre());
  EXPECT_TRUE(stream->body->ended);
}

TEST_F(RunEvents, LaterRunsInSession_AreExcluded) {
  begin("run-1");
  say("run-1");
  finish("run-1");
  begin("run-2");
  const auto first = watch("run-1");
  EXPECT_THAT(types_of(*first), ElementsAre("run_start", "message_chunk", "reply"));
  EXPECT_TRUE(first->body->ended);
  const auto second = watch("run-2");
  EXPECT_THAT(types_of(*second), ElementsAre("run_start"));
  EXPECT_TRUE(second->body->open());
}

TEST_F(RunEvents, RunWithoutEnd_StopsAtNextRun) {
  begin("run-1");
  say("run-1");
  const auto watched = watch("run-1");
  begin("run-2");
  const auto late = watch("run-1");
  for (const auto& stream : {watched, late}) {
    EXPECT_THAT(types_of(*stream), ElementsAre("run_start", "message_chunk"));
    EXPECT_TRUE(stream->body->ended);
  }
}

TEST_F(RunEvents, ClientWithLastEvent_EndsAtOnce) {
  begin("run-1");
  say("run-1");
  finish("run-1");
  for (const std::string accept : {"application/x-ndjson", "text/event-stream"}) {
    const auto stream = watch("run-1", "?after=3", accept);
    EXPECT_THAT(types_of(*stream), IsEmpty());
    EXPECT_TRUE(stream->body->ended) << accept;
  }
}

TEST_F(RunEvents, WatchedRun_EndsWithReply) {
  begin("run-1");
  const auto stream = watch("run-1");
  say("run-1");
  EXPECT_TRUE(stream->body->open());
  finish("run-1");
  world_.advance(core::Millis(100));
  EXPECT_THAT(types_of(*stream), ElementsAre("run_start", "message_chunk", "reply"));
  EXPECT_TRUE(stream->body->ended);
}

TEST_F(RunEvents, EventBehindTheReply_KeepsNoStreamOpen) {
  begin("run-1");
  const auto watched = watch("run-1");
  runs_.finish("run-1", "Hello");
  runs_.runs.at("run-1").ended_at.reset();  // it is recorded later than it is seen
  world_.settle();
  say("run-1");
  const auto late = watch("run-1");
  EXPECT_TRUE(watched->body->open());
  EXPECT_TRUE(late->body->open());
  runs_.runs.at("run-1").ended_at = core::from_unix_ms(1);
  world_.advance(std::chrono::seconds(10));
  EXPECT_TRUE(watched->body->ended);
  EXPECT_TRUE(late->body->ended);
}

TEST_F(RunEvents, EventsLostByKill_ClientContinues) {
  begin("run-1");
  // The client saw events up to 40, which were lost with the process.
  const auto back = watch("run-1", "?after=40");
  EXPECT_THAT(types_of(*back), IsEmpty()) << "nothing comes twice";
  EXPECT_TRUE(back->body->open());
  world_.hub().with_session({"thread", std::string(run::kRunDialect), "id-alice"},
                            [](const core::Result<session::Session*>& session) {
                              ASSERT_TRUE(session);
                              (*session)->skip_lost_numbers();
                            });
  world_.settle();
  say("run-1");
  finish("run-1");
  world_.advance(core::Millis(100));
  EXPECT_THAT(types_of(*back), ElementsAre("message_chunk", "reply"));
  EXPECT_TRUE(back->body->ended);
}

}  // namespace
}  // namespace parley::api
