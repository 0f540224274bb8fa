// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "dialects/mcp_http/legacy_session.h"
#include "dialects/mcp_http/reply_channel.h"
#include "tests/support/mcp_http/mcp_http_world.h"

namespace parley::mcp_http {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";

std::string ask(const std::string& id, const std::string& meta = {}) {
  return R"({"jsonrpc":"2.0","id":)" + id +
         R"(,"method":"tools/call","params":{"name":"ask_question","arguments":)"
         R"({"project_directory":"/p","question":"q?"})" +
         meta + "}}";
}
const std::string kModernMeta =
    R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

class McpHttpTest : public ::testing::Test {
 protected:
  // Begins a session on a thread: the fields of its requests.
  Fields begin(std::size_t thread = 0) {
    const CallerPtr caller = world_.send("POST", kInitialize, {}, thread);
    return {{"Mcp-Session-Id", std::string(caller->response->headers.get("Mcp-Session-Id"))}};
  }
  CallerPtr modern(std::size_t thread = 0, const Fields& more = {}) {
    Fields fields = {{"MCP-Protocol-Version", "2026-07-28"},
                     {"Mcp-Method", "tools/call"},
                     {"Mcp-Name", "ask_question"},
                     {"Mcp-Param-Project", "/p"}};
    fields.insert(fields.end(), more.begin(), more.end());
    return world_.send("POST", ask("1", kModernMeta), fields, thread);
  }
  void answer(mcp::CallId id, const std::string& text) {
    world_.calls.answer(id, core::text_answer(text));
    world_.run();
  }

