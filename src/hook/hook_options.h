// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "hook/hook_event.h"

namespace parley::hook {

// The reaction to the end of a turn.
enum class StopMode : std::uint8_t { off, notify, ask };

struct HookOptions {
  Agent agent = Agent::claude;
  std::string data;    // absolute; empty: the standard directory
  std::string config;  // absolute; empty: the person's own files
  core::Millis wait{};
  StopMode stop = StopMode::notify;
  Questions questions = Questions::on;
  bool explain = false;
  bool help = false;
};

// Reads `parley hook AGENT [flags]`, behind "hook". Errors: `invalid_argument`.
core::Result<HookOptions> parse_hook_options(const std::vector<std::string>& arguments);

extern const std::string_view kHookHelp;

}  // namespace parley::hook
