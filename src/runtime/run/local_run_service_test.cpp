// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/local_run_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/session/approval.h"
#include "tests/support/run/run_world.h"
#include "tests/support/session/test_actors.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string last_payload(const RunWorld& world, const std::string& session) {
  const auto events = world.store.events(session);
  return events.empty() ? "" : events.back().payload;
}

TEST(RunService, Run_IsRangeOfSessionEvents) {
  RunWorld world;
  world.models.model->replies = {FakeReply::text("Hello, Alice.")};
  const auto run = world.start("Hello", "s1");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->kind, "react");
  EXPECT_EQ(run->model, "fake/model");
  EXPECT_EQ(run->first_seq, 1U);
  const auto types = world.types("s1");
  ASSERT_GT(types.size(), 6U);
  EXPECT_EQ(types.front(), "run_start");
  EXPECT_EQ(types[1], "checkpoint") << "the message is kept before anything is done";
  EXPECT_THAT(types, Contains("message_chunk"));
  EXPECT_EQ(types.back(), "reply");
  EXPECT_THAT(last_payload(world, "s1"), HasSubstr(R"("reply":"Hello, Alice.")"));
  EXPECT_THAT(last_payload(world, "s1"), HasSubstr(R"("stop_reason":"end_turn")"));
  const auto ended = world.find(run->id);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->state, RunState::finished);
  EXPECT_EQ(ended->reply, "Hello, Alice.");
  EXPECT_EQ(ended->last_seq, types.size());
  ASSERT_TRUE(ended->usage);
  EXPECT_EQ(ended->usage->total_tokens, 15U);
}

TEST(RunService, SecondRunOfSession_IsRefused) {
  RunWorld world;
  FakeReply slow = FakeReply::text("Later.");
  slow.holds = true;
  world.models.model->replies = {slow, FakeReply::text("Now.")};
  const auto first = world.start("One", "s1");
  ASSERT_TRUE(first);
  const auto second = world.start("Two", "s1");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, core::Code::failed_precondition);
  EXPECT_EQ(second.error().field, "session");
  EXPECT_THAT(second.error().message, HasSubstr(first->id));
  world.models.model->release();
  world.scheduler.run_ready();
  EXPECT_TRUE(world.start("Two", "s1")) << "it is free again";
}

TEST(RunService, FaultsOfRequest_AreNamed) {
  RunWorld world;
  const auto field = [&](auto change) {
    RunRequest request;
    request.message = model::Message::user("Hello");
    request.leave.any_folder = true;
    change(request);
    const auto run = world.start(std::move(request));
    return run ? std::string("none") : run.error().field;
  };
  EXPECT_EQ(field([](RunRequest& it) { it.message.content.clear(); }), "message");
  EXPECT_EQ(field([](RunRequest& it) { it.message.content.assign(2U << 20U, 'a'); }), "message");
  EXPECT_EQ(field([](RunRequest& it) { it.message.content = "\xff"; }), "message");
  EXPECT_EQ(field([](RunRequest& it) { it.session = "../etc"; }), "session");
  EXPECT_EQ(field([](RunRequest& it) { it.run_id = "a b"; }), "run_id");
  EXPECT_EQ(field([](RunRequest& it) { it.working_folder = "/nowhere"; }), "working_folder");
  EXPECT_EQ(field([&](RunRequest& it) {
              it.working_folder = world.options.working_folder + std::string("\0/../x", 6);
            }),
            "working_folder");
  EXPECT_EQ(field([](RunRequest& it) { it.model = "none/such"; }), "model");
  EXPECT_EQ(field([](RunRequest& it) { it.agent = "nobody"; }), "agent");
  EXPECT_THAT(world.store.events("../etc"), IsEmpty());
}

TEST(RunService, Id_IsTakenOnce) {
  RunWorld world;
  RunRequest request;
  request.message = model::Message::user("Hello");
  request.run_id = "mine";
  ASSERT_TRUE(world.start(request));
  const auto again = world.start(request);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, core::Code::already_exists);
}