  McpHttpWorld world_;
};

TEST_F(McpHttpTest, SoonAnswer_IsDocument_LateOneIsStream) {
  const CallerPtr soon = modern();
  answer(1, "soon");
  EXPECT_EQ(soon->response->headers.get("Content-Type"), "application/json");
  EXPECT_EQ(soon->json().at("result").at("content").at(0).at("text").as_string(), "soon");
  const CallerPtr late = modern();
  world_.advance(ReplyChannel::kPatience);
  EXPECT_TRUE(late->streaming);
  EXPECT_FALSE(late->stream.empty());
  answer(2, "late");
  EXPECT_TRUE(late->ended);
  EXPECT_EQ(late->data().at(0).at("result").at("content").at(0).at("text").as_string(), "late");
}

TEST_F(McpHttpTest, QuietStream_GetsComments) {
  const CallerPtr caller = modern();
  world_.advance(core::Millis(16'000));
  EXPECT_NE(caller->stream.find(": keep-alive"), std::string::npos);
}

TEST_F(McpHttpTest, ModernCallerGone_CancelsCall) {
  const CallerPtr caller = modern(1);
  world_.advance(ReplyChannel::kPatience);
  caller->gone();
  world_.run();
  ASSERT_EQ(world_.calls.cancelled.size(), 1U);
  EXPECT_TRUE(world_.context->shard(1).calls.empty());
  EXPECT_TRUE(world_.context->shard(1).calls_of.empty());
}

TEST_F(McpHttpTest, ModernCallerGoneBeforeStream_CancelsCall) {
  const CallerPtr caller = modern();
  caller->gone();
  world_.run();
  EXPECT_EQ(world_.calls.cancelled.size(), 1U);
}

TEST_F(McpHttpTest, LegacyCallerGone_ResumesOnAnotherThread) {
  const Fields session = begin(1);
  const CallerPtr first = world_.send("POST", ask("7"), session, 0);
  world_.advance(ReplyChannel::kPatience);
  ASSERT_EQ(first->ids().size(), 1U);
  first->gone();
  world_.run();
  EXPECT_TRUE(world_.calls.cancelled.empty());
  answer(1, "kept");
  Fields resume = session;
  resume.emplace_back("Last-Event-ID", first->ids()[0]);
  const CallerPtr rest = world_.send("GET", "", resume, 1);
  EXPECT_TRUE(rest->ended);
  EXPECT_EQ(rest->data().at(0).at("result").at("content").at(0).at("text").as_string(), "kept");
}

TEST_F(McpHttpTest, ResumedStream_CutsItsFormerReader) {
  const Fields session = begin();
  const CallerPtr first = world_.send("POST", ask("7"), session);
  world_.advance(ReplyChannel::kPatience);
  Fields resume = session;
  resume.emplace_back("Last-Event-ID", first->ids().front());
  const CallerPtr second = world_.send("GET", "", resume);
  EXPECT_TRUE(first->ended) << "no response is left open for ever";
  EXPECT_TRUE(second->streaming);
  answer(1, "once");
  EXPECT_EQ(second->data().size(), 1U);
}

TEST_F(McpHttpTest, StreamWithNothingLeft_IsRefusedForGood) {
  const Fields session = begin();
  const CallerPtr caller = world_.send("POST", ask("7"), session);
  world_.advance(ReplyChannel::kPatience);
  answer(1, "a");
  Fields resume = session;
  resume.emplace_back("Last-Event-ID", caller->ids().back());
  const CallerPtr again = world_.send("GET", "", resume);
  EXPECT_EQ(again->response->status, 405);
  EXPECT_EQ(again->response->headers.get("Allow"), "POST");
}

TEST_F(McpHttpTest, OwnStream_HasSeveralReaders_NewestGetsMessages) {
  const Fields session = begin();
  world_.send("POST",
              R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x:a"}})",
              session);
  std::vector<CallerPtr> readers;
  // The number of messages that each reader has, after one more.
  const auto messages = [&] {
    world_.changed({mcp::Change::Kind::resource, "x:a"});
    world_.run();
    std::vector<std::ptrdiff_t> counts;
    for (const CallerPtr& reader : readers) {
      const auto data = reader->data();
      counts.push_back(std::count_if(data.begin(), data.end(), [](const boost::json::value& one) {
        return one.is_object() && one.at("method") == "notifications/resources/updated";
      }));
    }
    return counts;
  };
  using Counts = std::vector<std::ptrdiff_t>;
  for (std::size_t i = 0; i < LegacySession::kMaxReaders; ++i) {
    readers.push_back(world_.send("GET", "", session));
  }
  for (const CallerPtr& reader : readers) EXPECT_TRUE(reader->streaming);
  EXPECT_EQ(messages(), (Counts{0, 0, 0, 1}));
  readers.push_back(world_.send("GET", "", session));
  EXPECT_EQ(messages(), (Counts{0, 0, 0, 1, 1}));
  EXPECT_TRUE(readers.front()->ended) << "the oldest one leaves its place";
  for (std::size_t i = 1; i < readers.size(); ++i) EXPECT_TRUE(readers[i]->streaming);
  // A reader that has gone leaves the stream to the one before it.
  readers.back()->gone();
  world_.run();
  EXPECT_EQ(messages(), (Counts{0, 0, 0, 2, 1}));
  world_.context->shut_down();
  world_.run();
  for (const CallerPtr& reader : readers) EXPECT_FALSE(reader->streaming);
}

// A client that resumes an ended stream, and returns a second after each cut of a stream, as the
// SDK in Gemini CLI 0.61 does.
TEST_F(McpHttpTest, ClientThatAlwaysComesBack_ComesToRest) {
  const Fields session = begin();
  struct Stream {
    CallerPtr caller;
    bool handled = false;
  };
  std::vector<Stream> streams;
  int gets = 0;
  const auto get = [&](const std::string& last) {
    Fields fields = session;
    if (!last.empty()) fields.emplace_back("Last-Event-ID", last);
    ++gets;
    const CallerPtr caller = world_.send("GET", "", fields);
    if (caller->response->status == 200) streams.push_back({caller});
  };
  get("");  // after initialize
  streams.push_back({world_.send("POST", ask("5"), session)});
  world_.advance(ReplyChannel::kPatience);
  answer(1, "yes");
  for (int second = 0; second < 60; ++second) {
    world_.advance(std::chrono::seconds(1));
    const std::size_t known = streams.size();  // a stream that is cut now is missed a second later
    for (std::size_t i = 0; i < known; ++i) {
      if (!streams[i].caller->ended || std::exchange(streams[i].handled, true)) continue;
      const std::vector<std::string> ids = streams[i].caller->ids();
      get(ids.empty() ? "" : ids.back());
    }
    if (second == 5) get("");  // a second stream of its own beside the first
  }
  EXPECT_LE(gets, 4);
}

TEST_F(McpHttpTest, AnsweredStream_IsForgottenLater) {
  const Fields session = begin();
  const CallerPtr caller = world_.send("POST", ask("7"), session);
  world_.advance(ReplyChannel::kPatience);
  answer(1, "a");
  Fields resume = session;
  resume.emplace_back("Last-Event-ID", caller->ids().front());
  EXPECT_EQ(world_.send("GET", "", resume)->response->status, 200);
  world_.advance(LegacySession::kReplayTime);
  EXPECT_EQ(world_.send("GET", "", resume)->response->status, 404);
}

TEST_F(McpHttpTest, ManyLostAnswers_OldestAreDropped) {
  const Fields session = begin();
  std::vector<std::string> ids;
  for (std::size_t i = 0; i <= LegacySession::kMaxEndedStreams; ++i) {
    const CallerPtr caller = world_.send("POST", ask(std::to_string(i + 10)), session);
    world_.advance(ReplyChannel::kPatience);
    ids.push_back(caller->ids().front());
    caller->gone();
    world_.run();
    answer(i + 1, "lost");
  }
  Fields resume = session;
  resume.emplace_back("Last-Event-ID", ids.front());
  EXPECT_EQ(world_.send("GET", "", resume)->response->status, 404);
  resume.back().second = ids.back();
  EXPECT_EQ(world_.send("GET", "", resume)->response->status, 200);
}

TEST_F(McpHttpTest, LargeLostAnswers_NewestIsKept) {
  const Fields session = begin();
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 3; ++i) {
    const CallerPtr caller = world_.send("POST", ask(std::to_string(i + 10)), session);
    world_.advance(ReplyChannel::kPatience);
    ids.push_back(caller->ids().front());
    caller->gone();
    world_.run();
    answer(i + 1, std::string(LegacySession::kMaxKeptBytes, 'x'));
  }
  Fields resume = session;
  resume.emplace_back("Last-Event-ID", ids[1]);
  EXPECT_EQ(world_.send("GET", "", resume)->response->status, 404);
  resume.back().second = ids[2];
  EXPECT_EQ(world_.send("GET", "", resume)->response->status, 200);
}

TEST_F(McpHttpTest, CancelledLegacyCall_EndsItsStream) {
  const Fields session = begin();
  const CallerPtr caller = world_.send("POST", ask("7"), session);
  world_.advance(ReplyChannel::kPatience);
  const CallerPtr notice = world_.send(
      "POST", R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})",
      session);
  EXPECT_EQ(notice->response->status, 202);
  EXPECT_TRUE(caller->ended);
  EXPECT_EQ(world_.calls.cancelled.size(), 1U);
  EXPECT_EQ(world_.send("POST", ask("7"), session)->response, std::nullopt);  // the id is free
}

