// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "model/session/hub.h"

namespace parley::session {

// A node that has the sessions of some owners, for tests. Outlives the hub.
struct OtherNode {
  Placement placement() {
    return [this](std::string_view owner) -> std::optional<std::string> {
      if (owners.contains(owner)) return "node-2";
      return std::nullopt;
    };
  }

  std::set<std::string, std::less<>> owners;
};

}  // namespace parley::session
