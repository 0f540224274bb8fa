// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/session/event_stream.h"

#include <gmock/gmock.h>

#include <random>

#include "base/net/http/compression.h"
#include "tests/support/api/api_world.h"

namespace parley::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Reply;
using testing::World;

const std::string kEvents = "/v1/sessions/assistant-id-alice/events";

std::shared_ptr<Reply> open_stream(World& world, const std::string& query = "",
                                   const std::string& last_id = "",
                                   const std::string& accept = "text/event-stream") {
  std::vector<std::pair<std::string, std::string>> headers = {{"Accept", accept}};
  if (!last_id.empty()) headers.emplace_back("Last-Event-ID", last_id);
  return world.send("GET", kEvents + query, "alice", "", std::move(headers));
}

std::vector<std::uint64_t> seqs_of(const Reply& reply) {
  std::vector<std::uint64_t> out;
  const std::string_view text = reply.body->text;
  for (std::size_t at = text.find("\"seq\":"); at != std::string_view::npos;
       at = text.find("\"seq\":", at + 1)) {
    out.push_back(std::stoull(std::string(text.substr(at + 6, 20))));
  }
  return out;
}

TEST(EventPage, AfterBeforeLimitAndTypes_ChooseEvents) {
  World world;
  for (int i = 0; i < 6; ++i) world.append("alice", i % 2 == 0 ? "even" : "odd");
  world.settle();
  const auto count = [&world](const std::string& query) {
    const auto page = world.call("GET", kEvents + query, "alice").json();
    return page.at("events").as_array().size();
  };
  EXPECT_EQ(count(""), 6U);
  EXPECT_EQ(count("?after=4"), 2U);
  EXPECT_EQ(count("?after=memory:4"), 2U);
  EXPECT_EQ(count("?before=3"), 2U);
  EXPECT_EQ(count("?types=odd"), 3U);
  EXPECT_EQ(count("?types=odd,even&limit=5"), 5U);
  const auto page = world.call("GET", kEvents + "?before=6&limit=2", "alice").json();
  EXPECT_EQ(page.at("events").at(0).at("seq"), 4);
  EXPECT_EQ(page.at("more"), true);
  EXPECT_EQ(page.at("last_seq"), 6);
}

TEST(EventPage, MaxBytes_EndsPageBehindLargeEvent) {
  World world;
  for (int i = 0; i < 3; ++i) world.append("alice");
  world.settle();
  const auto page = world.call("GET", kEvents + "?before=4&max_bytes=1", "alice").json();
  EXPECT_EQ(page.at("events").as_array().size(), 1U);
  EXPECT_EQ(page.at("events").at(0).at("seq"), 3);
  EXPECT_EQ(page.at("more"), true);
}

TEST(EventPage, LargePage_IsCompressedIfClientTakesIt) {
  World world;
  world.append("alice", "t", R"({"text":")" + std::string(1U << 20U, 'x') + R"("})");
  world.settle();
  const auto plain = world.call("GET", kEvents, "alice");
  const auto packed = world.send("GET", kEvents, "alice", "", {{"Accept-Encoding", "gzip"}});
  world.settle();
  EXPECT_EQ(packed->response->headers.get("Content-Encoding"), "gzip");
  EXPECT_LT(packed->response->body.size(), 100'000U);
  const auto text = net::gunzip(packed->response->body, 2U << 20U);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, plain.response->body);
}

TEST(EventPage, WrongParameter_IsNamed) {
  World world;
  for (const std::string query :
       {"after=x", "before=-1", "limit=0", "limit=1001", "max_bytes=0", "follow=maybe"}) {
    const auto reply = world.call("GET", kEvents + "?" + query, "alice");
    EXPECT_EQ(reply.status(), 400) << query;
    EXPECT_EQ(reply.json().at("field"), query.substr(0, query.find('=')).c_str());
  }
  EXPECT_EQ(world.call("GET", kEvents + "?after=1&before=2", "alice").status(), 400);
}

