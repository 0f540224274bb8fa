// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/sql/database.h"
#include "runtime/tool/file/session_folder.h"
#include "tests/support/run/run_world.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using agent::testing::FakeTool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RunSessions : public ::testing::Test {
 protected:
  RunSessionPage list(const std::string& owner = "alice", const std::string& before = "",
                      std::size_t limit = 50) {
    std::optional<core::Result<RunSessionPage>> out;
    world_.service->sessions({owner, before, limit}, world_.scheduler,
                             [&out](auto page) { out = std::move(page); });
    world_.scheduler.run_ready();
    return out && *out ? std::move(**out) : RunSessionPage{};
  }
  core::Result<RunSession> show(const std::string& id, const std::string& owner = "alice") {
    std::optional<core::Result<RunSession>> out;
    world_.service->session(owner, id, world_.scheduler,
                            [&out](auto found) { out = std::move(found); });
    world_.scheduler.run_ready();
    return out ? std::move(*out) : core::fail(core::Code::internal, "no answer");
  }
  core::Result<std::uint64_t> remove(const std::string& id, const std::string& owner = "alice") {
    std::optional<core::Result<std::uint64_t>> out;
    world_.service->remove_session(owner, id, world_.scheduler,
                                   [&out](auto count) { out = std::move(count); });
    world_.scheduler.run_ready();
    return out ? std::move(*out) : core::fail(core::Code::internal, "no answer");
  }
  std::vector<std::string> ids(const RunSessionPage& page) {
    std::vector<std::string> out;
    for (const RunSession& session : page.sessions) out.push_back(session.id);
    return out;
  }
  std::uint64_t checkpoints_of(const std::string& session) {
    std::uint64_t count = 0;
    for (const std::string& type : world_.types(session)) count += type == "checkpoint" ? 1 : 0;
    return count;
  }

  RunWorld world_;
};

TEST_F(RunSessions, Sessions_AreListedByNewestRunWithCheckpoints) {
  world_.models.model->replies = {FakeReply::text("One."), FakeReply::text("Two."),
                                  FakeReply::text("Three.")};
  ASSERT_TRUE(world_.start("First", "s1"));
  ASSERT_TRUE(world_.start("Other", "s2"));
  ASSERT_TRUE(world_.start("Again", "s1"));
  const RunSessionPage all = list();
  ASSERT_THAT(ids(all), ElementsAre("s1", "s2"));
  EXPECT_EQ(all.sessions[0].runs, 2U);
  EXPECT_EQ(all.sessions[0].checkpoints, checkpoints_of("s1"));
  EXPECT_GT(all.sessions[0].checkpoints, all.sessions[1].checkpoints);
  EXPECT_EQ(all.sessions[0].latest_source, "loop");
  EXPECT_GT(all.sessions[0].latest_step, 0);
  EXPECT_FALSE(all.more);
  const RunSessionPage first = list("alice", "", 1);
  EXPECT_THAT(ids(first), ElementsAre("s1"));
  EXPECT_TRUE(first.more);
  EXPECT_THAT(ids(list("alice", "s1")), ElementsAre("s2"));
  EXPECT_THAT(ids(list("bob")), IsEmpty());
}

TEST_F(RunSessions, Sessions_AreShownWithFirstAndLastText) {
  world_.models.model->replies = {FakeReply::text("Blue."), FakeReply::text("You said blue.")};
  ASSERT_TRUE(world_.start("My colour?", "s1"));
  ASSERT_TRUE(world_.start("Which was it?", "s1"));
  const auto shown = show("s1");
  ASSERT_TRUE(shown) << shown.error().message;
  EXPECT_EQ(shown->first_user_message, "My colour?");
  EXPECT_EQ(shown->last_reply, "You said blue.");
  EXPECT_EQ(show("s1", "bob").error().code, core::Code::not_found);
  EXPECT_EQ(show("none").error().code, core::Code::not_found);
}

TEST_F(RunSessions, DeletedSession_LosesEventsAndFiles) {
  world_.models.model->replies = {FakeReply::text("One."), FakeReply::text("Two."),
                                  FakeReply::text("New.")};
  const auto run = world_.start("First", "s1");
  ASSERT_TRUE(run);
  ASSERT_TRUE(world_.start("Other", "s2"));
  const std::string outputs =
      tool::session_folder(world_.data_folder(), tool::kToolOutputFolder, "alice", "s1");
  std::filesystem::create_directories(outputs);
  std::ofstream(outputs + "/long.txt") << "long";
  const std::uint64_t kept = checkpoints_of("s1");
  EXPECT_EQ(remove("s1", "bob").error().code, core::Code::not_found);
  EXPECT_EQ(checkpoints_of("s1"), kept) << "another's word deletes nothing";
  const auto gone = remove("s1");
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_EQ(*gone, kept);
  EXPECT_THAT(world_.types("s1"), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(outputs));
  EXPECT_THAT(ids(list()), ElementsAre("s2"));
  EXPECT_EQ(world_.find(run->id).error().code, core::Code::not_found);
  EXPECT_EQ(remove("s1").error().code, core::Code::not_found);
  ASSERT_TRUE(world_.start("Anew", "s1")) << "the name can be used again";
  EXPECT_EQ(show("s1")->first_user_message, "Anew");
  const auto& messages = world_.models.model->requests.back().messages;
  EXPECT_EQ(messages.back().content, "Anew");
  EXPECT_EQ(messages.size(), 2U) << "nothing of what was deleted is known";
}

