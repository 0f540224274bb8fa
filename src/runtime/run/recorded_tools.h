// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/model.h"
#include "runtime/run/run.h"

namespace parley::run {

// The tools of a run besides the server's, in the form that the list of runs stores for a resume.
struct RecordedTools {
  AllowedTools allowed;
  std::vector<model::ToolSpec> client_tools;
  // Names of tools that were made for this run alone. They are not made again: a resumed run is
  // told that they are gone.
  std::set<std::string, std::less<>> gone;

  bool empty() const { return allowed.empty() && client_tools.empty() && gone.empty(); }
};

// Limit of the stored client tools in bytes; beyond it only names are stored, as tools that are
// gone.
// Limit (Chats): tools of a client that are kept with a run for a resume. Reached: a resumed run is
// told that they are missing.
inline constexpr std::size_t kMaxKeptToolBytes = 1U << 20U;

// JSON text: {allowed:[{name, source}], client_tools:[{name, description, parameters}],
// gone:[...]}.
std::string write_recorded_tools(const RecordedTools& tools);
// Members that cannot be read are skipped; an empty text gives no tools.
RecordedTools read_recorded_tools(std::string_view json);

}  // namespace parley::run
