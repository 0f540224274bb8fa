// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/message_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <set>

#include "tests/support/chat/chat_world.h"

namespace parley::chat {
namespace {

using agent::testing::FakeReply;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MessageListTest : public ::testing::Test {
 protected:
  void replies(std::deque<FakeReply> all) { world_.runs.models.model->replies = std::move(all); }
  std::string json() {
    std::optional<std::string> out;
    list_messages(world_.runs.store, *world_.runs.service, "alice", world_.code,
                  world_.runs.scheduler,
                  [&out](core::Result<std::string> list) { out = list.value(); });
    world_.run();
    return out.value_or("");
  }
  // "USER Hi", "ASSISTANT Hello.": as a front end shows them.
  std::vector<std::string> list() {
    std::vector<std::string> out;
    simdjson::dom::parser parser;
    const simdjson::padded_string text(json());
    for (const simdjson::dom::object row : parser.parse(text).get_array()) {
      std::string role = core::string_member(row, "role");
      std::string content = core::string_member(row, "content");
      if (role == "ASSISTANT") {
        EXPECT_THAT(content, IsEmpty());
        simdjson::dom::parser inner;
        const simdjson::padded_string chat(core::string_member(row, "chatContent"));
        const simdjson::dom::object ai = inner.parse(chat).get_object();
        content = core::string_member(ai, "content");
      }
      out.push_back(role + " " + content);
    }
    return out;
  }

  ChatWorld world_;
  ChatPeer peer_{world_, Generation::second};
};

TEST_F(MessageListTest, Messages_AreOfConversation) {
  replies({FakeReply::text("Hello."), FakeReply::text("Two."), FakeReply::text("Three.")});
  EXPECT_THAT(list(), IsEmpty());
  peer_.message("1", "Hi", "{}");
  peer_.message("2", "b", "{}");
  EXPECT_THAT(list(), ElementsAre("USER Hi", "ASSISTANT Hello.", "USER b", "ASSISTANT Two."));
  EXPECT_THAT(json(), HasSubstr(R"("requestId":"1","role":"USER")"));
  peer_.message("3", "B", R"({"replaces":"2"})");
  EXPECT_THAT(list(), ElementsAre("USER Hi", "ASSISTANT Hello.", "USER B", "ASSISTANT Three."));
  peer_.say("USER_ORDER", "4", R"("content":"/clear")");
  EXPECT_THAT(list(), IsEmpty());
}

TEST_F(MessageListTest, Calls_StandWithTheirMessage) {
  world_.runs.tools.tools.add(agent::testing::echo_tool());
  FakeReply calls = FakeReply::call("c1", "echo", R"({"text":"hi"})");
  calls.chunks = {"I call."};
  replies({calls, FakeReply::text("Done.")});
  peer_.message("1", "Call", "{}");
  EXPECT_THAT(list(), ElementsAre("USER Call", "ASSISTANT I call.", "ASSISTANT Done."));
  EXPECT_THAT(json(), HasSubstr(R"(\"toolRequests\":[{\"id\":\"c1\",\"name\":\"echo\")"));
}

TEST_F(MessageListTest, ErrorsSummariesAndCards_HaveOwnRoles) {
  FakeReply broken;
  broken.error = core::Error{core::Code::unavailable, "The model is away.", ""};
  replies({FakeReply::call("c1", "status_update", R"({"message":"Looking"})"), broken,
           FakeReply::text("All of it.")});
  peer_.message("1", "Look", "{}");
  peer_.say("USER_ORDER", "2", R"("content":"/compact")");
  EXPECT_THAT(list(), ElementsAre("USER Look", "ASSISTANT ", HasSubstr("AGENT_STATUS"),
                                  HasSubstr("AGENT_ERROR"), "USER_ORDER /compact",
                                  "AGENT_MESSAGE All of it."));
}

TEST_F(MessageListTest, RunLostWithServer_HasItsTextAndEnd) {
  FakeReply stopped = FakeReply::text("Before");
  stopped.stalls = true;
  replies({stopped});
  peer_.message("1", "Hi", "{}");
  EXPECT_THAT(list(), ElementsAre("USER Hi")) << "the run goes on";
  peer_.leave();
  world_.restart();
  EXPECT_THAT(list(), ElementsAre("USER Hi", "ASSISTANT Before", HasSubstr("AGENT_ERROR The run")));
  replies({FakeReply::text("Alive.")});
  ChatPeer back(world_, Generation::second);
  back.message("2", "And now?", "{}");
  EXPECT_THAT(list(), ElementsAre("USER Hi", "ASSISTANT Before", HasSubstr("AGENT_ERROR The run"),
                                  "USER And now?", "ASSISTANT Alive."));
  EXPECT_THAT(json(), HasSubstr(R"("requestId":"1","role":"AGENT_ERROR")"));
  ChatPeer all(world_, Generation::second, 0);
  EXPECT_THAT(all.told(), ElementsAre("STARTED", "THINKING", "STREAM Before", HasSubstr("ERROR"),
                                      "AGENT_COMPLETE", "COMPLETE", "STARTED", "THINKING",
                                      "STREAM Alive.", "AGENT_COMPLETE", "COMPLETE"));
}

TEST_F(MessageListTest, Rows_HaveDistinctIds) {
  world_.runs.tools.tools.add(agent::testing::echo_tool());
  FakeReply broken = FakeReply::text("Half");
  broken.error = core::Error{core::Code::unavailable, "The model is away.", ""};
  replies({broken});
  peer_.message("1", "Go", "{}");
  simdjson::dom::parser parser;
  const simdjson::padded_string text(json());
  std::set<std::string> ids;
  std::size_t rows = 0;
  for (const simdjson::dom::object row : parser.parse(text).get_array()) {
    ids.insert(core::string_member(row, "id"));
    ++rows;
  }
  EXPECT_GE(rows, 3U);
  EXPECT_EQ(ids.size(), rows);
}

TEST_F(MessageListTest, RunOfElsewhere_IsInList) {
  replies({FakeReply::text("Hello.")});
  ASSERT_TRUE(world_.runs.start("From the shell", world_.code));
  EXPECT_THAT(list(), ElementsAre("USER From the shell", "ASSISTANT Hello."));
}

TEST_F(MessageListTest, OldestGo_WhereThereAreTooMany) {
  MessageList list("s");
  const std::string much(1U << 20U, 'a');
  for (int i = 0; i < 6; ++i) {
    ChatRequest request;
    request.request_id = std::to_string(i);
    request.content = much;
    list.user_message(request);
  }
  EXPECT_LE(list.json().size(), 2 * MessageList::kMaxListedBytes + 4'096);
  EXPECT_THAT(list.json(), AllOf(HasSubstr(R"("requestId":"5")"),
                                 testing::Not(HasSubstr(R"("requestId":"0")"))));
}

}  // namespace
}  // namespace parley::chat