TEST_F(RunSessions, SessionWithActiveRun_IsNotDeleted) {
  const auto run = world_.start_held("One", "s1");
  ASSERT_TRUE(run);
  const auto refused = remove("s1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::aborted);
  EXPECT_THAT(refused.error().message, HasSubstr(run->id));
  world_.models.model->release();
  world_.scheduler.run_ready();
  EXPECT_TRUE(remove("s1"));
}

TEST_F(RunSessions, DryRun_ExecutesNoTool_AsksNobody) {
  const auto writer = std::make_shared<FakeTool>(
      "write_file", R"({"type":"object"})",
      [](const auto&, const auto&) { return tool::ToolResult::ok("written"); });
  writer->approval = tool::Approval::ask;
  world_.tools.tools.add(writer);
  world_.models.model->replies = {FakeReply::call("c1", "write_file", "{}"),
                                  FakeReply::text("Done.")};
  RunRequest request;
  request.message = model::Message::user("Write it");
  request.session = "s1";
  request.dry = true;
  const auto run = world_.start(std::move(request));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_THAT(writer->calls, IsEmpty());
  EXPECT_EQ(world_.find(run->id)->state, RunState::finished) << "and nobody is asked";
  EXPECT_TRUE(world_.find(run->id)->dry);
  const auto& messages = world_.models.model->requests.back().messages;
  EXPECT_THAT(messages.back().content, HasSubstr("(dry run: write_file was not executed)"));
}

TEST_F(RunSessions, Deletion_LeavesSessionOfOtherProtocol) {
  world_.hub->with_session(
      {"theirs", "assistant", "alice"}, [](const core::Result<session::Session*>& session) {
        (*session)->append("in", "note", "{}", [](const auto& seq) { EXPECT_TRUE(seq); });
      });
  world_.scheduler.run_ready();
  ASSERT_FALSE(world_.start("One", "theirs"));
  EXPECT_THAT(ids(list()), ElementsAre("theirs")) << "a run that was refused is in the list";
  EXPECT_TRUE(remove("theirs"));
  EXPECT_THAT(list().sessions, IsEmpty());
  EXPECT_THAT(world_.types("theirs"), ElementsAre("note"));
}

TEST_F(RunSessions, Deletion_CrossesSkippedNumbers) {
  ASSERT_TRUE(world_.start_held("One", "s1"));
  world_.restart();
  world_.models.model->replies = {FakeReply::text("Two.")};
  ASSERT_TRUE(world_.start("Two", "s1"));
  const std::size_t commits = world_.store.commits();
  EXPECT_TRUE(remove("s1"));
  EXPECT_THAT(world_.types("s1"), IsEmpty());
  EXPECT_LT(world_.store.commits(), commits + 10) << "not one for every thousand numbers";
}

TEST_F(RunSessions, ListOfFirstForm_IsTakenUp) {
  world_.models.model->replies = {FakeReply::text("One.")};
  const auto run = world_.start("First", "s1");
  ASSERT_TRUE(run);
  const core::TempFolder folder;
  const std::string file = folder.file("runs.db");
  {
    auto old = RunIndex::open(folder.path());
    ASSERT_TRUE(old);
    ASSERT_TRUE((*old)->insert(*run, 1));
  }
  {
    auto database = sql::Database::open(file, sql::OpenMode::read_write);
    ASSERT_TRUE(database);
    for (const char* column : {"approvals", "each_values", "dry", "lost_numbers"}) {
      const std::string drop = "ALTER TABLE runs DROP COLUMN " + std::string(column);
      ASSERT_TRUE(database->execute(drop.c_str()));
    }
    ASSERT_TRUE(database->execute(
        "DROP TABLE chosen_models; DROP TABLE kept_tools;"
        "CREATE TABLE session_models (session TEXT PRIMARY KEY, model TEXT NOT NULL) STRICT;"
        "PRAGMA user_version = 1"));
  }
  auto again = RunIndex::open(folder.path());
  ASSERT_TRUE(again) << again.error().message;
  const auto page = (*again)->sessions({"alice", "", 10});
  ASSERT_TRUE(page);
  EXPECT_THAT(ids(*page), ElementsAre("s1"));
  const auto found = (*again)->find(run->id);
  ASSERT_TRUE(found && *found);
  EXPECT_FALSE((*found)->approvals);
  EXPECT_FALSE((*found)->dry || (*found)->lost_numbers);
}

TEST(RunService, SessionOfOtherProtocol_TakesNoRun) {
  RunWorld world;
  world.hub->with_session(
      {"theirs", "assistant", "alice"}, [](const core::Result<session::Session*>& session) {
        (*session)->append("in", "note", "{}", [](const auto& seq) { EXPECT_TRUE(seq); });
      });
  world.scheduler.run_ready();
  const auto refused = world.start("One", "theirs");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::failed_precondition);
  EXPECT_EQ(refused.error().field, "session");
  EXPECT_THAT(world.types("theirs"), ElementsAre("note"));
}

}  // namespace
}  // namespace parley::run