TEST(EventPage, ClientOfOtherHistory_IsTold) {
  World world;
  world.append("alice");
  world.settle();
  for (const char* after : {"old-epoch:1", "2", "memory:7"}) {
    const auto reply = world.call("GET", kEvents + "?after=" + after, "alice");
    EXPECT_EQ(reply.status(), 410) << after;
    EXPECT_EQ(reply.json().at("reason"), "epoch_changed");
    EXPECT_EQ(reply.json().at("epoch"), "memory");
  }
}

TEST(Gap, Gap_IsFoundWhereverHistoryIsMissing) {
  EXPECT_EQ(gap_reason({"e", 3}, "e", 1, 5), "");
  EXPECT_EQ(gap_reason({"", 5}, "e", 1, 5), "");
  EXPECT_EQ(gap_reason({"f", 3}, "e", 1, 5), "epoch_changed");
  EXPECT_EQ(gap_reason({"", 6}, "e", 1, 5), "epoch_changed");
  EXPECT_EQ(gap_reason({"", 1}, "e", 3, 5), "retention");
  EXPECT_EQ(gap_reason({"", 2}, "e", 3, 5), "");
}

TEST(EventStream, StoredEvents_PrecedeLiveEvents) {
  World world;
  world.append("alice");
  world.append("alice");
  world.settle();
  const auto stream = open_stream(world);
  world.settle();
  EXPECT_THAT(seqs_of(*stream), ElementsAre(1U, 2U));
  EXPECT_EQ(stream->response->headers.get("Content-Type"), "text/event-stream");
  world.append("alice");
  world.settle();
  EXPECT_THAT(seqs_of(*stream), ElementsAre(1U, 2U, 3U));
  EXPECT_THAT(stream->body->text, HasSubstr("id: memory:3\ndata: {"));
  EXPECT_TRUE(stream->body->open());
}

TEST(EventStream, LastEventId_ResumesFromThere) {
  World world;
  for (int i = 0; i < 4; ++i) world.append("alice");
  world.settle();
  const auto stream = open_stream(world, "?after=1", "memory:3");
  const auto by_number = open_stream(world, "?after=2");
  world.settle();
  EXPECT_THAT(seqs_of(*stream), ElementsAre(4U));
  EXPECT_THAT(seqs_of(*by_number), ElementsAre(3U, 4U));
}

// Flowing events are shown before they are stored, and a client may reconnect before that.
TEST(EventStream, LastEventIdBeyondStored_ContinuesFromThere) {
  World world;
  for (int i = 0; i < 2; ++i) world.append("alice");
  world.settle();
  world.store().hold_flowing();
  world.append("alice", "message_chunk");
  world.settle();
  ASSERT_EQ(world.store().events("assistant-id-alice").size(), 2U);
  const auto stream = open_stream(world, "", "memory:3");
  world.settle();
  EXPECT_THAT(seqs_of(*stream), ElementsAre());
  EXPECT_THAT(stream->body->text, Not(HasSubstr("gap")));
  world.append("alice");
  world.settle();
  EXPECT_THAT(seqs_of(*stream), ElementsAre(4U));
}

