// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The command Answering: others see who writes an answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

pb::WebsocketMessage notice(std::string_view cmd, std::string_view key) {
  pb::WebsocketMessage out;
  out.set_cmd(std::string(cmd));
  out.set_strparam(std::string(key));
  return out;
}

TEST(UiAnswering, Notices_ReachOthersThatAskedForThem) {
  AssistantServer server;
  Ui writer(server, {.aware = true});
  Ui reader(server, {.aware = true});
  Ui old(server);
  writer.enter("tok", "Anna");
  reader.enter("tok", "Ben");
  old.enter("tok", "Old");
  const auto waiting = server.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server.run();
  for (Ui* ui : {&writer, &reader, &old}) ui->take();
  writer.send(notice("Answering", "q1"));
  const auto told = reader.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].cmd(), "Answering");
  EXPECT_EQ(told[0].strparam(), "q1");
  EXPECT_EQ(told[0].nickname(), "Anna");
  EXPECT_THAT(writer.take(), IsEmpty());
  EXPECT_THAT(old.take(), IsEmpty());
  old.send(notice("Answering", "q1"));
  EXPECT_THAT(reader.take(), IsEmpty());
}

TEST(UiAnswering, NoticeAboutNoOpenQuestion_IsDropped) {
  AssistantServer server;
  Ui writer(server, {.aware = true});
  Ui reader(server, {.aware = true});
  writer.enter("tok");
  reader.enter("tok");
  writer.take();
  writer.send(notice("Answering", "none"));
  writer.send(notice("Answering", ""));
  EXPECT_THAT(reader.take(), IsEmpty());
}

TEST(UiAnswering, Notices_AreLimitedPerSecond) {
  AssistantServer server;
  Ui writer(server, {.aware = true});
  Ui reader(server, {.aware = true});
  writer.enter("tok");
  reader.enter("tok");
  const auto waiting = server.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server.run();
  reader.take();
  for (int i = 0; i < kMaxAnsweringPerSecond + 10; ++i) writer.send(notice("Answering", "q1"));
  EXPECT_THAT(reader.take(), SizeIs(kMaxAnsweringPerSecond));
  server.advance(std::chrono::seconds(1));
  writer.send(notice("Answering", "q1"));
  EXPECT_THAT(reader.take(), SizeIs(1));
}

}  // namespace
}  // namespace parley::assistant
