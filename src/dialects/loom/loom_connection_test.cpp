// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/loom_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/loom/loom_world.h"
#include "tests/support/stream/sample_events.h"

namespace parley::loom {
namespace {

using namespace runtime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST(LoomRun, Run_IsShownUnderClientId) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"r1","message":"Hello","thread_id":"th"})");
  const std::string run = server.runs->last();
  EXPECT_THAT(peer.take(),
              ElementsAre(R"({"type":"run_stream_event","id":"r1","event":{"session_id":"th",)"
                          R"("event_id":1,"type":"run_start","run_id":")" +
                          run + R"(","message":"Hello","agent":"react","node_id":"run-0"}})"));
  server.runs->emit(run, "run-think-0", NodeEnter{"think"});
  server.runs->emit(run, "run-think-0", MessageChunk{"Hi", "think"});
  server.run();
  EXPECT_THAT(peer.take(),
              ElementsAre(R"({"type":"run_stream_event","id":"r1","event":{"session_id":"th",)"
                          R"("event_id":2,"type":"node_enter","id":"think",)"
                          R"("node_id":"run-think-0"}})",
                          HasSubstr(R"("content":"Hi")")));
  server.runs->finish(run, "Hi there");
  server.run();
  EXPECT_THAT(peer.take(),
              ElementsAre(R"({"type":"run_end","id":"r1","reply":"Hi there","session_id":"th",)"
                          R"("node_id":"run-think-0","event_id":4,"run_id":")" +
                          run + R"(","stop_reason":"end_turn"})"));
}

TEST(LoomRun, RunWithoutId_UsesItsOwnId) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","message":"Hello"})");
  const std::string run = server.runs->last();
  EXPECT_THAT(run, StartsWith("run-"));
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("id":")" + run + R"(","event":)")));
  EXPECT_THAT(server.runs->requests.at(0).session, StartsWith("session-"));
}

TEST(LoomRun, Request_IsPassedOnWhole) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"r","message":[{"type":"text","text":"look"},)"
            R"({"type":"image_url","url":"https://example.org/a.png"}],"agent":"got",)"
            R"("got_adaptive":true,"verbose":false,"model":"fake/two","working_folder":"/w",)"
            R"("workspace_id":"w1"})");
  const run::RunRequest& request = server.runs->requests.at(0);
  EXPECT_EQ(request.message.content, "look");
  EXPECT_EQ(request.message.parts.size(), 2U);
  EXPECT_EQ(request.agent, "agot");
  EXPECT_EQ(request.model, "fake/two");
  EXPECT_EQ(request.working_folder, "/w");
  EXPECT_EQ(request.owner, "t1");
  EXPECT_EQ(request.labels.at("workspace"), "w1");
}

TEST(LoomRun, Usage_IsToldAtEnd) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"r","message":"x"})");
  const std::string run = server.runs->last();
  server.runs->emit(run, "run-think-0", Usage{1, 2, 3});
  server.runs->finish(run, "ok",
                      R"(,"usage":{"prompt_tokens":4,"completion_tokens":5,"total_tokens":9},)"
                      R"("reasoning_content":"hm")");
  server.run();
  EXPECT_THAT(peer.take().back(),
              HasSubstr(R"("reply":"ok","reasoning_content":"hm",)"
                        R"("usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},)"
                        R"("total_usage":{"prompt_tokens":4,"completion_tokens":5,)"
                        R"("total_tokens":9})"));
}

TEST(LoomRun, FailedRun_IsErrorInWordsOfItsKind) {
  for (const auto& [kind, prefix] :
       {std::pair{"react", "run: "}, {"tot", "tot run: "}, {"agot", "got run: "}}) {
    LoomServer server;
    server.runs->kind = kind;
    LoomPeer peer(server);
    peer.send(R"({"type":"run","id":"r","message":"x"})");
    server.runs->reply(server.runs->last(), "so far", "error", run::RunState::failed,
                       R"(,"error":"the model is gone")");
    server.run();
    EXPECT_EQ(peer.take().back(), R"({"type":"error","id":"r","error":")" + std::string(prefix) +
                                      R"(the model is gone"})");
  }
}

