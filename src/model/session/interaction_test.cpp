// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/interaction.h"

#include <gtest/gtest.h>

namespace parley::session {
namespace {

Interaction sample() {
  Interaction one;
  one.id = "id";
  one.key = "key \"1\"";
  one.kind = InteractionKind::task_finish;
  one.prompt.text = "All \xe4\xb8\xad done\n";
  one.prompt.project_directory = "/p";
  one.prompt.agent_name = "agent";
  one.prompt.model_name = "model";
  one.prompt.client_name = "client";
  one.prompt.timeout_s = 600;
  one.prompt.detail = R"({"tool":"bash"})";
  one.prompt.questions.push_back({"Which?", "Way", {{"left", "l"}, {"right", ""}}, true, true});
  one.opened_at = core::from_unix_ms(1'700'000'000'001);
  one.deadline = core::from_unix_ms(1'700'000'600'001);
  return one;
}

TEST(InteractionJson, Interaction_RoundTrips) {
  Interaction one = sample();
  one.state = InteractionState::answered;
  one.outcome.answer.is_error = true;
  one.outcome.answer.meta = {{"a", "1"}, {"b", "2"}};
  one.outcome.answer.contents = {
      {Content::Type::text, "ok", "", "", ""},
      {Content::Type::image, "", "image/png", "", std::string("\x89PNG\0\xff", 6)},
      {Content::Type::resource, "", "text/plain", "file://a", "bytes"}};
  one.outcome.client_id = "c1";
  one.outcome.nickname = "n";
  one.outcome.at = core::from_unix_ms(1'700'000'000'500);
  const auto back = interaction_from_payloads(opened_payload(one), closed_payload(one));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->id, one.id);
  EXPECT_EQ(back->key, one.key);
  EXPECT_EQ(back->kind, one.kind);
  EXPECT_EQ(back->state, one.state);
  EXPECT_EQ(back->prompt, one.prompt);
  EXPECT_EQ(back->opened_at, one.opened_at);
  EXPECT_EQ(back->deadline, one.deadline);
  EXPECT_EQ(back->outcome.answer, one.outcome.answer);
  EXPECT_EQ(back->outcome.client_id, "c1");
  EXPECT_EQ(back->outcome.at, one.outcome.at);
}

TEST(InteractionJson, Asker_RoundTrips) {
  Interaction one = sample();
  for (const Asker& asker : {Asker{"t1", false}, Asker{"t1", true}, Asker{}}) {
    one.asker = asker;
    const auto back = interaction_from_payloads(opened_payload(one), "");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->asker, asker);
  }
}

TEST(InteractionJson, EventOfBeforeAskersWereStored_HasNone) {
  const auto back = interaction_from_payloads(R"({"kind":"question","prompt":{"text":"?"}})", "");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->asker, Asker());
}

TEST(InteractionJson, AnswererAndHashes_RoundTrip) {
  Interaction one = sample();
  one.state = InteractionState::answered;
  one.prompt.arguments_sha256 = std::string(64, 'a');
  one.opened_sha256 = std::string(64, 'b');
  one.outcome.nickname = "Merry Otter";
  one.outcome.by = {{"t1", "Pixel 9"}, Channel::push};
  one.outcome.shown = {Shown::Source::by_client, std::string(64, 'c')};
  const auto back = interaction_from_payloads(opened_payload(one), closed_payload(one));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->prompt.arguments_sha256, one.prompt.arguments_sha256);
  EXPECT_EQ(back->opened_sha256, one.opened_sha256);
  EXPECT_EQ(back->outcome.by, one.outcome.by);
  EXPECT_EQ(back->outcome.shown, one.outcome.shown);
  EXPECT_EQ(name_of_answerer(back->outcome), "Pixel 9");
}

TEST(InteractionJson, EventOfBeforeAnswerersWereStored_HasItsNickname) {
  const auto back = interaction_from_payloads(R"({"kind":"question","prompt":{"text":"?"}})",
                                              R"({"state":"answered","nickname":"Ann"})");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->outcome.by, Answerer());
  EXPECT_EQ(back->outcome.shown, Shown());
  EXPECT_EQ(name_of_answerer(back->outcome), "Ann");
}

TEST(InteractionJson, EachChannel_HasItsName) {
  for (int i = 0; i <= static_cast<int>(Channel::run); ++i) {
    const auto channel = static_cast<Channel>(i);
    EXPECT_EQ(channel_from_name(channel_name(channel)), channel);
  }
  EXPECT_EQ(channel_from_name("smoke"), std::nullopt);
}

TEST(InteractionJson, PendingInteraction_HasNoClosedPayload) {
  const auto back = interaction_from_payloads(opened_payload(sample()), "");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->state, InteractionState::pending);
}

TEST(InteractionJson, UnreadableField_IsNamed) {
  const auto wrong_kind = interaction_from_payloads(R"({"id":"x","kind":"dance"})", "");
  ASSERT_FALSE(wrong_kind);
  EXPECT_EQ(wrong_kind.error().field, "kind");
  const auto wrong_type = interaction_from_payloads(R"({"kind":"question","prompt":[]})", "");
  ASSERT_FALSE(wrong_type);
  EXPECT_EQ(wrong_type.error().field, "prompt");
  EXPECT_FALSE(interaction_from_payloads("not json", ""));
}

TEST(InteractionJson, UnknownMembers_AreIgnored) {
  EXPECT_TRUE(interaction_from_payloads(R"({"kind":"question","new":{"a":[1]}})", ""));
}

TEST(Fingerprint, Fingerprint_IsEqualOnlyForEqualRequests) {
  const Interaction one = sample();
  Prompt other = one.prompt;
  EXPECT_EQ(fingerprint(one.kind, one.prompt), fingerprint(one.kind, other));
  EXPECT_NE(fingerprint(InteractionKind::question, other), fingerprint(one.kind, one.prompt));
  other.questions[0].choices[1].label = "r";
  EXPECT_NE(fingerprint(one.kind, other), fingerprint(one.kind, one.prompt));
}

TEST(Fingerprint, NeighbouringFields_AreNotMixedUp) {
  Prompt a;
  a.text = "ab";
  a.project_directory = "c";
  Prompt b;
  b.text = "a";
  b.project_directory = "bc";
  EXPECT_NE(fingerprint(InteractionKind::question, a), fingerprint(InteractionKind::question, b));
}

TEST(Fingerprint, Choices_AreNotTakenForOtherQuestion) {
  Prompt choices;
  choices.questions = {{"q", "h", {{"x", "y"}, {"single", "closed"}}, false, false}};
  Prompt questions;
  questions.questions = {{"q", "h", {}, false, false}, {"x", "y", {}, false, false}};
  EXPECT_NE(fingerprint(InteractionKind::question, choices),
            fingerprint(InteractionKind::question, questions));
}

TEST(Fingerprint, RepeatedRequestWithLessTime_HasSameFingerprint) {
  Prompt first;
  first.timeout_s = 600;
  Prompt again;
  again.timeout_s = 30;
  EXPECT_EQ(fingerprint(InteractionKind::question, first),
            fingerprint(InteractionKind::question, again));
}

}  // namespace
}  // namespace parley::session
