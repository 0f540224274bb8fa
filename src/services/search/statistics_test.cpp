// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/search/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/time_text.h"

namespace parley::search {
namespace {

core::WallTime at(std::string_view text) { return *core::parse_time(text); }

Fact fact(std::string_view asked, State state, int after_s, std::string agent = "Claude") {
  Fact out{at(asked), std::nullopt, state, "shop", std::move(agent), {}};
  if (state != State::pending) out.closed_at = out.at + std::chrono::seconds(after_s);
  if (state == State::answered) out.person = "Anna";
  return out;
}

TEST(Statistics, Days_AreOfTheOffset_EmptyOnesIncluded) {
  const Statistics found =
      statistics({fact("2026-11-24T23:30:00Z", State::answered, 5)}, at("2026-11-23T16:00:00Z"),
                 at("2026-11-25T16:00:00Z"), std::chrono::hours(8));
  ASSERT_EQ(found.days.size(), 2U);
  EXPECT_EQ(found.days[0].name, "2026-11-24");
  EXPECT_EQ(found.days[0].asked, 0U);
  EXPECT_EQ(found.days[0].median_ms, std::nullopt);
  EXPECT_EQ(found.days[1].name, "2026-11-25");
  EXPECT_EQ(found.days[1].asked, 1U);
}

TEST(Statistics, Percentiles_AreOfAnsweredQuestions) {
  std::vector<Fact> facts;
  for (int seconds = 1; seconds <= 10; ++seconds) {
    facts.push_back(fact("2026-11-25T10:00:00Z", State::answered, seconds));
  }
  facts.push_back(fact("2026-11-25T10:00:00Z", State::expired, 600));
  facts.push_back(fact("2026-11-25T10:00:00Z", State::cancelled, 1));
  facts.push_back(fact("2026-11-25T10:00:00Z", State::pending, 0));
  const Statistics found =
      statistics(facts, at("2026-11-25T00:00:00Z"), at("2026-11-26T00:00:00Z"), {});
  ASSERT_EQ(found.days.size(), 1U);
  EXPECT_EQ(found.days[0].asked, 13U);
  EXPECT_EQ(found.days[0].answered, 10U);
  EXPECT_EQ(found.days[0].expired, 1U);
  EXPECT_EQ(found.days[0].cancelled, 1U);
  EXPECT_EQ(found.days[0].median_ms, 5'000);
  EXPECT_EQ(found.days[0].p90_ms, 9'000);
}

TEST(Statistics, Groups_AreMostAskedFirst_PeopleByAnswers) {
  const Statistics found = statistics({fact("2026-11-25T10:00:00Z", State::pending, 0, "Codex"),
                                       fact("2026-11-25T10:00:00Z", State::answered, 1),
                                       fact("2026-11-25T11:00:00Z", State::expired, 1),
                                       fact("2026-12-25T10:00:00Z", State::answered, 1, "Later")},
                                      at("2026-11-25T00:00:00Z"), at("2026-11-26T00:00:00Z"), {});
  ASSERT_EQ(found.agents.size(), 2U);
  EXPECT_EQ(found.agents[0].name, "Claude");
  EXPECT_EQ(found.agents[0].asked, 2U);
  ASSERT_EQ(found.people.size(), 1U);
  EXPECT_EQ(found.people[0].name, "Anna");
  EXPECT_EQ(found.people[0].answered, 1U);
}

}  // namespace
}  // namespace parley::search
