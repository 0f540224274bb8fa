// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/answerer.h"

#include <algorithm>
#include <array>

namespace parley::session {
namespace {

constexpr std::array<std::string_view, 13> kNames = {"",     "console", "assistant", "push", "ntfy",
                                                     "mail", "webhook", "link",      "mcp",  "chat",
                                                     "loom", "api",     "run"};

constexpr std::array<std::string_view, 3> kTold = {"not told", "client", "server"};

}  // namespace

std::string_view told_name(Shown::Told told) { return kTold.at(static_cast<std::size_t>(told)); }

std::optional<Shown::Told> told_from_name(std::string_view name) {
  const auto* const found = std::find(kTold.begin(), kTold.end(), name);
  if (found == kTold.end()) return std::nullopt;
  return static_cast<Shown::Told>(found - kTold.begin());
}

std::string_view channel_name(Channel channel) {
  return kNames.at(static_cast<std::size_t>(channel));
}

std::optional<Channel> channel_from_name(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Channel>(found - kNames.begin());
}

}  // namespace parley::session
