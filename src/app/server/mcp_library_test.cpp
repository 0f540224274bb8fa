// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/mcp_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/run/fake_run_service.h"
#include "tests/support/session/test_actors.h"

namespace parley::app {
namespace {

using mcp::ResourceKind;
using testing::ElementsAre;
using testing::IsEmpty;

// A library on a thread of its own beside that of the sessions.
class McpLibraryTest : public ::testing::Test {
 protected:
  McpLibraryTest() {
    std::vector<std::unique_ptr<session::Shard>> shards;
    shards.push_back(
        std::make_unique<session::Shard>(shard_, entropy_, store_, session::SessionLimits{}));
    hub_ = std::make_unique<session::Hub>(std::move(shards));
    runs_ = std::make_unique<run::FakeRunService>(*hub_);
    inbox_ = session::Subscription(*hub_, {"assistant-alice", "assistant", "alice"}, home_);
    library_ = open("alice");
  }
  std::unique_ptr<McpLibrary> open(const std::string& workspace) {
    return std::make_unique<McpLibrary>(
        McpLibraryDependencies{*hub_, store_, entropy_, *runs_, changes_}, home_, workspace,
        "agent");
  }
  void run() {
    while (shard_.run_ready() + home_.run_ready() > 0) {
    }
  }
  void ask(const std::string& key, const std::string& text = "?") {
    session::AskRequest request{session::asking_token()};
    request.key = key;
    request.prompt.text = text;
    inbox_.ask(std::move(request), nullptr, [](const core::Result<session::InteractionPtr>&) {});
  }
  void answer(const std::string& key, std::vector<session::Content> contents = {}) {
    session::Answer answer;
    answer.contents = std::move(contents);
    inbox_.answer(key, std::move(answer), session::person("ui", "Ann"), nullptr);
  }
  // A stored session with one event.
  void add_session(const std::string& id, std::string_view dialect, std::int64_t created_ms) {
    event::Unit unit;
    unit.session =
        event::SessionRow{id, std::string(dialect), "alice", {}, core::from_unix_ms(created_ms)};
    unit.home_epoch = store_.home_epoch(id);
    unit.events = {{id, 1, core::from_unix_ms(created_ms), "in", "note", "{}"}};
    store_.commit(std::move(unit), home_, [](const core::Result<event::Revision>& stored) {
      ASSERT_TRUE(stored) << stored.error().message;
    });
    run();
  }
  core::Result<mcp::ResourceContent> read(McpLibrary& library, mcp::ResourceName name) {
    std::optional<core::Result<mcp::ResourceContent>> out;
    library.read(std::move(name), [&out](auto content) { out = std::move(content); });
    run();
    return *std::move(out);
  }
  // The ids of all pages of a list, with "|" between the pages.
  std::vector<std::string> list(McpLibrary& library, ResourceKind kind, std::size_t limit) {
    std::vector<std::string> ids;
    std::string place;
    do {
      std::optional<core::Result<mcp::ResourcePage>> page;
      library.list(kind, place, limit, [&page](auto found) { page = std::move(found); });
      run();
      if (!page || !*page) return {"error"};
      for (const mcp::ResourceRow& row : (*page)->rows) ids.push_back(row.id);
      place = (*page)->next;
      if (!place.empty()) ids.emplace_back("|");
    } while (!place.empty() && ids.size() < 100);
    return ids;
  }
  void watch() {
    library_->watch([this](const mcp::ResourceChange& change) {
      for (const mcp::ResourceName& name : change.updated) {
        if (name.kind != ResourceKind::session) told_.push_back(name.id);
      }
      if (change.listed) told_.emplace_back("list");
    });
  }
  std::vector<std::string> told() { return std::exchange(told_, {}); }

