// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/agent_set_up.h"

#include <algorithm>

#include "agents/setup/setup_command.h"
#include "agents/setup/setup_show.h"

namespace parley::app {
namespace {

AgentSetUp::State state_of_parts(const std::vector<setup::PartState>& parts) {
  const auto count = [&parts](std::string_view state) {
    return static_cast<std::size_t>(
        std::count_if(parts.begin(), parts.end(),
                      [state](const setup::PartState& part) { return part.state == state; }));
  };
  if (count("not readable") + count("refused by the agent") > 0) return AgentSetUp::State::blocked;
  if (count("absent") + count("other program's") == parts.size()) return AgentSetUp::State::absent;
  return count("ours") == parts.size() ? AgentSetUp::State::current : AgentSetUp::State::other;
}

}  // namespace

std::vector<AgentSetUp> agents_set_up(const setup::SetupPlaces& places) {
  std::vector<AgentSetUp> out;
  for (const setup::AgentFacts& facts : setup::agent_table()) {
    if (!setup::is_detected(facts, places)) continue;
    const setup::AgentState state = setup::state_of(facts, {}, places, {}, {});
    AgentSetUp agent{facts.word, facts.title, state_of_parts(state.parts), {}, state.hints};
    for (const setup::PartState& part : state.parts) {
      if (part.state == "ours") continue;
      agent.files.push_back(part.path.string() + " (" + part.title + "): " + part.state);
    }
    out.push_back(std::move(agent));
  }
  return out;
}

core::Result<std::vector<AgentSetUp>> agents_here() {
  const auto places = setup::places_of_this_process();
  if (!places) return core::fail(places.error());
  return agents_set_up(*places);
}

std::string_view state_name(AgentSetUp::State state) {
  switch (state) {
    case AgentSetUp::State::absent:
      return "not set up";
    case AgentSetUp::State::current:
      return "set up";
    case AgentSetUp::State::other:
      return "set up otherwise";
    default:
      return "blocked";
  }
}

}  // namespace parley::app
