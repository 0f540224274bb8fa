// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "model/session/hub.h"

namespace parley::session {

// Sessions that another node owns, for tests. Outlives the hub.
struct OtherNode {
  Placement placement() {
    return [this](std::string_view key) -> std::optional<std::string> {
      if (keys.contains(key)) return "node-2";
      return std::nullopt;
    };
  }

  std::set<std::string, std::less<>> keys;  // placement keys
};

}  // namespace parley::session
