// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/agents_found.h"

#include <algorithm>

#include "agents/setup/mcp_entry.h"
#include "agents/setup/setup_show.h"
#include "base/core/json_writer.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

std::string_view summary_of(const AgentState& state) {
  const auto is = [](std::string_view name) {
    return [name](const PartState& part) { return part.state == name; };
  };
  const auto is_blocked = [](const PartState& part) {
    return part.state == "not readable" || part.state == "other program's" ||
           part.state == "refused by the agent";
  };
  const std::vector<PartState>& parts = state.parts;
  if (std::any_of(parts.begin(), parts.end(), is_blocked)) return "blocked";
  if (std::all_of(parts.begin(), parts.end(), is("absent"))) return "absent";
  return std::all_of(parts.begin(), parts.end(), is("ours")) ? "ready" : "partly";
}

// The shortest command by which a person runs this program.
std::string command_of(const SetupPlaces& places) {
  std::error_code error;
  const auto in_path = find_program(places, "parley");
  const bool is_known = in_path && fs::canonical(*in_path, error) == places.program && !error;
  return (is_known ? "parley" : shell_word(places.program.string())) + " setup";
}

}  // namespace

std::vector<AgentFound> agents_found(const SetupPlaces& places) {
  std::vector<AgentFound> found;
  for (const AgentFacts& agent : agent_table()) {
    if (!is_detected(agent, places)) continue;
    const AgentState state = state_of(agent, {}, places, {}, {});
    found.push_back({agent.word, agent.title, summary_of(state), state.asks});
  }
  return found;
}

std::string setup_json(const SetupPlaces& places) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("command").string(command_of(places));
    json.key("agents").objects(agents_found(places),
                               [](core::JsonWriter& out, const AgentFound& agent) {
                                 out.key("word").string(agent.word);
                                 out.key("title").string(agent.title);
                                 out.key("state").string(agent.state);
                                 write_asks(out, agent.asks);
                               });
  });
}

}  // namespace parley::setup
