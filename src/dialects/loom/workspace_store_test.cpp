// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/workspace_store.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <future>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/loom/loom_world.h"
#include "tests/support/sql/store_test.h"

namespace parley::loom {
namespace {

// A store in a folder of its own. Each call blocks until its answer.
class WorkspaceStoreTest : public sql::StoreTest {
 protected:
  WorkspaceStoreTest() { open(); }
  void open() {
    store.reset();
    auto opened = WorkspaceStore::open(place_, clock_, entropy_);
    ASSERT_TRUE(opened) << opened.error().message;
    store = std::move(*opened);
  }
  template <typename T, typename Ask>
  core::Result<T> wait(Ask ask) {
    AtOnce at_once(clock_);
    std::promise<core::Result<T>> answer;
    ask(at_once, [&answer](core::Result<T> result) { answer.set_value(std::move(result)); });
    return answer.get_future().get();
  }
  Workspace make(const std::string& owner, const std::string& name) {
    return wait<Workspace>([&](auto& on, auto done) { store->create(owner, name, on, done); })
        .value();
  }
  void say(const std::string& owner, std::uint64_t from, std::uint64_t to,
           std::vector<LoggedMessage> messages) {
    EXPECT_TRUE(wait<void>([&](auto& on, auto done) {
      store->lengthen_log(owner, "th", from, to, std::move(messages), on, done);
    }));
  }
  std::vector<std::string> said(const std::string& owner) {
    const auto page = wait<MessagePage>(
        [&](auto& on, auto done) { store->messages(owner, "th", {}, 100, on, done); });
    std::vector<std::string> out;
    for (const LoggedMessage& message : page->messages) out.push_back(message.content);
    return out;
  }

  core::FakeClock clock_;
  core::SeededEntropy entropy_{9};
  std::unique_ptr<WorkspaceStore> store;
};
INSTANTIATE_TEST_SUITE_P(Engines, WorkspaceStoreTest, sql::each_engine(), sql::engine_name);

class WorkspaceFileTest : public WorkspaceStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, WorkspaceFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(WorkspaceStoreTest, Contents_SurviveRestart) {
  const Workspace created = make("o", "Work");
  ASSERT_TRUE(
      wait<void>([&](auto& on, auto done) { store->add_thread("o", created.id, "th", on, done); }));
  say("o", 0, 4, {{0, "user", "hi"}});
  open();
  const auto all =
      wait<std::vector<Workspace>>([&](auto& on, auto done) { store->list("o", on, done); });
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->at(0).name, "Work");
  const auto threads = wait<std::vector<WorkspaceThread>>(
      [&](auto& on, auto done) { store->threads("o", created.id, on, done); });
  EXPECT_EQ(threads->size(), 1U);
  EXPECT_EQ(said("o"), std::vector<std::string>{"hi"});
  EXPECT_EQ(
      wait<std::uint64_t>([&](auto& on, auto done) { store->log_position("o", "th", on, done); }),
      4U);
}

TEST_P(WorkspaceStoreTest, ConcurrentLogExtensions_SingleWinner) {
  say("o", 0, 4, {{0, "user", "hi"}});
  say("o", 0, 6, {{0, "user", "hi"}, {0, "assistant", "ho"}});
  EXPECT_EQ(said("o"), std::vector<std::string>{"hi"});
  say("o", 4, 6, {{0, "assistant", "ho"}});
  EXPECT_EQ(said("o"), (std::vector<std::string>{"hi", "ho"}));
  EXPECT_TRUE(said("other").empty());
}

TEST_P(WorkspaceStoreTest, OverlongMessages_AreCut) {
  say("o", 0, 1, {{0, "user", std::string(kMaxMessageBytes + 10, 'x')}});
  EXPECT_EQ(said("o").at(0).size(), kMaxMessageBytes);
}

TEST_P(WorkspaceStoreTest, Thread_IsForgottenOnlyByOwner) {
  const Workspace created = make("o", "Work");
  ASSERT_TRUE(
      wait<void>([&](auto& on, auto done) { store->add_thread("o", created.id, "th", on, done); }));
  say("o", 0, 4, {{0, "user", "mine"}});
  say("p", 0, 4, {{0, "user", "theirs"}});
  ASSERT_TRUE(wait<void>([&](auto& on, auto done) { store->forget_thread("o", "th", on, done); }));
  EXPECT_TRUE(said("o").empty());
  EXPECT_EQ(said("p").at(0), "theirs");
  const auto threads = wait<std::vector<WorkspaceThread>>(
      [&](auto& on, auto done) { store->threads("o", created.id, on, done); });
  EXPECT_TRUE(threads->empty());
  say("o", 0, 2, {{0, "user", "anew"}});
  EXPECT_EQ(said("o").at(0), "anew") << "its log begins anew";
}

TEST_P(WorkspaceStoreTest, OverlongNames_AreRefused) {
  const auto created = wait<Workspace>([&](auto& on, auto done) {
    store->create("o", std::string(kMaxNameBytes + 1, 'x'), on, done);
  });
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, core::Code::invalid_argument);
}

TEST_P(WorkspaceFileTest, FileOfLaterFormat_IsNotTouched) {
  store.reset();
  auto file = sql::Database::open(workspace_store_path(folder_.path()), sql::OpenMode::read_write);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->execute("PRAGMA user_version = 99"));
  const auto opened = WorkspaceStore::open(place_, clock_, entropy_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, core::Code::failed_precondition);
}

TEST_P(WorkspaceStoreTest, Request_AfterStop_IsAnswered) {
  store->stop();
  const auto all =
      wait<std::vector<Workspace>>([&](auto& on, auto done) { store->list("o", on, done); });
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, core::Code::unavailable);
}

}  // namespace
}  // namespace parley::loom