TEST(RunService, TooManyRuns_AreRefused) {
  RunWorld world;
  world.options.max_live_of_owner = 1;
  world.restart();
  ASSERT_TRUE(world.start_held("One"));
  const auto refused = world.start("Two");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::resource_exhausted);
  EXPECT_EQ(world.service->counts().refused, 1U);
}

TEST(RunService, ExceptionAtStart_IsErrorOfRun_FreesSession) {
  RunWorld world;
  world.tools.broken = true;
  RunRequest request;
  request.session = "s1";
  request.message = model::Message::user("hi");
  const auto failed = world.start(request);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, core::Code::resource_exhausted);
  EXPECT_EQ(world.service->counts().live, 0U);
  world.tools.broken = false;
  EXPECT_TRUE(world.start(request));
}

TEST(RunService, FolderOfOwnData_IsNoWorkingFolder) {
  RunWorld world;
  RunRequest request;
  request.message = model::Message::user("Hello");
  request.working_folder = world.data_folder();
  EXPECT_EQ(world.start(std::move(request)).error().code, core::Code::permission_denied);
}

// A run that asks before it calls its tool.
class ApprovalTest : public testing::Test {
 protected:
  ApprovalTest() {
    tool_->approval = tool::Approval::ask;
    world_.tools.tools.add(tool_);
    world_.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"hi"})"),
                                    FakeReply::text("Done.")};
    run_ = world_.start("Say hi", "s1");
    EXPECT_TRUE(run_);
  }

  bool approve(bool allow, const std::string& reason = "") {
    std::optional<core::Result<bool>> won;
    world_.service->approve("alice", run_->id, "c1",
                            {session::person("test", "test"), allow, reason}, world_.scheduler,
                            [&](core::Result<bool> out) { won = std::move(out); });
    world_.scheduler.run_ready();
    return won && *won && **won;
  }

  RunWorld world_;
  std::shared_ptr<agent::testing::FakeTool> tool_ = agent::testing::echo_tool();
  core::Result<run::Run> run_;
};

TEST_F(ApprovalTest, Run_WaitsForApproval_ContinuesWhenAllowed) {
  EXPECT_EQ(world_.find(run_->id)->state, RunState::waiting);
  EXPECT_THAT(tool_->calls, IsEmpty());
  EXPECT_THAT(world_.types("s1"), Contains("tool_approval"));
  EXPECT_TRUE(approve(true));
  EXPECT_THAT(tool_->calls, ElementsAre("c1"));
  EXPECT_EQ(world_.find(run_->id)->state, RunState::finished);
  EXPECT_FALSE(approve(true)) << "it has its answer";
}

TEST_F(ApprovalTest, WaitingSession_NamesRunAndWhereToDecide) {
  const auto second = world_.start("Something else", "s1");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, core::Code::failed_precondition);
  EXPECT_THAT(second.error().message, AllOf(HasSubstr(run_->id), HasSubstr("waits for a person"),
                                            HasSubstr("/v1/runs/" + run_->id + "/approvals")));
}

TEST_F(ApprovalTest, Refusal_IsToldToModel) {
  EXPECT_TRUE(approve(false, "Use a friendlier word."));
  EXPECT_THAT(tool_->calls, IsEmpty());
  EXPECT_EQ(world_.find(run_->id)->state, RunState::finished);
  EXPECT_THAT(world_.models.model->requests.at(1).messages.back().content,
              HasSubstr("Use a friendlier word."));
}

TEST_F(ApprovalTest, Refusal_WithAnyReason_IsRefusal) {
  EXPECT_TRUE(approve(false, "Allow"));
  EXPECT_THAT(tool_->calls, IsEmpty());
  EXPECT_EQ(world_.find(run_->id)->state, RunState::finished);
}