TEST(LoomRun, UnstartableRun_IsError) {
  LoomServer server;
  LoomPeer peer(server);
  server.runs->start_failure = core::Error{core::Code::not_found, "There is no agent \"x\"."};
  peer.send(R"({"type":"run","id":"r","message":"x","agent":"x"})");
  EXPECT_THAT(peer.take(),
              ElementsAre(R"({"type":"error","id":"r","error":"run: There is no agent \"x\"."})"));
  peer.send(R"({"type":"run","id":"r","message":"x","thread_id":"a/../b"})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("id":"r","error":"run: thread_id must have)")));
}

TEST(LoomRun, SeveralRuns_GoOnAtOnce) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1"})");
  const std::string first = server.runs->last();
  peer.send(R"({"type":"run","id":"b","message":"2"})");
  const std::string second = server.runs->last();
  peer.send(R"({"type":"run","id":"a","message":"3"})");
  EXPECT_THAT(peer.take().back(), HasSubstr("already follows the run with this id"));
  server.runs->finish(second, "two");
  server.runs->finish(first, "one");
  server.run();
  const std::vector<std::string> sent = peer.take();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_THAT(sent[0], HasSubstr(R"("id":"b","reply":"two")"));
  EXPECT_THAT(sent[1], HasSubstr(R"("id":"a","reply":"one")"));
  peer.send(R"({"type":"run","id":"a","message":"3"})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("run_start")));
}

TEST(LoomRun, EarlierEventsOfThread_AreNotShown) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1","thread_id":"th"})");
  server.runs->finish(server.runs->last(), "one");
  server.run();
  peer.take();
  peer.send(R"({"type":"run","id":"b","message":"2","thread_id":"th"})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("event_id":3,"type":"run_start")")));
}

TEST(LoomRun, EventsOtherThanFrames_AreLeftOut) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1","thread_id":"th"})");
  peer.take();
  server.hub->with_session({"th", "loom", "t1"}, [](core::Result<session::Session*> session) {
    ASSERT_TRUE(session);
    (*session)->append("in", "interaction.noted", "{}", [](core::Result<std::uint64_t>) {});
  });
  server.runs->emit(server.runs->last(), "run-a-0", NodeEnter{"a"});
  server.run();
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("event_id":3,"type":"node_enter")")));
}

TEST(LoomRun, ThreadOfOtherToken_IsRefused) {
  LoomServer server;
  LoomPeer alice(server);
  alice.send(R"({"type":"run","id":"a","message":"1","thread_id":"th"})");
  LoomPeer bob(server, "other");
  bob.send(R"({"type":"run","id":"b","message":"2","thread_id":"th"})");
  EXPECT_THAT(bob.take(), ElementsAre(StartsWith(R"({"type":"error","id":"b","error":"run: )")));
  bob.send(R"({"type":"attach","id":"c","run_id":")" + server.runs->last() + "\"}");
  EXPECT_THAT(bob.take(), ElementsAre(HasSubstr("attach: There is no run")));
  EXPECT_THAT(server.runs->requests, SizeIs(1));
}

TEST(LoomRun, Run_OutlivesClient) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1","thread_id":"th"})");
  peer.hang_up();
  server.runs->emit(server.runs->last(), "run-a-0", NodeEnter{"a"});
  server.run();
  EXPECT_EQ(server.runs->runs.at(server.runs->last()).state, run::RunState::running);
  EXPECT_EQ(server.hub->shard(0).counts().participants, 0U);
}

