// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/hook/hook_event.h"
#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::hook {

// The reaction to the end of a turn.
enum class StopMode : std::uint8_t { off, notify, ask };

// The reaction to a question while no page of the person is connected.
enum class WhenNobody : std::uint8_t { ask, pass };

// The ways that count as somebody: a connected page, or also a notifier or device that would tell
// now.
enum class Somebody : std::uint8_t { any, page };

struct HookOptions {
  Agent agent = Agent::claude;
  std::string data;          // absolute; empty: the standard directory
  std::string config;        // absolute; empty: the person's own files
  std::string agent_folder;  // the agent's own, absolute; empty: the standard one
  core::Millis wait{};
  StopMode stop = StopMode::notify;
  Questions questions = Questions::on;
  WhenNobody when_nobody = WhenNobody::ask;
  Somebody somebody = Somebody::any;
  std::vector<std::string> gate;  // exact names of the tools that are asked about; empty: no --gate
  Language language = Language::english;  // of what the person reads
  bool explain = false;
  bool help = false;
};

// Reads `parley hook AGENT [flags]`, behind "hook". `attended`: a person is in front of Claude
// Code; without one a long wait is not the default. Errors: `invalid_argument`.
core::Result<HookOptions> parse_hook_options(const std::vector<std::string>& arguments,
                                             bool attended = true);

// True if the options let `event` reach a person: with --gate, only calls of its tools do; agents
// with a gate before every call need it.
bool lets_through(const HookOptions& options, const HookEvent& event);

extern const std::string_view kHookHelp;

}  // namespace parley::hook
