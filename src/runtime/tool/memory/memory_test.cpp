// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/tool/memory/memory_store.h"
#include "tests/support/sql/store_test.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

class MemoryTest : public sql::StoreTest {
 protected:
  void keep(const std::string& content, const std::string& owner = "anna") {
    const auto kept = store_->remember(owner, "", content);
    ASSERT_TRUE(kept.has_value()) << kept.error().message;
    clock_.advance(core::Millis(1000));
  }
  std::vector<std::string> found(const std::string& query, const std::string& owner = "anna") {
    std::vector<std::string> out;
    const auto memories = store_->search(owner, query, 10);
    EXPECT_TRUE(memories.has_value());
    for (const Memory& memory : *memories) out.push_back(memory.content);
    return out;
  }
  using Texts = std::vector<std::string>;

  core::FakeClock clock_;
  std::unique_ptr<MemoryStore> store_ = MemoryStore::at(place_, clock_);
};
INSTANTIATE_TEST_SUITE_P(Engines, MemoryTest, sql::each_engine(), sql::engine_name);

class MemoryFileTest : public MemoryTest {};
INSTANTIATE_TEST_SUITE_P(Files, MemoryFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(MemoryTest, English_IsFoundByWords) {
  keep("The user prefers dark themes in editors");
  keep("Deploys happen on Fridays");
  EXPECT_EQ(found("which theme?"), Texts{"The user prefers dark themes in editors"});
  EXPECT_EQ(found("DEPLOY"), Texts{"Deploys happen on Fridays"});
  EXPECT_EQ(found("zebra"), Texts{});
}

TEST_P(MemoryTest, Chinese_IsFoundByOneOrTwoCharacters) {
  keep("用户喜欢喝绿茶");
  keep("服务器在上海");
  EXPECT_EQ(found("绿茶"), Texts{"用户喜欢喝绿茶"});
  EXPECT_EQ(found("茶"), Texts{"用户喜欢喝绿茶"});
  EXPECT_EQ(found("上海的服务器"), Texts{"服务器在上海"});
  EXPECT_EQ(found("茶绿"), Texts{});
}

TEST_P(MemoryTest, MixedAndAccentedText_IsFound) {
  keep("项目 Parley 用 C++20 编写");
  keep("Café in Zürich");
  EXPECT_EQ(found("parley"), Texts{"项目 Parley 用 C++20 编写"});
  EXPECT_EQ(found("编写"), Texts{"项目 Parley 用 C++20 编写"});
  EXPECT_EQ(found("cafe zurich"), Texts{"Café in Zürich"});
}

TEST_P(MemoryTest, MostSharedWords_ComeFirst) {
  keep("tea is green");
  keep("the green tea is from Hangzhou");
  keep("coffee is black");
  EXPECT_EQ(found("green tea Hangzhou").front(), "the green tea is from Hangzhou");
  EXPECT_EQ(found("green tea Hangzhou").size(), 2U);
}

TEST_P(MemoryTest, AnyQuery_IsValidSyntax) {
  keep("plain");
  for (const std::string query : {"\"", "a OR", "NEAR(", "*", "^plain", "-", "col:plain", "(((",
                                  "' ; DROP TABLE memory", "\xff\xfe", "", "?!"}) {
    EXPECT_TRUE(store_->search("anna", query, 10).has_value()) << query;
  }
  EXPECT_EQ(found("plain\""), Texts{"plain"});
  EXPECT_TRUE(store_->search("anna", std::string(100'000, 'x'), 10).has_value());
}

TEST_P(MemoryTest, Memory_BelongsToOwner) {
  keep("secret of anna", "anna");
  keep("secret of ben", "ben");
  EXPECT_EQ(found("secret", "ben"), Texts{"secret of ben"});
  EXPECT_EQ(store_->list("ben", 10, 0)->total, 1U);
  const std::int64_t of_anna = store_->search("anna", "secret", 1)->front().id;
  EXPECT_FALSE(*store_->forget("ben", of_anna));
  EXPECT_EQ(found("secret"), Texts{"secret of anna"});
  EXPECT_TRUE(*store_->forget("anna", of_anna));
  EXPECT_EQ(found("secret"), Texts{});
}

TEST_P(MemoryTest, Key_HasSingleContent) {
  ASSERT_TRUE(store_->remember("anna", "colour", "blue").has_value());
  ASSERT_TRUE(store_->remember("anna", "colour", "green").has_value());
  ASSERT_TRUE(store_->remember("ben", "colour", "red").has_value());
  EXPECT_EQ((*store_->find("anna", "colour"))->content, "green");
  EXPECT_EQ(store_->list("anna", 10, 0)->total, 1U);
  EXPECT_EQ(found("blue"), Texts{});
  EXPECT_EQ(found("colour"), Texts{"green"});
  EXPECT_TRUE(*store_->forget("anna", std::string_view("colour")));
  EXPECT_FALSE(*store_->forget("anna", std::string_view("colour")));
}

TEST_P(MemoryTest, List_IsNewestFirstInPages) {
  for (int i = 0; i < 5; ++i) keep("memory " + std::to_string(i));
  const auto page = store_->list("anna", 2, 1);
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->total, 5U);
  ASSERT_EQ(page->memories.size(), 2U);
  EXPECT_EQ(page->memories.front().content, "memory 3");
}

TEST_P(MemoryTest, Memory_SurvivesRestart) {
  keep("lasting");
  const auto again = MemoryStore::at(place_, clock_);
  EXPECT_EQ(again->search("anna", "lasting", 1)->size(), 1U);
}

TEST_P(MemoryTest, EmptyOrOverlongText_IsRefused) {
  EXPECT_EQ(store_->remember("anna", "", "").error().field, "content");
  EXPECT_EQ(store_->remember("anna", "", std::string(17U << 10U, 'x')).error().field, "content");
  EXPECT_EQ(store_->remember("anna", std::string(300, 'k'), "x").error().field, "key");
}

TEST_P(MemoryFileTest, DamagedFile_IsErrorOfCall) {
  std::ofstream(folder_.file("memory.db")) << std::string(8192, 'x');
  const auto kept = store_->remember("anna", "", "x");
  ASSERT_FALSE(kept.has_value());
  EXPECT_EQ(kept.error().code, core::Code::data_loss);
}

TEST(MemoryTools, Tools_RememberRecallListAndForget) {
  FileToolWorld world;
  EXPECT_EQ(world.ok("list_memories", "{}"), "(Nothing is remembered yet.)");
  EXPECT_EQ(world.ok("remember", R"({"content":"She likes tea","key":"drink"})"),
            "Remembered as [1].");
  world.ok("remember", R"({"content":"She drinks no coffee"})");
  EXPECT_EQ(world.ok("recall", R"({"query":"drink"})"),
            "[1] (2023-11-14) drink: She likes tea\n[2] (2023-11-14) She drinks no coffee\n");
  EXPECT_EQ(world.ok("search_memories", R"({"query":"coffee"})"),
            "[2] (2023-11-14) She drinks no coffee\n");
  EXPECT_EQ(world.ok("list_memories", R"({"limit":1})"),
            "[2] (2023-11-14) She drinks no coffee\n(1 older ones: list with offset 1.)\n");
  EXPECT_EQ(world.ok("forget", R"({"id":2})"), "Forgotten.");
  EXPECT_EQ(world.ok("forget", R"({"key":"drink"})"), "Forgotten.");
  EXPECT_NE(world.refused("forget", R"({"id":2})").find("no such memory"), std::string::npos);
  EXPECT_NE(world.refused("forget", "{}").find("Give the `id`"), std::string::npos);
  EXPECT_EQ(world.ok("recall", R"({"query":"drink"})"), "(Nothing is remembered about this.)");
  world.owner = "another";
  EXPECT_EQ(world.ok("list_memories", "{}"), "(Nothing is remembered yet.)");
}

}  // namespace
}  // namespace parley::tool