TEST_F(ApprovalTest, InboxOfOwner_ShowsQuestion_AnswerCounts) {
  session::Session* inbox = world_.hub->shard(0).find("assistant-alice");
  ASSERT_NE(inbox, nullptr);
  const auto pending = inbox->pending();
  ASSERT_THAT(pending, SizeIs(1));
  EXPECT_EQ(pending[0]->kind, session::InteractionKind::tool_approval);
  EXPECT_THAT(pending[0]->prompt.text, HasSubstr("echo"));
  EXPECT_THAT(pending[0]->prompt.detail, HasSubstr(R"("call_id":"c1")"));
  inbox->answer(pending[0]->key, session::approval_answer({true, ""}),
                session::person("phone", "Alice"),
                [](const core::Result<session::AnswerReceipt>& receipt) { EXPECT_TRUE(receipt); });
  world_.scheduler.run_ready();
  EXPECT_THAT(tool_->calls, ElementsAre("c1"));
}

TEST_F(ApprovalTest, InboxAndSession_ShareInteraction_FirstAnswerWins) {
  session::Session* inbox = world_.hub->shard(0).find("assistant-alice");
  session::Session* own = world_.hub->shard(0).find("s1");
  ASSERT_THAT(own->pending(), SizeIs(1));
  const session::InteractionPtr shown = own->pending()[0];
  EXPECT_EQ(shown->key, inbox->pending()[0]->key);
  EXPECT_EQ(shown->prompt, inbox->pending()[0]->prompt);
  std::vector<bool> won;
  const auto told = [&won](const core::Result<session::AnswerReceipt>& receipt) {
    won.push_back(receipt && receipt->won);
    EXPECT_EQ(receipt->interaction->outcome.answer, session::approval_answer({false, "No."}));
  };
  own->answer(shown->key, session::approval_answer({false, "No."}), session::person("tab", "Chat"),
              told);
  inbox->answer(shown->key, session::approval_answer({true, ""}), session::person("phone", "Alice"),
                told);
  world_.scheduler.run_ready();
  EXPECT_THAT(won, ElementsAre(true, false));
  EXPECT_THAT(tool_->calls, IsEmpty());
  inbox = world_.hub->shard(0).find("assistant-alice");
  EXPECT_TRUE(inbox == nullptr || inbox->pending().empty());
}

TEST_F(ApprovalTest, InboxAnswerWhileDown_CountsOnResume) {
  world_.restart();
  session::Session* inbox = world_.hub->shard(0).find("assistant-alice");
  ASSERT_THAT(inbox->pending(), SizeIs(1));
  inbox->answer(inbox->pending()[0]->key, session::approval_answer({true, ""}),
                session::person("phone", "Alice"), nullptr);
  // The question does not expire while the run is not resumed.
  world_.scheduler.advance(2 * core::limits::kDefaultWait);
  world_.models.model->replies = {FakeReply::text("Done.")};
  ASSERT_TRUE(world_.resume(run_->id));
  EXPECT_THAT(tool_->calls, ElementsAre("c1"));
  EXPECT_EQ(world_.find(run_->id)->reply, "Done.");
}

TEST_F(ApprovalTest, AnswerToAbandonedRun_LeavesInboxEmpty) {
  world_.restart();
  EXPECT_TRUE(approve(true));
  session::Session* inbox = world_.hub->shard(0).find("assistant-alice");
  EXPECT_TRUE(inbox == nullptr || inbox->pending().empty());
}

TEST_F(ApprovalTest, AnswersOfOthers_DoNotCount) {
  std::optional<core::Result<bool>> won;
  world_.service->approve("bob", run_->id, "c1", {session::person("bob", "bob"), true},
                          world_.scheduler, [&](core::Result<bool> out) { won = std::move(out); });
  world_.scheduler.run_ready();
  ASSERT_TRUE(won);
  ASSERT_FALSE(*won);
  EXPECT_EQ(won->error().code, core::Code::not_found);
  EXPECT_FALSE(world_.find(run_->id, "bob"));
}