TEST(LoomRun, Run_MovesConnectionToThreadOfSession) {
  LoomServer server({}, 4);
  std::size_t home = 0;
  while (&server.hub->home_of("th").scheduler() == &server.schedulers[home]) ++home;
  LoomPeer peer(server, "tok", home);
  peer.give(R"({"type":"run","id":"a","message":"1","thread_id":"th"})");
  peer.give(R"({"type":"ping","id":"p"})");
  server.run();
  EXPECT_EQ(peer.socket.moves, 1);
  EXPECT_EQ(&peer.socket.scheduler(), &server.hub->home_of("th").scheduler());
  EXPECT_THAT(peer.take(), ElementsAre(R"({"type":"pong","id":"p"})", HasSubstr("run_start")));
  std::string other = "x";
  while (&server.hub->home_of(other) == &server.hub->home_of("th")) other += 'x';
  peer.send(R"({"type":"run","id":"b","message":"1","thread_id":")" + other + "\"}");
  EXPECT_EQ(peer.socket.moves, 1);
  server.runs->emit(server.runs->last(), "run-a-0", NodeEnter{"a"});
  server.runs->finish(server.runs->last(), "done");
  server.run();
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("run_start"), HasSubstr("node_enter"),
                                       HasSubstr(R"("type":"run_end","id":"b")")));
}

TEST(LoomRun, SessionOfOtherNode_IsRefused_ConnectionStays) {
  LoomServer server;
  server.other_node.owners = {"t1"};
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1","thread_id":"th"})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("Another node owns this session: node-2.")));
  server.other_node.owners.clear();
  peer.send(R"({"type":"run","id":"b","message":"1","thread_id":"th"})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("run_start")));
}

// --- cancel, approve -----------------------------------------------------------------------------

TEST(LoomCancel, Cancel_EndsRun_AnswersInBothForms) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1"})");
  const std::string run = server.runs->last();
  peer.take();
  peer.send(R"({"type":"cancel_run","id":"c","run_id":")" + run + "\"}");
  EXPECT_THAT(peer.take(), testing::UnorderedElementsAre(
                               R"({"type":"error","id":"a","error":"run cancelled"})",
                               R"({"type":"cancel_run","id":"c","run_id":")" + run + "\"}",
                               R"({"type":"cancel_run_ack","id":"c","run_id":")" + run + "\"}"));
}

TEST(LoomCancel, Cancel_KnowsClientIdOfRun) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1"})");
  peer.send(R"({"type":"cancel_run","id":"c","run_id":"a"})");
  EXPECT_EQ(server.runs->runs.at(server.runs->last()).state, run::RunState::cancelled);
}

TEST(LoomCancel, CancelBeforeStart_StartsNothing) {
  LoomServer server;
  LoomPeer peer(server);
  peer.give(R"({"type":"run","id":"a","message":"1"})");
  peer.give(R"({"type":"cancel_run","id":"c","run_id":"a"})");
  server.run();
  EXPECT_THAT(peer.take(),
              testing::UnorderedElementsAre(R"({"type":"error","id":"a","error":"run cancelled"})",
                                            R"({"type":"cancel_run","id":"c","run_id":"a"})",
                                            R"({"type":"cancel_run_ack","id":"c","run_id":"a"})"));
  EXPECT_TRUE(server.runs->runs.empty());
}

TEST(LoomCancel, CancelAtLaunch_IsErrorRunCancelled) {
  LoomServer server;
  server.runs->start_failure = core::Error{core::Code::cancelled, "The run was cancelled."};
  LoomPeer peer(server);
  EXPECT_EQ(peer.ask(R"({"type":"run","id":"a","message":"1"})"),
            R"({"type":"error","id":"a","error":"run cancelled"})");
}

TEST(LoomCancel, CancelOfEndedRun_IsError) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1"})");
  server.runs->finish(server.runs->last(), "x");
  server.run();
  peer.take();
  peer.send(R"({"type":"cancel_run","id":"c","run_id":")" + server.runs->last() + "\"}");
  EXPECT_THAT(peer.take(),
              ElementsAre(R"({"type":"error","id":"c","error":"cancel_run: The run has ended."})"));
}

