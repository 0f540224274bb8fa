// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/kit.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace parley::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kText = R"([[study]]
id = "pilot-01"
title = "A pilot"
consent = "Please read this."
end = "Thank you."
seed = 7
assignment = "block"

[[study.condition]]
id = "plain"
gui_adaptation = false

[[study.condition]]
id = "full"
weight = 2
tools = ["select", "next"]

[[study.scenario]]
id = "early"
instructions = "Book an early show."
data = { seed = 3, days = 7 }

[[study.scenario]]
id = "late"
instructions = "Book a late show."
)";

Kit kit_of(const std::string& text) {
  auto kit = Kit::parse(text, "studies.toml");
  if (!kit) ADD_FAILURE() << kit.error().front().line << ": " << kit.error().front().message;
  return *kit;
}

std::vector<KitFault> faults_of(const std::string& text) {
  const auto kit = Kit::parse(text, "studies.toml");
  return kit ? std::vector<KitFault>() : kit.error();
}

std::string with(std::string_view what, std::string_view by) {
  std::string text = kText;
  text.replace(text.find(what), what.size(), by);
  return text;
}

TEST(Kit, EveryPart_IsRead) {
  const Kit kit = kit_of(kText);
  const KitStudy* study = kit.find("pilot-01");
  ASSERT_NE(study, nullptr);
  EXPECT_EQ(study->title, "A pilot");
  EXPECT_EQ(study->end_text, "Thank you.");
  EXPECT_EQ(study->assignment, AssignmentRule::block);
  EXPECT_EQ(study->condition("full")->weight, 2U);
  EXPECT_THAT(study->condition("full")->tools, ElementsAre("select", "next"));
  EXPECT_EQ(study->scenario("early")->seed, 3U);
  EXPECT_EQ(study->scenario("early")->days, 7U);
  EXPECT_EQ(study->scenario("late")->days, 14U);
  EXPECT_EQ(kit.find("other"), nullptr);
}

TEST(Kit, NoAdaptation_AgentCannotChangePage) {
  EXPECT_THAT(kit_of(kText).find("pilot-01")->condition("plain")->tools,
              ElementsAre("select", "setQuantity", "next", "prev", "postMessage"));
  const Kit none = kit_of(with("gui_adaptation = false", "agent = false"));
  EXPECT_THAT(none.find("pilot-01")->condition("plain")->tools, SizeIs(0));
}

TEST(Kit, Fault_IsNamedWithLineAndAllowedValues) {
  struct Case {
    std::string text;
    std::uint64_t line;
    const char* message;
  };
  const Case cases[] = {
      {with("seed = 7", "sed = 7"), 6, "Allowed: id, title, consent, end, seed, assignment"},
      {with("weight = 2", "weight = 0"), 15, "a whole number from 1 to 100"},
      {with("\"block\"", "\"blocks\""), 7, "must be random, block or fixed"},
      {with("\"select\"", "\"selekt\""), 16,
       "has an unknown tool \"selekt\". Allowed: filter, sort"},
      {with("days = 7", "days = \"7\""), 21, "\"days\" must be a whole number"},
      {with("id = \"late\"", "id = \"early\""), 23, "given twice"},
      {with("instructions = \"Book a late show.\"", ""), 23, "\"instructions\" is missing"},
      {with("id = \"full\"", "id = \"a/b\""), 14, "A-Z a-z 0-9"},
      {with("seed = 7", "seed = = 7"), 6, ""},
      {"[study]\n", 1, "must be written as [[study]]"},
      {"", 0, "\"study\" is missing"},
  };
  for (const Case& one : cases) {
    const auto faults = faults_of(one.text);
    ASSERT_THAT(faults, SizeIs(1)) << one.message;
    EXPECT_TRUE(one.line == 0 || faults[0].line == one.line) << faults[0].line << faults[0].message;
    EXPECT_THAT(faults[0].message, HasSubstr(one.message));
  }
}

TEST(Kit, AllFaults_AreNamedAtOnce) {
  EXPECT_THAT(faults_of(with("seed = 7", "sed = 7\ntitel = \"x\"")), SizeIs(2));
}

