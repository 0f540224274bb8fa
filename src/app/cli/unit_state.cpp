// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/unit_state.h"

#include <algorithm>

#include "base/core/number_text.h"
#include "base/core/visible_text.h"

namespace parley::app {

bool UnitState::is_up() const {
  return (active == "active" || active == "activating" || active == "reloading") &&
         sub != "auto-restart";
}

UnitState unit_state_of(std::string_view text) {
  UnitState unit;
  const auto member = [&unit](std::string_view name) -> std::string* {
    if (name == "ActiveState") return &unit.active;
    if (name == "SubState") return &unit.sub;
    if (name == "Result") return &unit.result;
    if (name == "UnitFileState") return &unit.enabled;
    return nullptr;
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t is = line.find('=');
    if (is == std::string_view::npos) continue;
    const std::string_view value = line.substr(is + 1);
    if (std::string* const text_member = member(line.substr(0, is))) {
      *text_member = core::visible_line(value);
    } else if (line.substr(0, is) == "MainPID") {
      unit.main_pid = core::parse_number<std::int64_t>(value).value_or(0);
    }
  }
  return unit;
}

ServiceStart service_start(const UnitState& unit, const std::optional<mcp::RunningServer>& server) {
  using State = ServiceStart::State;
  if (!unit.is_up()) {
    return {State::failed, unit.active.empty()
                               ? "systemd does not say whether it runs."
                               : "Its process has ended (" +
                                     (unit.result.empty() ? unit.active : unit.result) + ")."};
  }
  if (!server) return {State::starting, "Its server has not become ready."};
  if (unit.main_pid == 0) return {State::starting, "It has no process yet."};
  if (server->pid != unit.main_pid) {
    return {State::failed, "Process " + std::to_string(server->pid) +
                               " has the data directory; that of the service is " +
                               std::to_string(unit.main_pid) + "."};
  }
  return {State::listening, {}};
}

}  // namespace parley::app