TEST(LoomApprove, Approve_AnswersWaitingCall) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1"})");
  const std::string run = server.runs->last();
  server.runs->emit(run, "run-act-0", ToolApproval{"c7", "bash", "{}"});
  server.run();
  peer.take();
  peer.send(R"({"type":"approve","id":"y","call_id":"c7","allow":false,"reason":"no"})");
  EXPECT_THAT(peer.take(), ElementsAre(R"({"type":"approve","id":"y","run_id":")" + run +
                                       R"(","call_id":"c7","won":true})"));
  ASSERT_THAT(server.runs->approvals, SizeIs(1));
  EXPECT_EQ(server.runs->approvals[0].second.allow, false);
  EXPECT_EQ(server.runs->approvals[0].second.reason, "no");
  EXPECT_EQ(server.runs->approvals[0].second.by.name.nickname, "alice");
  peer.send(R"({"type":"approve","id":"z","run_id":"a","call_id":"c7","allow":true})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("won":false)")));
  peer.send(R"({"type":"approve","id":"z","call_id":"c8","allow":true})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("approve: no run of this connection waits")));
}

// --- attach --------------------------------------------------------------------------------------

class LoomAttach : public testing::Test {
 protected:
  // Starts a run with three events that the test's client has not received.
  std::string begun(LoomServer& server) {
    LoomPeer first(server);
    first.send(R"({"type":"run","id":"a","message":"1","thread_id":"th"})");
    const std::string run = server.runs->last();
    server.runs->emit(run, "run-a-0", NodeEnter{"a"});
    server.runs->emit(run, "run-a-0", MessageChunk{"one", "a"});
    server.run();
    return run;
  }
};

TEST_F(LoomAttach, Attach_AtPosition_ShowsRunFromThere) {
  LoomServer server;
  const std::string run = begun(server);
  LoomPeer peer(server);
  peer.send(R"({"type":"attach","id":"x","run_id":")" + run + R"(","after":2})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("event_id":3,"type":"message_chunk")")));
  server.runs->emit(run, "run-a-0", MessageChunk{"two", "a"});
  server.runs->finish(run, "done");
  server.run();
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("content":"two")"),
                                       HasSubstr(R"("type":"run_end","id":"x","reply":"done")")));
}

TEST_F(LoomAttach, LiveRunAndItsReplay_AreSameMessages) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1","thread_id":"th"})");
  const std::string run = server.runs->last();
  for (const RunEvent& event : runtime::sample_events()) {
    if (!std::holds_alternative<RunStart>(event)) server.runs->emit(run, "run-a-0", event);
  }
  server.runs->emit(run, "run-a-0", Usage{1, 2, 3});
  server.runs->finish(run, "done");
  server.run();
  std::vector<std::string> shown = peer.take();
  LoomPeer late(server);
  late.send(R"({"type":"attach","id":"a","run_id":")" + run + "\"}");
  const std::vector<std::string> replayed = late.take();
  ASSERT_THAT(shown, SizeIs(replayed.size()));
  EXPECT_EQ(shown, replayed);
  EXPECT_THAT(replayed.back(), HasSubstr(R"("total_tokens":3)"));
}

TEST_F(LoomAttach, Attach_WithoutPosition_ShowsWholeRun) {
  LoomServer server;
  const std::string run = begun(server);
  LoomPeer peer(server);
  peer.send(R"({"type":"attach","run_id":")" + run + "\"}");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("run_start"), HasSubstr("node_enter"),
                                       HasSubstr("message_chunk")));
}

TEST_F(LoomAttach, History_IsWrittenWithinSendQueue) {
  LoomServer server;
  const std::string run = begun(server);
  for (int i = 0; i < 20; ++i) {
    server.runs->emit(run, "run-a-0", MessageChunk{std::string(1U << 20U, 'x'), "a"});
  }
  server.run();
  LoomPeer peer(server);
  peer.socket.fills = true;
  peer.send(R"({"type":"attach","run_id":")" + run + "\"}");
  for (int i = 0; i < 30; ++i) {
    EXPECT_LE(peer.socket.stuck, 4U << 20U);
    peer.socket.stuck = 0;
    server.advance(core::Millis(100));
  }
  EXPECT_THAT(peer.take(), SizeIs(23));
}

TEST_F(LoomAttach, Attach_ToEndedRun_TellsEnd) {
  LoomServer server;
  const std::string run = begun(server);
  server.runs->finish(run, "done");
  server.run();
  LoomPeer peer(server);
  peer.send(R"({"type":"attach","id":"x","run_id":")" + run + R"(","after":4})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("type":"run_end","id":"x","reply":"done")")));
}

