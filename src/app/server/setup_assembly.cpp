// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/setup_assembly.h"

#include <utility>
#include <vector>

#include "agents/setup/agents_found.h"
#include "agents/setup/permission_rules.h"
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

api::RuleEditor rule_editor(PlacesSource places, const core::Clock& clock, core::Entropy& entropy) {
  api::RuleEditor editor;
  editor.list = [places](const std::vector<search::Habit>& habits) -> core::Result<std::string> {
    PARLEY_TRY(const setup::SetupPlaces here, places());
    std::vector<setup::RuleProposal> proposals;
    proposals.reserve(habits.size());
    for (const search::Habit& habit : habits) {
      proposals.push_back(
          {habit.agent, habit.command, habit.allowed, habit.first_at, habit.last_at});
    }
    return setup::rules_json(here, proposals);
  };
  editor.make = [places, &clock,
                 &entropy](const api::RuleRequest& request) -> core::Result<std::string> {
    PARLEY_TRY(const setup::SetupPlaces here, places());
    return setup::make_rule(here, {request.agent, request.command, request.rule, request.file},
                            core::new_id(clock, entropy), request.by, clock.wall());
  };
  editor.revoke = [places, &clock](const std::string& id) -> core::Result<void> {
    PARLEY_TRY(const setup::SetupPlaces here, places());
    return setup::revoke_rule(here, id, clock.wall());
  };
  return editor;
}

}  // namespace parley::app
