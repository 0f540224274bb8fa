// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/decision_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/hex.h"
#include "base/core/sha256.h"
#include "model/session/interaction.h"
#include "model/session/shown.h"

namespace parley::session {
namespace {

using event::RecordedDecision;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Interaction answered(const std::string& key) {
  Interaction out;
  out.id = "id-" + key;
  out.key = key;
  out.prompt.text = "Run `make`?";
  out.opened_seq = 1;
  out.opened_sha256 = core::sha256_hex(opened_payload(out));
  out.state = InteractionState::answered;
  out.outcome.shown = {Shown::Source::by_server, shown_digest(out)};
  return out;
}

class DecisionCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* key : {"a", "b", "c"}) append(answered(key));
  }
  void append(const Interaction& one) {
    RecordedDecision kept;
    kept.decision = {"owner",
                     chain_.size() + 1,
                     "s",
                     2 * chain_.size() + 2,
                     core::from_unix_ms(1'000 + static_cast<std::int64_t>(chain_.size())),
                     {},
                     {}};
    kept.opened_payload = opened_payload(one);
    kept.closed_payload = closed_payload(one);
    kept.decision.closed = core::sha256_hex(*kept.closed_payload);
    const std::string previous =
        chain_.empty() ? std::string(event::kNoDecision) : chain_.back().decision.hash;
    kept.decision.hash = core::hex_text(event::decision_hash(kept.decision, previous));
    chain_.push_back(std::move(kept));
  }
  std::vector<std::string> findings(std::vector<std::string> heads = {}) {
    DecisionCheck check(std::move(heads));
    for (const RecordedDecision& kept : chain_) check.add(kept);
    check.finish();
    return check.findings();
  }

  std::vector<RecordedDecision> chain_;
};

TEST_F(DecisionCheckTest, UnchangedChain_HasNoFinding) {
  EXPECT_THAT(findings({chain_[0].decision.hash, chain_[2].decision.hash}), IsEmpty());
}

TEST_F(DecisionCheckTest, ChangedAnswer_IsFound) {
  chain_[1].closed_payload->replace(chain_[1].closed_payload->find("answered"), 8, "Answered");
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("its event is not the one that was recorded")));
}

TEST_F(DecisionCheckTest, ChangedQuestion_IsFound) {
  chain_[1].opened_payload->replace(chain_[1].opened_payload->find("make"), 4, "rm -");
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("its question is not the one")));
}

TEST_F(DecisionCheckTest, ChangedAnswerWithItsHash_BreaksTheChain) {
  Interaction other = answered("b");
  other.outcome.nickname = "Somebody else";
  chain_[1].closed_payload = closed_payload(other);
  chain_[1].decision.closed = core::sha256_hex(*chain_[1].closed_payload);
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("its hash does not follow")));
}

TEST_F(DecisionCheckTest, ChainMadeAnew_LacksTheKnownHead) {
  const std::string head = chain_[2].decision.hash;
  chain_.clear();
  for (const char* key : {"a", "x", "c"}) append(answered(key));
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(findings({head}), ElementsAre(HasSubstr(head)));
}

TEST_F(DecisionCheckTest, MissingDecisions_AreFound) {
  chain_.erase(chain_.begin());
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("it follows decision 0")));
}

TEST_F(DecisionCheckTest, AnotherShownText_IsFound) {
  Interaction other = answered("d");
  other.outcome.shown.sha256 = core::sha256_hex("Run `ls`?");
  append(other);
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("another text was shown")));
}

TEST_F(DecisionCheckTest, MissingEvents_AreFoundUnlessRetentionDroppedThem) {
  chain_[0].closed_payload.reset();
  chain_[1].opened_payload.reset();
  EXPECT_EQ(findings().size(), 2U);
  chain_[0].dropped = true;
  chain_[1].dropped = true;
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(DecisionCheckTest, EndOutsideOfTheChain_IsFoundIfItIsYounger) {
  DecisionCheck check;
  for (const RecordedDecision& kept : chain_) check.add(kept);
  check.add(event::Undecided{"owner", "s", "old", core::from_unix_ms(1)});
  check.add(event::Undecided{"owner", "s", "cut", core::from_unix_ms(1'001)});
  check.finish();
  EXPECT_EQ(check.workspaces()[0].older, 1U);
  EXPECT_THAT(check.findings(), ElementsAre(HasSubstr("cut")));
}

TEST_F(DecisionCheckTest, ManyFindings_AreCounted) {
  chain_.clear();
  for (int i = 0; i < 40; ++i) append(answered(std::to_string(i)));
  for (RecordedDecision& kept : chain_) kept.closed_payload.reset();
  EXPECT_EQ(findings().back(), "And 20 more.");
}

}  // namespace
}  // namespace parley::session