  core::FakeClock clock_;
  core::FakeScheduler shard_{clock_};
  core::FakeScheduler home_{clock_};
  core::SeededEntropy entropy_{1};
  event::MemorySessionStore store_;
  std::unique_ptr<session::Hub> hub_;
  std::unique_ptr<run::FakeRunService> runs_;
  run::RunWatchers changes_;
  session::Subscription inbox_;
  std::unique_ptr<McpLibrary> library_;
  std::vector<std::string> told_;
};

TEST_F(McpLibraryTest, Questions_AreListedNewestFirst) {
  EXPECT_THAT(list(*library_, ResourceKind::question, 2), IsEmpty());
  for (const std::string key : {"a", "b", "c"}) ask(key);
  run();
  EXPECT_THAT(list(*library_, ResourceKind::question, 2), ElementsAre("c", "b", "|", "a"));
}

TEST_F(McpLibraryTest, Sessions_PagesKeepTheirOrder) {
  add_session("old", "loom", 1'000);
  add_session("study", "external-agent", 1'500);
  add_session("same-1", "chat", 2'000);
  add_session("same-2", "loom", 2'000);
  EXPECT_THAT(list(*library_, ResourceKind::session, 1),
              ElementsAre("same-2", "|", "same-1", "|", "old"));
}

TEST_F(McpLibraryTest, Place_OfNoList_IsInvalid) {
  for (const ResourceKind kind : {ResourceKind::question, ResourceKind::session}) {
    for (const std::string place : {"x", "-1", "0", "1 ", ":"}) {
      std::optional<core::Result<mcp::ResourcePage>> page;
      library_->list(kind, place, 1, [&page](auto found) { page = std::move(found); });
      run();
      ASSERT_TRUE(page);
      ASSERT_FALSE(*page) << place;
      EXPECT_EQ(page->error().code, core::Code::invalid_argument);
    }
  }
}

TEST_F(McpLibraryTest, OtherWorkspace_FindsNothing) {
  ask("k");
  run();
  answer("k", {{session::Content::Type::image, "", "image/png", "", "bytes"}});
  add_session("hers", "loom", 1'000);
  const auto foreign = open("bob");
  EXPECT_THAT(list(*foreign, ResourceKind::question, 9), IsEmpty());
  EXPECT_THAT(list(*foreign, ResourceKind::session, 9), IsEmpty());
  for (const mcp::ResourceName& name : {mcp::ResourceName{ResourceKind::question, "k"},
                                        {ResourceKind::attachment, "k", 1},
                                        {ResourceKind::session, "hers"},
                                        {ResourceKind::session, "assistant-alice"}}) {
    EXPECT_TRUE(read(*library_, name)) << name.id;
    const auto content = read(*foreign, name);
    ASSERT_FALSE(content) << name.id;
    EXPECT_EQ(content.error().code, core::Code::not_found);
  }
}

TEST_F(McpLibraryTest, SessionOfAStudy_IsNotFound) {
  add_session("study", "external-agent", 1'500);
  for (const std::string id : {"study", "none", "../x"}) {
    const auto content = read(*library_, {ResourceKind::session, id});
    ASSERT_FALSE(content) << id;
    EXPECT_EQ(content.error().code, core::Code::not_found);
  }
}

TEST_F(McpLibraryTest, Inbox_ManyQuestions_KeepsTheNewest) {
  for (std::size_t i = 0; i <= McpLibrary::kTranscriptQuestions; ++i) {
    ask("k" + std::to_string(i), "Question " + std::to_string(i) + ".");
  }
  run();
  const auto content = read(*library_, {ResourceKind::session, "assistant-alice"});
  ASSERT_TRUE(content);
  EXPECT_TRUE(content->bytes.starts_with("*Older questions are left out.*"));
  EXPECT_EQ(content->bytes.find("Question 0."), std::string::npos);
  EXPECT_LT(content->bytes.find("Question 1."), content->bytes.find("Question 200."));
}

TEST_F(McpLibraryTest, Inbox_TooLarge_IsAnError) {
  const std::string text((mcp::kMaxResourceBytes / 2) + 1, 'x');
  ask("a", text);
  run();
  EXPECT_TRUE(read(*library_, {ResourceKind::session, "assistant-alice"}));
  answer("a", {{session::Content::Type::text, text, "", "", ""}});
  const auto content = read(*library_, {ResourceKind::session, "assistant-alice"});
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, core::Code::resource_exhausted);
}

TEST_F(McpLibraryTest, Watch_Questions_AreReported) {
  ask("before");
  run();
  clock_.advance(std::chrono::seconds(60));
  watch();
  run();
  EXPECT_THAT(told(), IsEmpty());
  ask("new");
  run();
  EXPECT_THAT(told(), ElementsAre("new", "list"));
  answer("before");
  run();
  EXPECT_THAT(told(), ElementsAre("before"));
}

TEST_F(McpLibraryTest, Watch_ChangeBeforeJoining_IsReported) {
  ask("k");
  run();
  clock_.advance(std::chrono::seconds(60));
  watch();
  answer("k");  // reaches the session before the observer
  run();
  EXPECT_THAT(told(), ElementsAre("k"));
}

TEST_F(McpLibraryTest, Watch_Runs_AreReported) {
  watch();
  run();
  run::Run started;
  started.id = "run-1";
  started.owner = "alice";
  changes_.tell(started);
  run();
  EXPECT_THAT(told(), ElementsAre("run-1", "list"));
  started.steps = 1;
  started.state = run::RunState::finished;
  changes_.tell(started);
  started.owner = "bob";
  changes_.tell(started);
  run();
  EXPECT_THAT(told(), ElementsAre("run-1"));
  changes_.notify_removed("alice", "s");
  run();
  EXPECT_THAT(told(), ElementsAre("list"));
}

TEST_F(McpLibraryTest, DestroyedLibrary_CallsNothing) {
  ask("k");
  watch();
  library_->read({ResourceKind::question, "k"}, [](const auto&) { FAIL(); });
  library_.reset();
  answer("k");
  run();
  EXPECT_THAT(told(), IsEmpty());
}

}  // namespace
}  // namespace parley::app