TEST_F(ApprovalTest, CancelledRun_WithdrawsQuestion) {
  std::optional<core::Result<run::Run>> ended;
  world_.service->cancel("alice", run_->id, world_.scheduler,
                         [&](core::Result<run::Run> run) { ended = std::move(run); });
  world_.scheduler.advance(core::Millis(200));
  ASSERT_TRUE(ended);
  ASSERT_TRUE(*ended) << ended->error().message;
  EXPECT_EQ((*ended)->state, RunState::cancelled);
  EXPECT_THAT(last_payload(world_, "s1"), HasSubstr(R"("stop_reason":"cancelled")"));
  session::Session* inbox = world_.hub->shard(0).find("assistant-alice");
  EXPECT_TRUE(inbox == nullptr || inbox->pending().empty());
  session::Session* own = world_.hub->shard(0).find("s1");
  EXPECT_TRUE(own == nullptr || own->pending().empty());
}

TEST_F(ApprovalTest, QuestionBeforeKill_IsAnsweredAfterwards) {
  world_.restart();
  EXPECT_EQ(world_.find(run_->id)->state, RunState::interrupted);
  world_.models.model->replies = {FakeReply::text("Done.")};
  ASSERT_TRUE(world_.resume(run_->id));
  EXPECT_EQ(world_.find(run_->id)->state, RunState::waiting);
  EXPECT_TRUE(approve(true));
  EXPECT_THAT(tool_->calls, ElementsAre("c1"));
  EXPECT_EQ(world_.find(run_->id)->reply, "Done.");
}

TEST_F(ApprovalTest, LaterRun_WithdrawsQuestionsOfKilledRun) {
  const auto waiting = [this] {
    session::Session* inbox = world_.hub->shard(0).find("assistant-alice");
    return inbox == nullptr ? 0U : inbox->pending().size();
  };
  world_.restart();
  EXPECT_EQ(waiting(), 1U);
  world_.models.model->replies = {FakeReply::text("Never mind.")};
  ASSERT_TRUE(world_.start("Something else", "s1"));
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(ApprovalTest, DeletedSession_WithdrawsQuestionsOfKilledRun) {
  world_.restart();
  std::optional<core::Result<std::uint64_t>> gone;
  world_.service->remove_session("alice", "s1", world_.scheduler,
                                 [&gone](auto count) { gone = std::move(count); });
  world_.scheduler.run_ready();
  ASSERT_TRUE(gone && *gone);
  session::Session* inbox = world_.hub->shard(0).find("assistant-alice");
  EXPECT_TRUE(inbox == nullptr || inbox->pending().empty());
}

TEST(RunService, ToolInFlightAtKill_IsNotRepeated_IsTold) {
  RunWorld world;
  const auto tool = agent::testing::echo_tool();
  tool->holds = true;
  world.tools.tools.add(tool);
  world.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"hi"})")};
  const auto run = world.start("Say hi", "s1");
  ASSERT_TRUE(run);
  ASSERT_THAT(tool->calls, SizeIs(1));
  world.restart();
  world.models.model->replies = {FakeReply::text("It may have been said.")};
  ASSERT_TRUE(world.resume(run->id));
  EXPECT_THAT(tool->calls, SizeIs(1));
  const auto& messages = world.models.model->requests.back().messages;
  EXPECT_EQ(messages.back().role, model::Role::tool);
  EXPECT_TRUE(messages.back().is_error);
  const auto ended = world.find(run->id);
  EXPECT_EQ(ended->state, RunState::finished);
  EXPECT_EQ(ended->reply, "It may have been said.");
}

