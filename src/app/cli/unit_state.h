// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agents/mcp/settings.h"

namespace parley::app {

// The properties of a unit that `systemctl show` is asked for, as its flag --property.
inline constexpr std::string_view kUnitProperties =
    "MainPID,ActiveState,SubState,Result,UnitFileState";

// The state of a service by systemd. Empty: systemd did not say.
struct UnitState {
  std::int64_t main_pid = 0;  // 0: no process
  std::string active;         // "active", "activating", "inactive", "failed" and the like
  std::string sub;            // "running", "auto-restart" and the like
  std::string result;         // of its last process: "success", "exit-code" and the like
  std::string enabled;        // "enabled", "disabled" and the like

  // False also while systemd waits for its next attempt to start it.
  bool is_up() const;
};

// Reads the lines NAME=VALUE of `systemctl show`; unknown ones are skipped.
UnitState unit_state_of(std::string_view text);

// The progress of the start of a service whose server has a data directory.
struct ServiceStart {
  enum class State {
    starting,
    listening,  // the server of the directory is the unit's process
    failed,
  };
  State state = State::starting;
  std::string why;  // a sentence, unless it listens
};
ServiceStart service_start(const UnitState& unit, const std::optional<mcp::RunningServer>& server);

}  // namespace parley::app
