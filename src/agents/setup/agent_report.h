// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agents/setup/agent_plan.h"
#include "agents/setup/asks_when.h"
#include "agents/setup/file_apply.h"
#include "base/core/json_writer.h"

namespace parley::setup {

// What a setup of one agent has done, for a person or a program.
struct AgentReport {
  const AgentFacts* agent = nullptr;
  bool dry_run = false;
  std::vector<FileResult> files;
  std::vector<std::string> warnings;
  std::vector<std::string> refusals;
  std::vector<std::string> next;
  AsksWhen asks = AsksWhen::never;  // by its hooks, as they were written

  // A SetupStatus.
  int status() const;
  bool changes_anything() const;
};

// The state of one part of a file.
struct PartState {
  std::filesystem::path path;
  std::string title;
  std::string state;  // "absent", "ours", "differs", "other program's", "not readable",
                      // "refused by the agent"
};

struct AgentState {
  const AgentFacts* agent = nullptr;
  bool is_found = false;
  std::vector<PartState> parts;
  std::vector<std::string> hints;
  AsksWhen asks = AsksWhen::never;  // by its hooks
};

// Text for a person. Paths below `home` begin with "~".
std::string text_of(const AgentReport& report, const std::filesystem::path& home);
std::string text_of(const AgentState& state, const std::filesystem::path& home);

// The members of an object.
void write_members(core::JsonWriter& json, const AgentReport& report);
void write_members(core::JsonWriter& json, const AgentState& state);

}  // namespace parley::setup
