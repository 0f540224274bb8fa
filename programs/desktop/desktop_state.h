// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parley::desktop {

enum class LinkPhase : std::uint8_t { off, connecting, online, waiting, denied };
enum class TrayState : std::uint8_t { offline, connected, asking };

struct ServerState {
  std::string alias;
  LinkPhase phase = LinkPhase::off;
  std::size_t waiting = 0;
};

// A snapshot of the program for scripts and for the tray.
struct DesktopState {
  std::vector<ServerState> servers;
  bool visible = false;  // the window is shown
  bool on_top = false;
  bool paused = false;
  std::string shown;  // alias of the shown server, or "waiting"
  std::string page;   // address of that server's page
  bool typing = false;
  std::size_t typed = 0;       // messages typed since the start
  std::string typing_failure;  // reason of the last message that was not typed; empty: none
};

// The state `asking` means that a reachable server has open questions or reports; `offline`, that
// no server is reachable.
TrayState tray_state(const std::vector<ServerState>& servers);

// One line of JSON, without the line end (docs/desktop.md).
std::string state_line(const DesktopState& state);

}  // namespace parley::desktop
