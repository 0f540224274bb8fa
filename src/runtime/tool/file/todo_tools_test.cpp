// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "runtime/tool/file/session_folder.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

class TodoTools : public testing::Test {
 protected:
  FileToolWorld world_;
};

constexpr const char* kTwo =
    R"({"todos":[{"id":"a","content":"write","status":"in_progress","priority":"high"},
                 {"content":"rest"},{"content":"done","status":"completed"}]})";
constexpr const char* kTwoShown =
    "2 todos\n"
    R"([{"id":"a","content":"write","status":"in_progress","priority":"high"},)"
    R"({"id":"2","content":"rest","status":"pending","priority":"medium"},)"
    R"({"id":"3","content":"done","status":"completed","priority":"medium"}])";

TEST_F(TodoTools, List_IsKeptPerConversation) {
  EXPECT_EQ(world_.ok("todo_read", "{}"), "0 todos\n[]");
  EXPECT_EQ(world_.ok("todo_write", kTwo), kTwoShown);
  EXPECT_EQ(world_.ok("todo_read", "{}"), kTwoShown);
  EXPECT_EQ(world_.ok("todo_write", R"({"todos":[]})"), "0 todos\n[]");
  EXPECT_EQ(world_.ok("todo_read", "{}"), "0 todos\n[]");
}

TEST_F(TodoTools, Lists_AreSeparatePerConversationAndOwner) {
  world_.ok("todo_write", kTwo);
  world_.session = "session-2";
  EXPECT_EQ(world_.ok("todo_read", "{}"), "0 todos\n[]");
  world_.session = "session-1";
  world_.owner = "owner-2";
  EXPECT_EQ(world_.ok("todo_read", "{}"), "0 todos\n[]");
}

TEST_F(TodoTools, AnySessionId_StaysInDataFolder) {
  for (const std::string& session :
       {std::string("../../../escape"), std::string("/abs"), std::string(".."), std::string("a/b"),
        std::string(), std::string("a\0b", 3), std::string(5000, 'x')}) {
    world_.session = session;
    EXPECT_EQ(world_.ok("todo_write", kTwo), kTwoShown);
    EXPECT_EQ(world_.ok("todo_read", "{}"), kTwoShown);
  }
  EXPECT_EQ(world_.data.entries(), 1U);  // todo/
  EXPECT_FALSE(std::filesystem::exists(world_.data.path() + "/../escape.json"));
}

TEST_F(TodoTools, DamagedList_IsAnsweredInWords) {
  world_.data.write("todo/" + session_file_name(world_.owner, world_.session) + ".json", "{");
  EXPECT_NE(world_.refused("todo_read", "{}").find("damaged"), std::string::npos);
  EXPECT_EQ(world_.ok("todo_write", kTwo), kTwoShown);
}

TEST_F(TodoTools, LinkInPlaceOfList_IsNotFollowed) {
  TestFolder outside;
  outside.write("victim", "safe");
  std::filesystem::create_directories(world_.data.at("todo"));
  world_.data.link(outside.at("victim"),
                   "todo/" + session_file_name(world_.owner, world_.session) + ".json");
  world_.call("todo_write", kTwo);
  EXPECT_EQ(outside.read("victim"), "safe");
}

TEST_F(TodoTools, WrongEntries_AreNamed) {
  EXPECT_NE(world_.refused("todo_write", R"({"todos":[{"content":"x","status":"maybe"}]})")
                .find("`todos[0].status`"),
            std::string::npos);
  EXPECT_NE(world_.refused("todo_write", R"({"todos":[{}]})").find("`todos[0].content`"),
            std::string::npos);
}

TEST(SessionFileName, OwnersAndSessions_AreKeptApart) {
  EXPECT_NE(session_file_name("a", "bc"), session_file_name("ab", "c"));
  EXPECT_NE(session_file_name("a", "../x"), session_file_name("a", "../y"));
  EXPECT_TRUE(session_file_name("a", "thread-1").starts_with("thread-1-"));
  EXPECT_EQ(session_file_name("a", "../x").find('/'), std::string::npos);
}

}  // namespace
}  // namespace parley::tool
