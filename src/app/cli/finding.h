// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parley::app {

// Result of one check of `parley doctor`.
struct Finding {
  enum class State : std::uint8_t { good, warning, fault };
  State state = State::good;
  std::string check;
  std::string detail;
  std::string next = {};  // what to do; empty: nothing, or said in the detail
};

// A table for a person: state, check, detail, and the next step on a line of its own.
std::string findings_text(const std::vector<Finding>& findings);
// A JSON array.
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace parley::app
