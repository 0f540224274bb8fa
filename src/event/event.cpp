// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/event.h"

#include <array>

namespace parley::event {
namespace {

struct TypeRow {
  std::string_view type;
  Durability durability;
};

// Every type whose class is not `durable`.
constexpr std::array<TypeRow, 3> kTypes = {{
    {"presence.changed", Durability::transient},
    {"chat.direct", Durability::transient},
    {"signal", Durability::transient},
}};

}  // namespace

Durability durability_of(std::string_view type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.durability;
  }
  return Durability::durable;
}

}  // namespace parley::event