TEST(Kit, Example_IsSound) {
  const auto kit = Kit::load(PARLEY_SOURCE_DIR "/examples/study-kit/studies.toml");
  ASSERT_TRUE(kit.has_value()) << kit.error().front().message;
  const KitStudy& study = kit->studies().front();
  EXPECT_THAT(study.conditions, SizeIs(2));
  EXPECT_THAT(study.scenarios, SizeIs(2));
  EXPECT_THAT(study.condition("assistant")->tools, SizeIs(5));
  EXPECT_THAT(study.condition("adaptive")->tools, SizeIs(10));
}

TEST(Kit, MissingFile_IsFault) {
  const auto kit = Kit::load("/nonexistent/studies.toml");
  ASSERT_FALSE(kit.has_value());
  EXPECT_EQ(kit.error().front().line, 0U);
}

using Cell = std::pair<std::string, std::string>;

TEST(Assignment, SameSeedAndParticipant_GiveSameAssignment) {
  const Kit kit = kit_of(with("\"block\"", "\"random\""));
  const KitStudy& study = kit.studies().front();
  const Kit other = kit_of(with("seed = 7\nassignment = \"block\"", "seed = 8"));
  std::size_t differing = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string participant = "P" + std::to_string(i);
    const Assignment first = choose(study, participant, 0);
    const Assignment again = choose(study, participant, 99);
    EXPECT_EQ(Cell(first.condition, first.scenario), Cell(again.condition, again.scenario));
    const Assignment elsewhere = choose(other.studies().front(), participant, 0);
    differing += first.condition != elsewhere.condition ? 1U : 0U;
  }
  EXPECT_GT(differing, 20U);
  // Must not change between versions: running studies depend on their assignments.
  EXPECT_EQ(choose(study, "P07", 0).condition, "plain");
}

TEST(Assignment, Chance_FollowsWeights) {
  const Kit kit = kit_of(with("\"block\"", "\"random\""));
  std::map<std::string, int> count;
  for (int i = 0; i < 3'000; ++i) {
    ++count[choose(kit.studies().front(), "P" + std::to_string(i), 0).condition];
  }
  EXPECT_NEAR(count["full"], 2'000, 100);
}

TEST(Assignment, EachBlock_IsBalancedInOwnOrder) {
  const Kit kit = kit_of(kText);
  const KitStudy& study = kit.studies().front();
  std::set<std::vector<Cell>> orders;
  for (std::uint64_t block = 0; block < 20; ++block) {
    std::map<Cell, int> count;
    std::vector<Cell> order;
    for (std::uint64_t i = 0; i < 6; ++i) {
      const Assignment one = choose(study, "", block * 6 + i);
      ++count[{one.condition, one.scenario}];
      order.emplace_back(one.condition, one.scenario);
    }
    EXPECT_EQ((count[{"plain", "early"}]), 1);
    EXPECT_EQ((count[{"plain", "late"}]), 1);
    EXPECT_EQ((count[{"full", "early"}]), 2);
    EXPECT_EQ((count[{"full", "late"}]), 2);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 10U);
}

TEST(Assignment, FixedAssignment_FollowsFile) {
  const Kit kit = kit_of(with("\"block\"", "\"fixed\"") +
                         "\n[[study.participant]]\nid = \"P01\"\ncondition = \"full\"\n");
  const KitStudy& study = kit.studies().front();
  EXPECT_EQ(choose(study, "P01", 0).condition, "full");
  EXPECT_EQ(choose(study, "P01", 0).scenario, "early");
  EXPECT_EQ(choose(study, "P02", 0).condition, "plain");
  EXPECT_THAT(faults_of(std::string(kText) + "\n[[study.participant]]\nid = \"P01\"\n"), SizeIs(1));
  EXPECT_THAT(faults_of(with("\"block\"", "\"fixed\"") +
                        "\n[[study.participant]]\nid = \"P01\"\nscenario = \"none\"\n")[0]
                  .message,
              HasSubstr("no scenario \"none\""));
}

}  // namespace
}  // namespace parley::study
