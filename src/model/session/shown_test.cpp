// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/shown.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "base/core/sha256.h"
#include "tests/support/session/session_fixture.h"

namespace parley::session {
namespace {

Interaction asked() {
  Interaction interaction;
  interaction.prompt.text = "Run `make`?";
  interaction.prompt.questions.push_back(
      {"Run `make`?", "Bash", {{"Allow once", ""}, {"Deny", "né"}}, false, true});
  return interaction;
}

TEST(Shown, Text_NamesEachFieldWithItsBytes) {
  EXPECT_EQ(shown_text(asked()),
            "text 11\nRun `make`?\nheader 4\nBash\nquestion 11\nRun `make`?\n"
            "choice 10\nAllow once\ndescription 0\n\nchoice 4\nDeny\ndescription 3\nné\n");
}

TEST(Shown, SharedCases_MatchConsole) {
  std::ifstream file(PARLEY_SOURCE_DIR "/tests/shown/cases.json");
  std::stringstream text;
  text << file.rdbuf();
  const boost::json::value all = boost::json::parse(text.str());
  ASSERT_GT(all.as_array().size(), 5U);
  for (const boost::json::value& each : all.as_array()) {
    const boost::json::object& one = each.as_object();
    const auto asked = interaction_from_payloads(boost::json::serialize(one.at("opened")), {});
    ASSERT_TRUE(asked) << one.at("name") << ": " << asked.error().message;
    EXPECT_EQ(shown_text(*asked), std::string(one.at("shown").as_string())) << one.at("name");
  }
}

TEST(Shown, TextThatMovesBetweenFields_HasAnotherDigest) {
  Interaction one = asked();
  Interaction other = asked();
  one.prompt.questions[0].choices[0] = {"Allow", "once"};
  other.prompt.questions[0].choices[0] = {"Allowonce", ""};
  EXPECT_NE(shown_digest(one), shown_digest(other));
}

TEST(Shown, HashOfAnotherText_IsRefused) {
  Shown same{Shown::Source::by_client, shown_digest(asked())};
  EXPECT_TRUE(check_shown(asked(), same));
  Shown other{Shown::Source::by_client, core::sha256_hex("Run `rm`?")};
  const auto refused = check_shown(asked(), other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::failed_precondition);
  EXPECT_EQ(refused.error().field, "shown");
}

TEST(Shown, TextMadeByTheServer_GetsItsDigest) {
  Shown created{Shown::Source::by_server, {}};
  ASSERT_TRUE(check_shown(asked(), created));
  EXPECT_EQ(created.sha256, shown_digest(asked()));
}

TEST(Shown, ClientThatCannotSay_HasNoDigest) {
  Shown nothing;
  ASSERT_TRUE(check_shown(asked(), nothing));
  EXPECT_EQ(nothing.sha256, "");
}

class ShownInSession : public SessionTest {
 protected:
  void answer_shown(const std::string& key, Shown shown) {
    Actor actor = person("ui", "Merry Otter");
    actor.channel = Channel::console;
    actor.shown = std::move(shown);
    session_->answer(key, {}, std::move(actor), [this](core::Result<AnswerReceipt> receipt) {
      receipts_.push_back(std::move(receipt));
    });
    scheduler_.run_ready();
  }
  std::string shown_of(const std::string& key) {
    return shown_digest(*session_->find_pending(key));
  }
};

TEST_F(ShownInSession, AnswerToAnotherText_LeavesTheQuestionOpen) {
  ask("k", "Run `make`?");
  scheduler_.run_ready();
  const std::string right = shown_of("k");
  answer_shown("k", {Shown::Source::by_client, core::sha256_hex("another")});
  ASSERT_EQ(receipts_.size(), 1U);
  ASSERT_FALSE(receipts_[0]);
  EXPECT_EQ(receipts_[0].error().field, "shown");
  EXPECT_TRUE(session_->is_pending("k"));
  answer_shown("k", {Shown::Source::by_client, right});
  ASSERT_TRUE(receipts_[1]);
  EXPECT_EQ(receipts_[1]->interaction->outcome.shown.sha256, right);
  EXPECT_EQ(receipts_[1]->interaction->outcome.by.channel, Channel::console);
}

TEST_F(ShownInSession, End_HasTheHashOfItsOpeningEvent_AlsoAfterARestart) {
  for (const bool restarts : {false, true}) {
    const std::string key = restarts ? "b" : "a";
    ask(key, "Go?");
    scheduler_.run_ready();
    const auto opened = store_.event("s", session_->find_pending(key)->opened_seq);
    if (restarts) restart();
    answer_shown(key, {});
    ASSERT_TRUE(receipts_.back());
    const Interaction& closed = *receipts_.back()->interaction;
    EXPECT_EQ(closed.opened_sha256, core::sha256_hex(opened->payload));
    const auto ended = store_.event("s", closed.closed_seq);
    EXPECT_NE(ended->payload.find(closed.opened_sha256), std::string::npos);
  }
}

}  // namespace
}  // namespace parley::session