TEST(RunService, ApprovalDemand_SurvivesKill) {
  RunWorld world;
  const auto tool = agent::testing::echo_tool();
  world.tools.tools.add(tool);
  RunRequest request;
  request.message = model::Message::user("Say hi");
  request.approvals = tool::Approval::ask;
  world.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"hi"})")};
  const auto run = world.start(std::move(request));
  ASSERT_TRUE(run);
  EXPECT_EQ(world.find(run->id)->state, RunState::waiting);
  world.restart();
  ASSERT_TRUE(world.resume(run->id));
  EXPECT_EQ(world.find(run->id)->state, RunState::waiting);
  EXPECT_THAT(tool->calls, IsEmpty());
}

TEST(RunService, FinishedCall_IsNotRepeatedAfterKill) {
  RunWorld world;
  const auto tool = agent::testing::echo_tool();
  world.tools.tools.add(tool);
  FakeReply slow = FakeReply::text("Said.");
  slow.holds = true;
  world.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"hi"})"), slow};
  const auto run = world.start("Say hi", "s1");
  ASSERT_TRUE(run);
  ASSERT_THAT(tool->calls, SizeIs(1));
  world.restart();
  world.models.model->replies = {FakeReply::text("Said.")};
  ASSERT_TRUE(world.resume(run->id));
  EXPECT_THAT(tool->calls, SizeIs(1));
  EXPECT_EQ(world.find(run->id)->reply, "Said.");
}

TEST(RunService, StoppingServer_LeavesRunsResumable) {
  RunWorld world;
  const auto run = world.start_held("One", "s1");
  ASSERT_TRUE(run);
  world.hub->shut_down();
  world.scheduler.advance(core::Millis(500));
  EXPECT_EQ(world.find(run->id)->state, RunState::interrupted);
  world.restart();
  world.models.model->replies = {FakeReply::text("Now.")};
  ASSERT_TRUE(world.resume(run->id));
  EXPECT_EQ(world.find(run->id)->reply, "Now.");
}

TEST(RunService, Fork_StartsAtCheckpointInOwnSession) {
  RunWorld world;
  world.models.model->replies = {FakeReply::text("Blue.")};
  const auto run = world.start("My colour?", "s1");
  ASSERT_TRUE(run);
  const auto all = world.checkpoints(run->id);
  ASSERT_TRUE(all);
  ASSERT_GE(all->size(), 2U);
  const auto before = world.store.events("s1").size();
  world.models.model->replies = {FakeReply::text("Green.")};
  std::optional<core::Result<run::Run>> forked;
  world.service->fork({"alice", run->id, all->front().id, "", {}, {}}, world.scheduler,
                      [&](core::Result<run::Run> out) { forked = std::move(out); });
  world.scheduler.run_ready();
  ASSERT_TRUE(forked);
  ASSERT_TRUE(*forked) << forked->error().message;
  EXPECT_NE((*forked)->session, "s1");
  EXPECT_EQ((*forked)->forked_from, run->id);
  EXPECT_EQ(world.find((*forked)->id)->reply, "Green.");
  EXPECT_EQ(world.store.events("s1").size(), before) << "the past is as it was";
  EXPECT_EQ(world.models.model->requests.back().messages.back().content, "My colour?");
}

TEST(RunService, ForkWithMessage_ReplacesMessage) {
  RunWorld world;
  world.models.model->replies = {FakeReply::text("Blue."), FakeReply::text("Green.")};
  const auto run = world.start("My colour?", "s1");
  ASSERT_TRUE(run);
  const auto all = world.checkpoints(run->id);
  ASSERT_TRUE(all);
  std::optional<core::Result<run::Run>> forked;
  world.service->fork({"alice", run->id, all->back().id, "s2", "And yours?", {}}, world.scheduler,
                      [&](core::Result<run::Run> out) { forked = std::move(out); });
  world.scheduler.run_ready();
  ASSERT_TRUE(forked && *forked);
  const auto& messages = world.models.model->requests.back().messages;
  EXPECT_EQ(messages.back().content, "And yours?");
  EXPECT_EQ(messages[messages.size() - 2].content, "Blue.");
}

