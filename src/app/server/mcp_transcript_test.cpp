// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/mcp_transcript.h"

#include <gtest/gtest.h>

namespace parley::app {
namespace {

using session::Content;

session::Interaction question() {
  session::Interaction asked;
  asked.key = "a/b";
  asked.prompt.text = "Which one?";
  asked.prompt.agent_name = "agent";
  asked.opened_at = core::from_unix_ms(1'700'000'000'000);
  return asked;
}

std::string transcript_of(const session::Interaction& interaction) {
  std::string out;
  append_interaction(out, interaction);
  return out;
}

TEST(McpTranscript, PendingQuestion_SaysSo) {
  session::Interaction asked = question();
  asked.prompt.questions = {{"Colour?", "", {{"red", "warm"}, {"blue", ""}}}};
  EXPECT_EQ(transcript_of(asked),
            "## Question of agent, 2023-11-14T22:13:20Z\n\nWhich one?\n\nColour?\n\n"
            "- red: warm\n- blue\n\n*Waiting for an answer.*\n");
}

TEST(McpTranscript, Attachments_AreNumberedLinks) {
  session::Interaction asked = question();
  asked.state = session::InteractionState::answered;
  asked.outcome.nickname = "Ann";
  asked.outcome.at = asked.opened_at;
  asked.outcome.answer.contents = {{Content::Type::text, "These.", "", "", ""},
                                   {Content::Type::image, "", "image/png", "", "1"},
                                   {Content::Type::resource, "", "", "file:///x", ""},
                                   {Content::Type::audio, "", "", "", "2"}};
  const std::string text = transcript_of(asked);
  EXPECT_NE(text.find("\n### Answer of Ann, 2023-11-14T22:13:20Z\n\nThese.\n\n"
                      "[image/png](parley://attachment/a%2Fb/1)\n\n"
                      "[attachment](file:///x)\n\n"
                      "[attachment](parley://attachment/a%2Fb/2)\n"),
            std::string::npos)
      << text;
  ASSERT_EQ(attachments_of(asked).size(), 2U);
  EXPECT_EQ(attachments_of(asked)[1]->data, "2");
}

TEST(McpTranscript, CancelledQuestion_HasItsReason) {
  session::Interaction asked = question();
  asked.state = session::InteractionState::cancelled;
  asked.outcome.reason = "Not needed.";
  EXPECT_NE(transcript_of(asked).find("### Cancelled, "), std::string::npos);
  EXPECT_TRUE(transcript_of(asked).ends_with("\n\nNot needed.\n"));
}

TEST(McpTranscript, Conversation_HasCallsAndResults) {
  std::string out;
  append_message(out, model::Message::system("hidden"));
  append_message(out, model::Message::user("Hello"));
  model::Message call = model::Message::assistant("I look.");
  call.tool_calls = {{"1", "ls", "{}"}};
  append_message(out, call);
  append_message(out, model::Message::tool("1", "a ``` b"));
  EXPECT_EQ(out,
            "## User\n\nHello\n\n## Assistant\n\nI look.\n\nCall of the tool `ls`:\n\n"
            "```\n{}\n```\n\n## Tool\n\n````\na ``` b\n````\n");
}

}  // namespace
}  // namespace parley::app
