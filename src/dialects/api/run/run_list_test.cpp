// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/run/run_list.h"

#include <gmock/gmock.h>

#include "tests/support/api/api_world.h"
#include "tests/support/run/fake_run_service.h"

namespace parley::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A server whose list of runs the test changes.
class RunListStream : public ::testing::Test {
 protected:
  RunListStream() { world_.set_runs(runs_, &changes_); }

  std::shared_ptr<testing::Reply> open(const std::string& token = "alice",
                                       const std::string& target = "/v1/runs") {
    auto stream = world_.send("GET", target, token, {}, {{"Accept", "text/event-stream"}});
    world_.settle();
    return stream;
  }
  void change(const std::string& token, const std::string& id, run::RunState state,
              const std::string& session = "s") {
    run::Run run;
    run.id = id;
    run.owner = "id-" + token;
    run.session = session;
    run.message = "line\none";
    run.state = state;
    changes_.tell(run);
    world_.settle();
  }
  // "ID STATE" of each run in the stream.
  static std::vector<std::string> told(const testing::Reply& stream) {
    std::vector<std::string> out;
    std::string_view rest = stream.body->text;
    for (std::size_t at = rest.find("data: {"); at != std::string_view::npos;
         at = rest.find("data: {")) {
      rest.remove_prefix(at + 6);
      const auto run = boost::json::parse(rest.substr(0, rest.find("\n\n")));
      if (const auto* id = run.as_object().if_contains("id")) {
        out.push_back(std::string(id->as_string()) + " " +
                      std::string(run.at("state").as_string()));
      }
    }
    return out;
  }

  testing::World world_{std::chrono::seconds(1)};
  run::FakeRunService runs_{world_.hub()};
  run::RunWatchers changes_;
};

TEST_F(RunListStream, EachRunOfCaller_IsToldOnChange) {
  const auto stream = open();
  EXPECT_EQ(stream->response->headers.get("Content-Type"), "text/event-stream");
  EXPECT_EQ(stream->body->text, ": from here on\n\n") << "what was before stands in the pages";
  change("alice", "r1", run::RunState::running);
  change("bob", "r2", run::RunState::running);
  change("alice", "r1", run::RunState::finished);
  EXPECT_THAT(told(*stream), ElementsAre("r1 running", "r1 finished"));
}

TEST_F(RunListStream, NamedSession_FiltersRuns) {
  const auto stream = open("alice", "/v1/runs?session=s2");
  change("alice", "r1", run::RunState::running, "s1");
  change("alice", "r2", run::RunState::running, "s2");
  EXPECT_THAT(told(*stream), ElementsAre("r2 running"));
}

TEST_F(RunListStream, DeletedSessions_AreTold) {
  const auto all = open();
  const auto one = open("alice", "/v1/runs?session=s2");
  changes_.notify_removed("id-alice", "s1");
  changes_.notify_removed("id-bob", "s3");
  world_.settle();
  EXPECT_EQ(all->body->text, ": from here on\n\nevent: removed\ndata: {\"session_id\":\"s1\"}\n\n");
  EXPECT_THAT(one->body->text, Not(HasSubstr("removed"))) << "it is of another session";
  changes_.notify_removed("id-alice", "s2");
  world_.settle();
  EXPECT_THAT(one->body->text, HasSubstr("event: removed\ndata: {\"session_id\":\"s2\"}"));
}

TEST_F(RunListStream, RequestWithoutAccept_GetsPage) {
  EXPECT_TRUE(world_.call("GET", "/v1/runs", "alice").json().at("runs").as_array().empty());
  EXPECT_EQ(changes_.count(), 0U);
}

TEST_F(RunListStream, Stream_NeedsToken) {
  const auto stream = open("nobody");
  EXPECT_EQ(stream->status(), 401);
  EXPECT_EQ(changes_.count(), 0U);
}

TEST_F(RunListStream, QuietStream_SendsKeepAlive) {
  const auto stream = open();
  world_.advance(std::chrono::milliseconds(2'500));
  EXPECT_THAT(stream->body->text, HasSubstr(": still here\n\n: still here\n\n"));
}

TEST_F(RunListStream, EndOfToken_EndsStream) {
  const auto stream = open();
  world_.hub().revoke("id-alice");
  world_.settle();
  EXPECT_TRUE(stream->body->ended);
  EXPECT_THAT(stream->body->text, HasSubstr("event: end\ndata: {\"reason\":\"token_revoked\"}"));
  EXPECT_EQ(changes_.count(), 0U);
}

TEST_F(RunListStream, TokenEndedDuringOpening_EndsStream) {
  const auto stream =
      world_.send("GET", "/v1/runs", "alice", "", {{"Accept", "text/event-stream"}});
  world_.revoke_token("alice");
  world_.settle();
  ASSERT_TRUE(stream->body);
  EXPECT_TRUE(stream->body->ended);
  EXPECT_THAT(stream->body->text, HasSubstr("{\"reason\":\"token_revoked\"}"));
}

TEST_F(RunListStream, EndOfOtherLogin_LeavesStreamOpen) {
  const auto stream = open();
  world_.notify_end("id-alice");
  world_.settle();
  EXPECT_FALSE(stream->body->ended);
  world_.revoke_token("alice");
  world_.notify_end("id-alice");
  world_.settle();
  EXPECT_TRUE(stream->body->ended);
}

TEST_F(RunListStream, ReaderThatLeaves_IsForgotten) {
  const auto stream = open();
  EXPECT_EQ(changes_.count(), 1U);
  stream->body->leave();
  world_.settle();
  EXPECT_EQ(changes_.count(), 0U);
  const auto session = world_.call("GET", "/v1/sessions/assistant-id-alice", "alice").json();
  EXPECT_THAT(session.at("participants").as_array(), IsEmpty());
  change("alice", "r1", run::RunState::running);
  EXPECT_THAT(stream->body->text, Not(HasSubstr("r1")));
}

TEST_F(RunListStream, ReaderThatStalls_IsCutOff) {
  const auto stream = open();
  stream->body->stuck = 5U << 20U;
  change("alice", "r1", run::RunState::running);
  EXPECT_TRUE(stream->body->ended);
  EXPECT_THAT(stream->body->text, HasSubstr("too_slow"));
  EXPECT_EQ(changes_.count(), 0U);
}

}  // namespace
}  // namespace parley::api