TEST_F(LoomAttach, Attach_StopsAtNextRunOfThread) {
  LoomServer server;
  const std::string run = begun(server);
  server.runs->finish(run, "done");
  server.run();
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"b","message":"2","thread_id":"th"})");
  peer.take();
  peer.send(R"({"type":"attach","id":"x","run_id":")" + run + R"(","after":3})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("type":"run_end","id":"x","reply":"done")")));
}

TEST_F(LoomAttach, Attach_ToResumedRun_ContinuesPastReply) {
  LoomServer server;
  const std::string run = begun(server);
  server.runs->reply(run, "so far", "error", run::RunState::failed, R"(,"error":"gone")");
  server.run();
  server.runs->runs.at(run).state = run::RunState::running;
  server.runs->runs.at(run).last_seq = 0;
  server.runs->emit(run, "run-a-1", NodeEnter{"a"});
  server.run();
  LoomPeer peer(server);
  peer.send(R"({"type":"attach","id":"x","run_id":")" + run + R"(","after":3})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("event_id":5,"type":"node_enter")")));
  server.runs->finish(run, "whole");
  server.run();
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("reply":"whole")")));
}

TEST_F(LoomAttach, InterruptedRun_IsTold) {
  LoomServer server;
  const std::string run = begun(server);
  server.runs->runs.at(run).state = run::RunState::interrupted;
  LoomPeer peer(server);
  peer.send(R"({"type":"attach","id":"x","run_id":")" + run + R"(","after":3})");
  EXPECT_THAT(
      peer.take(),
      ElementsAre(
          R"({"type":"error","id":"x","error":"run: the run was interrupted; it can be resumed"})"));
}

TEST_F(LoomAttach, AttachAtAnyPosition_LosesAndRepeatsNothing) {
  LoomOptions options;
  options.page_events = 3;
  options.max_held = 4;
  LoomServer server(options);
  const std::string run = begun(server);
  for (int i = 0; i < 20; ++i) {
    server.runs->emit(run, "run-a-0", MessageChunk{"x", "a"});
  }
  server.run();
  for (std::uint64_t after = 0; after <= 23; ++after) {
    LoomPeer peer(server);
    peer.give(R"({"type":"attach","id":"x","run_id":")" + run + R"(","after":)" +
              std::to_string(after) + "}");
    // New events arrive while the watch reads the backlog.
    std::uint64_t live = 0;
    while (server.schedulers[0].run_ready() > 0) {
      if (live++ < 10) server.runs->emit(run, "run-a-0", MessageChunk{"y", "a"});
    }
    server.advance(core::Millis(100));
    const auto last = server.store.events("th").back().seq;
    const std::vector<std::string> sent = peer.take();
    ASSERT_EQ(sent.size(), last - after) << after;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      ASSERT_THAT(sent[i], HasSubstr(R"("event_id":)" + std::to_string(after + 1 + i) + ','));
    }
  }
}