// An event that was visible and then lost is never stored: the stream must not wait for it.
TEST(EventStream, LostFlowingEvents_AreNotLookedForAgain) {
  World world;
  world.append("alice");
  world.settle();
  const auto first = open_stream(world, "");
  world.settle();
  world.store().hold_flowing();
  world.append("alice", "message_chunk");
  world.settle();
  world.store().lose_held();
  world.settle();
  const auto second = open_stream(world, "");
  world.settle();
  const std::size_t reads = world.store().reads();
  world.advance(core::Millis(2'000));
  EXPECT_EQ(world.store().reads(), reads);
  world.append("alice");
  world.settle();
  EXPECT_THAT(seqs_of(*first), ElementsAre(1U, 2U, 3U, 4U)) << "3 says that 2 is lost";
  EXPECT_THAT(seqs_of(*second), ElementsAre(1U, 3U, 4U));
}

TEST(EventStream, ClientOfOtherHistory_IsTold_AndStartsOver) {
  World world;
  world.append("alice");
  world.settle();
  const auto stream = open_stream(world, "", "older:9");
  world.settle();
  EXPECT_THAT(stream->body->text,
              HasSubstr("event: gap\ndata: {\"reason\":\"epoch_changed\",\"epoch\":\"memory\","
                        "\"first_seq\":1}"));
  EXPECT_THAT(seqs_of(*stream), ElementsAre(1U));
}

TEST(EventStream, Lines_HoldSameEvents) {
  World world;
  world.append("alice", "note", "{\"text\":\n \"two lines\"}");
  world.settle();
  const auto stream = open_stream(world, "?follow=false", "", "application/x-ndjson");
  world.settle();
  EXPECT_TRUE(stream->body->ended);
  const std::string& text = stream->body->text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_THAT(text, HasSubstr("{\"end\":{\"reason\":\"complete\"}}\n"));
}

TEST(EventStream, Types_FilterEvents) {
  World world;
  world.append("alice", "a");
  world.append("alice", "b");
  world.settle();
  const auto stream = open_stream(world, "?types=b");
  world.settle();
  world.append("alice", "a");
  world.append("alice", "b");
  world.settle();
  EXPECT_THAT(seqs_of(*stream), ElementsAre(2U, 4U));
}

TEST(EventStream, QuietStream_SendsKeepAlive) {
  World world(std::chrono::seconds(1));
  const auto stream = open_stream(world);
  world.advance(std::chrono::milliseconds(2'500));
  EXPECT_EQ(stream->body->text, ": still here\n\n: still here\n\n");
}

TEST(EventStream, EndOfToken_EndsStreamWithReason) {
  World world;
  const auto stream = open_stream(world);
  world.settle();
  world.hub().revoke("id-alice");
  world.settle();
  EXPECT_TRUE(stream->body->ended);
  EXPECT_THAT(stream->body->text, HasSubstr("event: end\ndata: {\"reason\":\"token_revoked\"}"));
}

TEST(EventStream, TokenEndedDuringOpening_EndsStream) {
  World world;
  const auto stream = open_stream(world);
  world.revoke_token("alice");
  world.settle();
  ASSERT_TRUE(stream->body);
  EXPECT_TRUE(stream->body->ended);
  EXPECT_THAT(stream->body->text, HasSubstr("{\"reason\":\"token_revoked\"}"));
}

TEST(EventStream, EndOfOtherLogin_LeavesStreamOpen) {
  World world;
  const auto stream = open_stream(world);
  world.settle();
  world.notify_end("id-alice");
  world.settle();
  EXPECT_FALSE(stream->body->ended);
  world.revoke_token("alice");
  world.notify_end("id-alice");
  world.settle();
  EXPECT_TRUE(stream->body->ended);
}

TEST(EventStream, ReaderThatLeaves_LeavesSession) {
  World world;
  const auto stream = open_stream(world);
  world.settle();
  const std::string session = "/v1/sessions/assistant-id-alice";
  EXPECT_EQ(world.call("GET", session, "alice").json().at("participants").as_array().size(), 1U);
  stream->body->leave();
  world.settle();
  EXPECT_TRUE(world.call("GET", session, "alice").json().at("participants").as_array().empty());
}

TEST(EventStream, ReaderThatLeavesAtOnce_IsForgotten) {
  World world;
  const auto stream = open_stream(world);
  stream->response.has_value() ? stream->body->leave() : world.shard(0).post([stream] {
    if (stream->body) stream->body->leave();
  });
  world.settle();
  const auto session = world.call("GET", "/v1/sessions/assistant-id-alice", "alice").json();
  EXPECT_TRUE(session.at("participants").as_array().empty());
}

TEST(EventStream, SlowReader_StopsReadAhead) {
  World world;
  for (int i = 0; i < 500; ++i) world.append("alice");
  world.settle();
  const auto stream = open_stream(world);
  stream->stuck = 1U << 20U;
  world.advance(core::Millis(100));
  EXPECT_TRUE(seqs_of(*stream).empty());
  stream->body->stuck = 0;
  world.advance(core::Millis(100));
  EXPECT_EQ(seqs_of(*stream).size(), 500U);
}

TEST(EventStream, History_IsWrittenWithinSendQueue) {
  World world;
  for (int i = 0; i < 20; ++i)
    world.append("alice", "note", '"' + std::string(1U << 20U, 'x') + '"');
  world.settle();
  const auto stream = open_stream(world);
  stream->fills = true;
  world.advance(core::Millis(100));
  EXPECT_GE(seqs_of(*stream).size(), 1U);
  EXPECT_LE(stream->body->stuck, 4U << 20U);
  for (int i = 0; i < 20; ++i) {
    stream->body->stuck = 0;
    world.advance(core::Millis(100));
    EXPECT_LE(stream->body->stuck, 4U << 20U);
  }
  EXPECT_EQ(seqs_of(*stream).size(), 20U);
}

// A token whose own session lives on this shard; connections are accepted by the first shard.
std::string token_on(World& world, std::size_t shard) {
  for (const std::string name : {"alice", "bob", "default"}) {
    if (&world.hub().home_of("assistant-id-" + name) == &world.hub().shard(shard)) return name;
  }
  return {};
}

TEST(EventStream, SimultaneousEvents_AreWrittenTogether) {
  for (const std::size_t shard : {0U, 1U}) {
    World world;
    const std::string token = token_on(world, shard);
    ASSERT_FALSE(token.empty());
    const std::string path = "/v1/sessions/assistant-id-" + token + "/events";
    world.append(token);
    world.settle();
    const auto stream = world.send("GET", path, token, "", {{"Accept", "application/x-ndjson"}});
    world.settle();
    const std::size_t writes = stream->body->writes;
    world.with_session(token, [](session::Session& session) {
      EXPECT_TRUE(session.append_flowing(
          {{"out", "usage", "{}"}, {"out", "message_chunk", "{}"}, {"out", "custom", "{}"}}));
    });
    world.settle();
    EXPECT_EQ(stream->body->writes, writes + 1);
    EXPECT_THAT(seqs_of(*stream), ElementsAre(1U, 2U, 3U, 4U));
  }
}

// No event is lost or repeated at the change from stored to live events, in any interleaving of the
// threads of the connection, of the session and of the store.
TEST(EventStream, AnyThreadOrder_LosesAndRepeatsNothing) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    World world;
    std::mt19937 random(seed);
    const std::string token = token_on(world, seed % 2);
    const std::string session = "assistant-id-" + token;
    for (unsigned i = random() % 4; i > 0; --i) world.append(token);
    if (random() % 2 == 0) world.settle();
    const auto stream = world.send("GET", "/v1/sessions/" + session + "/events", token, "",
                                   {{"Accept", "text/event-stream"}});
    std::uint64_t appended = 0;
    for (int step = 0; step < 40; ++step) {
      switch (random() % 4) {
        case 0:
          world.append(token);
          ++appended;
          break;
        case 1:
          world.shard(0).run_ready();
          break;
        default:
          world.shard(1).run_ready();
      }
    }
    world.advance(core::Millis(200));
    const std::vector<std::uint64_t> seqs = seqs_of(*stream);
    ASSERT_GE(seqs.size(), appended) << "seed " << seed;
    ASSERT_EQ(seqs.size(), world.store().events(session).size()) << "seed " << seed;
    for (std::size_t i = 0; i < seqs.size(); ++i) ASSERT_EQ(seqs[i], i + 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace parley::api
