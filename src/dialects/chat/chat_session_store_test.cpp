// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_session_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/sql/store_test.h"

namespace parley::chat {
namespace {

class ChatSessionStoreTest : public sql::StoreTest {
 protected:
  void open() {
    store.reset();
    auto opened = ChatSessionStore::open(place_, clock, entropy);
    ASSERT_TRUE(opened) << opened.error().message;
    store = std::move(*opened);
  }
  template <typename T, typename Begin>
  core::Result<T> ask(Begin begin) {
    std::optional<core::Result<T>> told;
    begin([&](core::Result<T> result) { told = std::move(result); });
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!told && std::chrono::steady_clock::now() < end) {
      if (scheduler.run_ready() == 0) std::this_thread::yield();
    }
    return told ? std::move(*told) : core::fail(core::Code::unknown, "no answer");
  }
  core::Result<ChatSession> find(const std::string& code) {
    return ask<ChatSession>(
        [&](auto done) { store->find("alice", code, scheduler, std::move(done)); });
  }

  const std::string path = folder_.file("chat.db");
  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{3};
  std::unique_ptr<ChatSessionStore> store;
};
INSTANTIATE_TEST_SUITE_P(Engines, ChatSessionStoreTest, sql::each_engine(), sql::engine_name);

class ChatSessionFileTest : public ChatSessionStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, ChatSessionFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(ChatSessionFileTest, FileOfFirstVersion_KeepsSessions) {
  {
    auto old = sql::Database::open(path, sql::OpenMode::create);
    ASSERT_TRUE(old);
    ASSERT_TRUE(old->execute(
        "CREATE TABLE sessions (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, owner TEXT NOT "
        "NULL, title TEXT NOT NULL, rules TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at "
        "INTEGER NOT NULL); CREATE INDEX sessions_of_owner ON sessions (owner, id); "
        "PRAGMA user_version = 1; INSERT INTO sessions (code, owner, title, rules, created_at, "
        "updated_at) VALUES ('session_1', 'alice', 'Old', 'Be brief', 5, 6)"));
  }
  open();
  EXPECT_TRUE(store->owns("alice", "session_1"));
  const auto session = find("session_1");
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->title, "Old");
  EXPECT_EQ(session->comfyui_server, "");
}

TEST_P(ChatSessionFileTest, ToolsAllowedByNameOnly_BelongToServer) {
  {
    auto old = sql::Database::open(path, sql::OpenMode::create);
    ASSERT_TRUE(old);
    ASSERT_TRUE(old->execute(
        "CREATE TABLE sessions (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, owner TEXT NOT "
        "NULL, title TEXT NOT NULL, rules TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at "
        "INTEGER NOT NULL, comfyui_server TEXT NOT NULL DEFAULT ''); "
        "CREATE TABLE allowed_tools (owner TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT "
        "NULL, PRIMARY KEY (owner, session, tool)) WITHOUT ROWID; PRAGMA user_version = 3; "
        "INSERT INTO allowed_tools VALUES ('alice', '', 'bash')"));
  }
  open();
  const auto all = ask<std::vector<AllowedTool>>(
      [&](auto done) { store->list_allowed("alice", scheduler, std::move(done)); });
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().tool, (run::ToolOrigin{"bash", "builtin"}));
}

TEST_P(ChatSessionStoreTest, AllowedTools_AreDistinguishedBySource) {
  open();
  const auto allow = [&](const std::string& source) {
    return ask<void>([&](auto done) {
      store->allow("alice", {{"read", source}, ""}, scheduler, std::move(done));
    });
  };
  const auto disallow = [&](const std::string& source) {
    return ask<void>([&](auto done) {
      store->disallow("alice", {{"read", source}, ""}, scheduler, std::move(done));
    });
  };
  const auto sources = [&] {
    std::vector<std::string> out;
    const auto all = ask<std::vector<AllowedTool>>(
        [&](auto done) { store->list_allowed("alice", scheduler, std::move(done)); });
    for (const AllowedTool& each : *all) out.push_back(each.tool.source);
    return out;
  };
  ASSERT_TRUE(allow("mcp:one") && allow("mcp:two") && allow("mcp:two"));
  EXPECT_EQ(sources(), (std::vector<std::string>{"mcp:one", "mcp:two"}));
  ASSERT_TRUE(disallow("mcp:one"));
  EXPECT_EQ(sources(), (std::vector<std::string>{"mcp:two"}));
  ASSERT_TRUE(allow("mcp:one") && disallow(""));
  EXPECT_TRUE(sources().empty());
}

TEST_P(ChatSessionStoreTest, Draft_ChangesOnlyGivenMembers_Persists) {
  open();
  const auto created = ask<ChatSession>([&](auto done) {
    store->create("alice", {"Mine", "Be brief", "7"}, scheduler, std::move(done));
  });
  ASSERT_TRUE(created);
  ChatSessionDraft draft;
  draft.title = "Ours";
  ASSERT_TRUE(ask<ChatSession>([&](auto done) {
    store->update("alice", created->code, draft, scheduler, std::move(done));
  }));
  open();
  const auto now = find(created->code);
  ASSERT_TRUE(now);
  EXPECT_EQ(now->title, "Ours");
  EXPECT_EQ(now->rules, "Be brief");
  EXPECT_EQ(now->comfyui_server, "7");
  draft.comfyui_server = std::string(kMaxServerIdBytes + 1, 'x');
  EXPECT_EQ(ask<ChatSession>([&](auto done) {
              store->update("alice", created->code, draft, scheduler, std::move(done));
            })
                .error()
                .field,
            "comfyuiServerId");
}

}  // namespace
}  // namespace parley::chat