TEST(RunService, RunOfFailedStore_IsInterruptedAndTold) {
  RunWorld world;
  const auto run = world.start_held("One", "s1");
  ASSERT_TRUE(run);
  world.store.fail_next(100, {core::Code::resource_exhausted, "The disk is full.", {}});
  world.models.model->release();
  world.scheduler.advance(core::Millis(500));
  const auto ended = world.find(run->id);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->state, RunState::interrupted);
  EXPECT_THAT(ended->error, HasSubstr("disk is full"));
  EXPECT_TRUE(ended->lost_numbers) << "what was shown may not be stored";
  world.store.fail_next(0, {});
  world.models.model->replies = {FakeReply::text("Two.")};
  const auto next = world.start("Two", "s1");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_GT(next->first_seq, world.store.max_lost_numbers());
}

TEST(RunService, FailedRun_EndsInWords) {
  RunWorld world;
  FakeReply broken = FakeReply::text("I begin");
  broken.error = core::Error{core::Code::unavailable, "The model is not reached.", {}};
  world.models.model->replies = {broken};
  const auto run = world.start("One", "s1");
  ASSERT_TRUE(run);
  EXPECT_EQ(world.find(run->id)->state, RunState::failed);
  EXPECT_THAT(last_payload(world, "s1"), HasSubstr(R"("stop_reason":"error")"));
  EXPECT_THAT(last_payload(world, "s1"), HasSubstr("The model is not reached."));
  bool err = false;
  for (const event::Event& event : world.store.events("s1")) {
    err |= event.type == "node_exit" && event.payload.find("Err") != std::string::npos;
  }
  EXPECT_TRUE(err);
}

TEST(RunService, UsageOfFailedRun_IsTold) {
  RunWorld world;
  const std::string order = R"({"agents":[{"agent":"react","task":"T"}]})";
  FakeReply fails;
  fails.error = core::Error{core::Code::unavailable, "The provider is away."};
  world.models.model->replies = {FakeReply::call("c1", "invoke_agent", order),
                                 FakeReply::text("Said."), fails};
  const auto run = world.start("Go", "s1");
  ASSERT_TRUE(run);
  const auto ended = world.find(run->id);
  EXPECT_EQ(ended->state, RunState::failed);
  EXPECT_EQ(ended->usage, (runtime::Usage{20, 10, 30})) << "the sub-agent's call too";
  EXPECT_THAT(last_payload(world, "s1"), HasSubstr(R"("total_tokens":30)"));
  world.models.model->replies = {FakeReply::text("Done.")};
  ASSERT_TRUE(world.resume(run->id));
  EXPECT_EQ(world.find(run->id)->usage, (runtime::Usage{30, 15, 45})) << "and what came before";
}

TEST(RunService, NewFork_HasNoUsage) {
  RunWorld world;
  const auto tool = agent::testing::echo_tool();
  world.tools.tools.add(tool);
  world.models.model->replies = {FakeReply::call("c1", "echo", R"({"text":"hi"})"),
                                 FakeReply::text("Blue.")};
  const auto run = world.start("My colour?", "s1");
  ASSERT_TRUE(run);
  const auto all = world.checkpoints(run->id);
  ASSERT_TRUE(all);
  FakeReply slow = FakeReply::text("Green.");
  slow.holds = true;
  world.models.model->replies = {slow};
  std::optional<core::Result<run::Run>> forked;
  // From the checkpoint after the tool's result: one model call was made before it.
  world.service->fork({"alice", run->id, all->at(all->size() - 2).id, "", {}, {}}, world.scheduler,
                      [&](core::Result<run::Run> out) { forked = std::move(out); });
  world.scheduler.run_ready();
  ASSERT_TRUE(forked && *forked);
  world.restart();
  world.models.model->replies = {FakeReply::text("Green.")};
  ASSERT_TRUE(world.resume((*forked)->id));
  EXPECT_EQ(world.find((*forked)->id)->reply, "Green.");
  EXPECT_EQ(world.find((*forked)->id)->usage, (runtime::Usage{10, 5, 15}));
}