// An event that was visible and then lost is never stored: the read must not be repeated for ever.
TEST_F(LoomAttach, LostFlowingEvents_AreNotLookedForAgain) {
  LoomServer server;
  const std::string run = begun(server);
  LoomPeer first(server);
  first.send(R"({"type":"attach","id":"a","run_id":")" + run + R"(","after":3})");
  server.run();
  server.store.hold_flowing();
  server.runs->emit(run, "run-a-0", MessageChunk{"lost", "a"});
  server.run();
  server.store.lose_held();
  server.run();
  LoomPeer second(server);
  second.send(R"({"type":"attach","id":"x","run_id":")" + run + R"(","after":3})");
  server.run();
  const std::size_t reads = server.store.reads();
  server.advance(core::Millis(2'000));
  EXPECT_EQ(server.store.reads(), reads);
}

// --- the connection ------------------------------------------------------------------------------

TEST(LoomConnection, UnreadableRequest_IsAnswered) {
  LoomServer server;
  LoomPeer peer(server);
  for (const char* text : {"nonsense", "[1]", "{\"type\":7}", "{}", "{\"type\":\"dance\"}",
                           R"({"type":"ping","id":7})", R"({"id":"cut)", R"({"id":"cut","")"}) {
    peer.send(text);
    EXPECT_THAT(peer.take(), ElementsAre(StartsWith(R"({"type":"error")"))) << text;
  }
  EXPECT_TRUE(peer.socket.is_open);
}

TEST(LoomConnection, IllFormedRequest_IsAnsweredUnderItsId) {
  LoomServer server;
  LoomPeer peer(server);
  for (const std::string& text : {
           std::string(R"({"type":"dance","id":"r"})"),
           std::string(R"({"id":"r"})"),
           std::string(R"({"type":7,"id":"r"})"),
           std::string(R"({"id":"r","type":null})"),
           std::string(R"({"type":"ping","id":"r","more":)"),
           std::string(R"({"type":"ping","id":"r",})"),
           R"({"type":"tool_show","id":"r","name":[)" + std::string(100, '[') + "}",
       }) {
    peer.send(text);
    EXPECT_THAT(peer.take(),
                ElementsAre(StartsWith(R"({"type":"error","id":"r","error":"parse error: )")))
        << text;
  }
  peer.send(R"({"type":"run","id":"r"})");
  EXPECT_THAT(peer.take(),
              ElementsAre(StartsWith(R"({"type":"error","id":"r","error":"parse error: )")));
  peer.send(R"({"type":"run","id":"r","message":[{"type":"smell"}]})");
  EXPECT_THAT(peer.take(),
              ElementsAre(StartsWith(R"({"type":"error","id":"r","error":"parse error: )")));
  peer.send(R"({"type":"tool_show","id":"r","name":[)" + std::string(100, '[') + "}");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("parse error: the JSON is nested too deeply")));
  EXPECT_TRUE(peer.socket.is_open);
}

TEST(LoomConnection, BinaryMessages_AreReadAsText) {
  LoomServer server;
  LoomPeer peer(server);
  peer.give(R"({"type":"ping","id":"p"})", net::MessageType::binary);
  EXPECT_THAT(peer.take(), ElementsAre(R"({"type":"pong","id":"p"})"));
  peer.give("\xff\xfe", net::MessageType::binary);
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("parse error: the message is not UTF-8")));
}

TEST(LoomConnection, RevokedToken_ClosesConnection) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1"})");
  server.tokens.forget("tok");
  server.hub->revoke("t1");
  server.run();
  EXPECT_EQ(peer.socket.close_code, net::close_code::kUnauthenticated);
  server.tokens.allow("tok", "t1");
  LoomPeer idle(server);
  server.tokens.forget("tok");
  idle.send(R"({"type":"ping","id":"p"})");
  EXPECT_EQ(idle.socket.close_code, net::close_code::kUnauthenticated);
}

TEST(LoomConnection, StoppingServer_ClosesConnection) {
  LoomServer server;
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1"})");
  server.hub->shut_down();
  server.run();
  EXPECT_EQ(peer.socket.close_code, net::close_code::kGoingAway);
}

TEST(LoomConnection, SlowClient_IsToldHowToResume) {
  LoomServer server;
  LoomPeer peer(server);
  EXPECT_THAT(peer.socket.resume_hint, HasSubstr("attach"));
}

TEST(LoomConnection, HasLimits) {
  LoomOptions options;
  options.max_watched = 2;
  options.max_waiting = 1;
  LoomServer server(options);
  LoomPeer peer(server);
  peer.send(R"({"type":"run","id":"a","message":"1"})");
  peer.send(R"({"type":"run","id":"b","message":"1"})");
  peer.take();
  peer.send(R"({"type":"run","id":"c","message":"1"})");
  EXPECT_THAT(peer.take(),
              ElementsAre(HasSubstr("run: this connection already follows the maximum")));
  peer.give(R"({"type":"list_models","id":"1"})");
  peer.give(R"({"type":"list_models","id":"2"})");
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr("list_models: too many requests")));
  server.run();
  EXPECT_THAT(peer.take(), ElementsAre(HasSubstr(R"("type":"list_models","id":"1")")));
}

}  // namespace
}  // namespace parley::loom