TEST_F(McpHttpTest, OpenIdAgain_IsRefused_FirstGoesOn) {
  const Fields session = begin();
  const CallerPtr first = world_.send("POST", ask("7"), session);
  EXPECT_EQ(world_.send("POST", ask("7"), session)->response->status, 400);
  answer(1, "yes");
  EXPECT_EQ(first->json().at("result").at("content").at(0).at("text").as_string(), "yes");
}

TEST_F(McpHttpTest, BatchWithOneIdTwice_LeavesSessionUsable) {
  const std::string old = R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                          R"({"protocolVersion":"2025-03-26","capabilities":{}}})";
  const CallerPtr begun = world_.send("POST", old);
  const Fields session = {
      {"Mcp-Session-Id", std::string(begun->response->headers.get("Mcp-Session-Id"))}};
  const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  EXPECT_EQ(world_.send("POST", "[" + ping + "," + ping + "]", session)->response->status, 400);
  const CallerPtr next = world_.send("POST", ping, session);
  ASSERT_TRUE(next->ended);
  EXPECT_EQ(next->response->status, 200);
}

TEST_F(McpHttpTest, IdleSession_Ends_BusyOneStays) {
  const Fields idle = begin();
  const Fields busy = begin();
  const CallerPtr waiting = world_.send("POST", ask("1"), busy);
  world_.advance(core::Millis(std::chrono::hours(24)));
  const std::string ping = R"({"jsonrpc":"2.0","id":5,"method":"ping"})";
  EXPECT_EQ(world_.send("POST", ping, idle)->response->status, 404);
  EXPECT_EQ(world_.send("POST", ping, busy)->response->status, 200);
}

TEST_F(McpHttpTest, ForgottenToken_EndsStreamsAndSessions) {
  const Fields session = begin();
  const CallerPtr own = world_.send("GET", "", session);
  const CallerPtr held = modern(1);
  world_.advance(ReplyChannel::kPatience);
  EXPECT_TRUE(own->streaming);
  world_.verifier.forget("tok");
  world_.run();
  EXPECT_TRUE(own->ended);
  EXPECT_TRUE(held->ended);
  EXPECT_EQ(world_.calls.cancelled.size(), 1U);
  EXPECT_TRUE(world_.context->shard(0).sessions.empty());
  EXPECT_EQ(world_.verifier.watches(), 0U);
}

TEST_F(McpHttpTest, ForeignToken_DoesNotSeeSession) {
  const Fields session = begin();
  const std::string ping = R"({"jsonrpc":"2.0","id":5,"method":"ping"})";
  EXPECT_EQ(world_.send("POST", ping, session, 0, "other")->response->status, 404);
  EXPECT_EQ(world_.send("POST", ping, session, 0, "wrong")->response->status, 401);
  EXPECT_EQ(world_.send("DELETE", "", session, 0, "other")->response->status, 404);
  EXPECT_EQ(world_.send("DELETE", "", session)->response->status, 204);
}

