// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/setup_assembly.h"

#include <utility>
#include <vector>

#include "agents/setup/agents_found.h"
#include "agents/setup/rule_book.h"
#include "agents/setup/setup_command.h"
#include "base/core/id.h"
#include "base/core/result.h"

namespace parley::app {

std::function<core::Result<std::string>()> setup_report() {
  return []() -> core::Result<std::string> {
    PARLEY_TRY(const setup::SetupPlaces places, setup::places_of_this_process());
    return setup::setup_json(places);
  };
}

PlacesSource places_with(std::string data) {
  return [data = std::move(data)]() -> core::Result<setup::SetupPlaces> {
    PARLEY_TRY(setup::SetupPlaces places, setup::places_of_this_process());
    places.data = data;
    return places;
  };
}

api::RuleDesk rule_desk(PlacesSource places, const core::Clock& clock, core::Entropy& entropy) {
  api::RuleDesk desk;
  desk.list = [places](const std::vector<search::Habit>& habits) -> core::Result<std::string> {
    PARLEY_TRY(const setup::SetupPlaces here, places());
    std::vector<setup::RuleProposal> proposals;
    proposals.reserve(habits.size());
    for (const search::Habit& habit : habits) {
      proposals.push_back(
          {habit.agent, habit.command, habit.allowed, habit.first_at, habit.last_at});
    }
    return setup::rules_json(here, proposals);
  };
  desk.make = [places, &clock, &entropy](const api::RuleWish& wish) -> core::Result<std::string> {
    PARLEY_TRY(const setup::SetupPlaces here, places());
    return setup::make_rule(here, {wish.agent, wish.command, wish.rule, wish.file},
                            core::new_id(clock, entropy), wish.by, clock.wall());
  };
  desk.revoke = [places, &clock](const std::string& id) -> core::Result<void> {
    PARLEY_TRY(const setup::SetupPlaces here, places());
    return setup::revoke_rule(here, id, clock.wall());
  };
  return desk;
}

}  // namespace parley::app