TEST(RunService, UsageOfSubAgentsBeforeKill_IsCounted) {
  RunWorld world;
  const std::string order = R"({"agents":[{"agent":"react","task":"T"}]})";
  FakeReply slow = FakeReply::text("Done.");
  slow.holds = true;
  world.models.model->replies = {FakeReply::call("c1", "invoke_agent", order),
                                 FakeReply::text("Said."), slow};
  const auto run = world.start("Go", "s1");
  ASSERT_TRUE(run);
  world.restart();
  world.models.model->replies = {FakeReply::text("Done.")};
  ASSERT_TRUE(world.resume(run->id));
  EXPECT_EQ(world.find(run->id)->usage, (runtime::Usage{30, 15, 45}));
}

TEST(RunService, List_IsOfOwner_NewestFirst) {
  RunWorld world;
  for (const char* session : {"a", "b", "c"}) ASSERT_TRUE(world.start("Hello", session));
  std::optional<core::Result<RunPage>> page;
  RunQuery query;
  query.owner = "alice";
  query.limit = 2;
  world.service->list(query, world.scheduler, [&](auto out) { page = std::move(out); });
  world.scheduler.run_ready();
  ASSERT_TRUE(page && *page);
  ASSERT_THAT((*page)->runs, SizeIs(2));
  EXPECT_EQ((*page)->runs[0].session, "c");
  EXPECT_TRUE((*page)->more);
  query.before = (*page)->runs[1].id;
  world.service->list(query, world.scheduler, [&](auto out) { page = std::move(out); });
  world.scheduler.run_ready();
  ASSERT_THAT((*page)->runs, SizeIs(1));
  EXPECT_EQ((*page)->runs[0].session, "a");
  query = {};
  query.owner = "bob";
  world.service->list(query, world.scheduler, [&](auto out) { page = std::move(out); });
  world.scheduler.run_ready();
  EXPECT_THAT((*page)->runs, IsEmpty());
}

TEST(RunService, NumbersLostByKill_AreNotReused) {
  RunWorld world;
  const auto run = world.start_held("One", "s1");
  ASSERT_TRUE(run);
  world.restart();
  EXPECT_TRUE(world.find(run->id)->lost_numbers);
  world.restart();  // a start without a run keeps the mark
  world.models.model->replies = {FakeReply::text("Now."), FakeReply::text("Next.")};
  ASSERT_TRUE(world.resume(run->id));
  const auto ended = world.find(run->id);
  EXPECT_EQ(ended->reply, "Now.");
  EXPECT_GT(ended->last_seq, world.store.max_lost_numbers());
  EXPECT_FALSE(ended->lost_numbers);
  EXPECT_THAT(world.types("s1"), Contains(std::string(event::kNumbersSkipped)));
  ASSERT_TRUE(world.start("Two", "s1"));
  EXPECT_LT(world.store.events("s1").back().seq, 2 * world.store.max_lost_numbers())
      << "once for each kill";
}

TEST(RunService, RunAfterKilledRun_SkipsLostNumbers) {
  RunWorld world;
  ASSERT_TRUE(world.start_held("One", "s1"));
  world.restart();
  world.models.model->replies = {FakeReply::text("Two.")};
  const auto next = world.start("Two", "s1");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_GT(next->first_seq, world.store.max_lost_numbers());
}

TEST(RunService, OrderlyStop_LosesNoNumbers) {
  RunWorld world;
  const auto run = world.start_held("One", "s1");
  ASSERT_TRUE(run);
  world.hub->shut_down();
  world.scheduler.advance(core::Millis(500));
  world.restart();
  world.models.model->replies = {FakeReply::text("Now.")};
  EXPECT_FALSE(world.find(run->id)->lost_numbers);
  ASSERT_TRUE(world.resume(run->id));
  EXPECT_LT(world.find(run->id)->last_seq, 100U);
}

}  // namespace
}  // namespace parley::run