TEST_F(McpHttpTest, MirroredArgument_MustRepeatBody) {
  EXPECT_EQ(modern(0, {{"Mcp-Param-Project", "/q"}})->response->status, 400);
  EXPECT_EQ(modern(0, {{"Mcp-Param-Project", "=?base64?L3A=?="}})->response, std::nullopt);
  EXPECT_EQ(modern(0, {{"Mcp-Param-Project", "=?base64?L3A?="}})->response->status, 400);
}

TEST_F(McpHttpTest, RightsDecide_BeforeTheTool) {
  world_.verifier.allow("reader", "w3", "reader", auth::Rights{auth::Right::read});
  const CallerPtr caller = world_.send("POST", ask("1", kModernMeta),
                                       {{"MCP-Protocol-Version", "2026-07-28"}}, 0, "reader");
  EXPECT_EQ(caller->response->status, 403);
  EXPECT_TRUE(world_.calls.started.empty());
}

TEST_F(McpHttpTest, ShutDown_TellsAndAnswersListener) {
  const std::string listen = R"({"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":)"
                             R"({"notifications":{})" +
                             kModernMeta + "}}";
  const CallerPtr caller =
      world_.send("POST", listen,
                  {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "subscriptions/listen"}});
  world_.context->shut_down();
  world_.run();
  ASSERT_TRUE(caller->ended);
  const auto messages = caller->data();
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[1].at("method").as_string(), "notifications/cancelled");
  EXPECT_EQ(messages[1].at("params").at("requestId").as_int64(), 9);
  EXPECT_EQ(messages[2].at("result").at("resultType").as_string(), "complete");
  EXPECT_EQ(messages[2].at("result").at("_meta").at("io.modelcontextprotocol/subscriptionId"), 9);
}

TEST_F(McpHttpTest, ShutDown_EndsEverything) {
  const Fields session = begin();
  const CallerPtr old_call = world_.send("POST", ask("7"), session);
  const CallerPtr own = world_.send("GET", "", session);
  const CallerPtr held = modern(1);
  world_.advance(ReplyChannel::kPatience);
  world_.context->shut_down();
  world_.run();
  EXPECT_TRUE(old_call->ended);
  EXPECT_TRUE(own->ended);
  EXPECT_TRUE(held->ended);
}

TEST(McpHttpLogin, Refusals_TellWhereToLogIn) {
  McpHttpOptions options;
  options.login = LoginHint{[](const net::Request&) { return "https://p.example/m"; }, "a b"};
  McpHttpWorld world(options);
  const auto challenge = [](const CallerPtr& caller) {
    return std::string(caller->response->headers.get("WWW-Authenticate"));
  };
  const std::string hint = "resource_metadata=\"https://p.example/m\", scope=\"a b\"";
  EXPECT_EQ(challenge(world.send("POST", kInitialize, {{"Authorization", ""}})), "Bearer " + hint);
  EXPECT_EQ(challenge(world.send("POST", kInitialize, {}, 0, "wrong")),
            "Bearer error=\"invalid_token\", " + hint);
  world.verifier.allow("reader", "w3", "reader", auth::Rights{auth::Right::read});
  const CallerPtr caller = world.send("POST", ask("1", kModernMeta),
                                      {{"MCP-Protocol-Version", "2026-07-28"}}, 0, "reader");
  EXPECT_EQ(caller->response->status, 403);
  EXPECT_EQ(challenge(caller), "Bearer error=\"insufficient_scope\", " + hint);
}

TEST(McpHttpLimits, ManySessions_AreRefused) {
  McpHttpOptions options;
  options.max_sessions = 2;
  McpHttpWorld world(options);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world.send("POST", kInitialize)->response->status, 200);
  }
  EXPECT_EQ(world.send("POST", kInitialize)->response->status, 429);
  EXPECT_EQ(world.send("POST", kInitialize, {}, 0, "other")->response->status, 200);
}

TEST(McpHttpLimits, ManyCalls_AreRefused_UntilOneEnds) {
  McpHttpOptions options;
  options.max_calls = 1;
  McpHttpWorld world(options);
  const Fields fields = {{"MCP-Protocol-Version", "2026-07-28"},
                         {"Mcp-Method", "tools/call"},
                         {"Mcp-Name", "ask_question"},
                         {"Mcp-Param-Project", "/p"}};
  const CallerPtr first = world.send("POST", ask("1", kModernMeta), fields);
  EXPECT_EQ(world.send("POST", ask("1", kModernMeta), fields)->response->status, 429);
  first->gone();
  world.run();
  EXPECT_EQ(world.send("POST", ask("1", kModernMeta), fields)->response, std::nullopt);
}

}  // namespace
}  // namespace parley::mcp_http
