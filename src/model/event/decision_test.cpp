// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/decision.h"

#include <gtest/gtest.h>

#include "base/core/hex.h"
#include "base/core/sha256.h"
#include "base/core/temp_folder.h"
#include "model/event/offline_store.h"
#include "tests/support/event/opened_store.h"

namespace parley::event {
namespace {

Decision sample() {
  Decision out;
  out.workspace = "owner";
  out.number = 7;
  out.session = "s";
  out.seq = 12;
  out.at = core::from_unix_ms(1'700'000'000'123);
  out.closed = core::sha256_hex("{}");
  return out;
}

TEST(Decision, Hash_IsOfTheDocumentedText) {
  const std::string text = "previous 64\n" + std::string(kNoDecision) +
                           "\nworkspace 5\nowner\nnumber 1\n7\nsession 1\ns\nseq 2\n12\nat 24\n"
                           "2023-11-14T22:13:20.123Z\nclosed 64\n" +
                           core::sha256_hex("{}") + "\n";
  EXPECT_EQ(decision_hash(sample(), kNoDecision), core::sha256(text));
}

TEST(Decision, Line_RoundTrips) {
  RecordedDecision kept{sample(), "{\"a\":\"\\n\"}", std::nullopt, true};
  kept.decision.hash = core::hex_text(decision_hash(kept.decision, kNoDecision));
  const std::string line = decision_line(kept);
  ASSERT_EQ(line.find('\n'), line.size() - 1);
  const auto back = read_decision_line(std::string_view(line).substr(0, line.size() - 1));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(decision_line(*back), line);
  EXPECT_EQ(back->opened_payload, kept.opened_payload);
  EXPECT_EQ(back->closed_payload, std::nullopt);
}

TEST(Decision, MalformedLine_NamesItsMember) {
  EXPECT_FALSE(read_decision_line("[]"));
  RecordedDecision kept{sample(), std::nullopt, std::nullopt, false};
  const auto refused = read_decision_line(decision_line(kept));  // without a hash
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "hash");
}

class DecisionsOfStore : public OpenedStoreTest {
 protected:
  void ask_and_close(const std::string& session, const std::string& key, std::uint64_t seq) {
    ASSERT_TRUE(caller_->commit(asking_unit(session, key, seq)));
    const std::string closed = "{\"opened_seq\":" + std::to_string(seq) + "}";
    ASSERT_TRUE(caller_->commit(ending_unit(session, key, seq + 1, "answered", closed)));
  }
  std::vector<RecordedDecision> decisions() {
    std::vector<RecordedDecision> out;
    const auto store = open_offline_store(place());
    EXPECT_TRUE(store);
    const auto done = (*store)->decisions(
        [&](const RecordedDecision& kept) -> core::Result<void> {
          out.push_back(kept);
          return {};
        },
        [&](const Undecided& one) { undecided_.push_back(one); });
    EXPECT_TRUE(done) << done.error().message;
    return out;
  }

  std::vector<Undecided> undecided_;
};
INSTANTIATE_TEST_SUITE_P(Engines, DecisionsOfStore, sql::each_engine(), sql::engine_name);

class DecisionsOfFile : public DecisionsOfStore {};
INSTANTIATE_TEST_SUITE_P(Files, DecisionsOfFile, sql::only_sqlite(), sql::engine_name);

TEST_P(DecisionsOfStore, EndsOfOneWorkspace_AreChainedAcrossRestarts) {
  open();
  ask_and_close("s", "a", 1);
  ask_and_close("t", "b", 1);
  open();
  ask_and_close("s", "c", 3);
  const auto all = decisions();
  ASSERT_EQ(all.size(), 3U);
  std::string previous(kNoDecision);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].decision.number, i + 1);
    EXPECT_EQ(all[i].decision.hash, core::hex_text(decision_hash(all[i].decision, previous)));
    EXPECT_EQ(all[i].decision.closed, core::sha256_hex(*all[i].closed_payload));
    EXPECT_EQ(all[i].opened_payload, "{}");
    previous = all[i].decision.hash;
  }
  EXPECT_TRUE(undecided_.empty());
}

TEST_P(DecisionsOfStore, MoreThanOnePage_ComesWhole) {
  open();
  constexpr std::uint64_t kDecisions = 230;
  for (std::uint64_t i = 0; i < kDecisions; ++i) {
    ask_and_close("s", std::to_string(i), 2 * i + 1);
  }
  const auto all = decisions();
  ASSERT_EQ(all.size(), kDecisions);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].decision.number, i + 1);
}

TEST_P(DecisionsOfStore, RefusedUnit_LeavesNoGap) {
  open();
  ask_and_close("s", "a", 1);
  EXPECT_FALSE(caller_->commit(ending_unit("s", "a", 3, "answered")));
  ask_and_close("s", "b", 3);
  const auto all = decisions();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].decision.hash,
            core::hex_text(decision_hash(all[1].decision, all[0].decision.hash)));
}

TEST_P(DecisionsOfStore, DroppedHistory_LeavesItsHashes) {
  open();
  ask_and_close("s", "a", 1);
  ask_and_close("s", "b", 3);
  Unit drop;
  drop.drop = HistoryDrop{"s", 3};
  ASSERT_TRUE(caller_->commit(std::move(drop)));
  const auto all = decisions();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].dropped);
  EXPECT_EQ(all[0].closed_payload, std::nullopt);
  EXPECT_FALSE(all[1].dropped);
}

TEST_P(DecisionsOfStore, HistoryDroppedBetweenQuestionAndAnswer_IsNoFault) {
  open();
  ask_and_close("s", "a", 1);
  Unit drop;
  drop.drop = HistoryDrop{"s", 2};
  ASSERT_TRUE(caller_->commit(std::move(drop)));
  const auto all = decisions();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].dropped);
  EXPECT_EQ(all[0].opened_payload, std::nullopt);
  EXPECT_NE(all[0].closed_payload, std::nullopt);
}

TEST_P(DecisionsOfFile, EndsOfAnOlderVersion_HaveNone) {
  std::filesystem::create_directories(data_dir());
  make_old_store(data_dir(), 4);
  {
    ASSERT_TRUE(connect().execute(
        "INSERT INTO sessions VALUES (1, 's', 'assistant', 'owner', 'Title', 5, 1, 5);"
        "INSERT INTO events (key, at, direction, type, payload) VALUES"
        " (1 << 36 | 1, 7, 'in', 'interaction.opened', '{}'),"
        " (1 << 36 | 2, 8, 'in', 'interaction.closed', '{}');"
        "INSERT INTO interactions VALUES (1, 'k', 'i', 'question', 'answered', 'f', 7, 9, 1, 2)"));
  }
  open();
  EXPECT_TRUE(decisions().empty());
  ASSERT_EQ(undecided_.size(), 1U);
  EXPECT_EQ(undecided_[0].key, "k");
  EXPECT_EQ(undecided_[0].workspace, "owner");
}

}  // namespace
}  // namespace parley::event
