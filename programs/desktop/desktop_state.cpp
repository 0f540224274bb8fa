// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/desktop_state.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/core/json_writer.h"

namespace parley::desktop {
namespace {

constexpr std::array<std::string_view, 5> kPhases = {"off", "connecting", "online", "waiting",
                                                     "denied"};
constexpr std::array<std::string_view, 3> kTrayStates = {"offline", "connected", "asking"};

}  // namespace

TrayState tray_state(const std::vector<ServerState>& servers) {
  TrayState state = TrayState::offline;
  for (const ServerState& server : servers) {
    if (server.phase != LinkPhase::online) continue;
    state = std::max(state, server.waiting > 0 ? TrayState::asking : TrayState::connected);
  }
  return state;
}

std::string state_line(const DesktopState& state) {
  return core::json_object([&](core::JsonWriter& json) {
    const TrayState tray = tray_state(state.servers);
    json.key("tray").string(kTrayStates.at(static_cast<std::size_t>(tray)));
    json.key("servers").objects(
        state.servers, [](core::JsonWriter& each, const ServerState& server) {
          each.key("alias").string(server.alias);
          each.key("state").string(kPhases.at(static_cast<std::size_t>(server.phase)));
          each.key("waiting").number(static_cast<std::uint64_t>(server.waiting));
        });
    json.key("visible").boolean(state.visible);
    json.key("on_top").boolean(state.on_top);
    json.key("paused").boolean(state.paused);
    json.key("shown").string(state.shown);
    json.key("page").string(state.page);
    json.key("typing").boolean(state.typing);
    json.key("typed").number(static_cast<std::uint64_t>(state.typed));
    json.key("typing_failure").string(state.typing_failure);
  });
}

}  // namespace parley::desktop
