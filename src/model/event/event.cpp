// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/event.h"

#include <array>

namespace parley::event {
namespace {

struct TypeRow {
  std::string_view type;
  Durability durability;
};

// All types whose class is not `durable`.
constexpr std::array<TypeRow, 21> kTypes = {{
    {"presence.changed", Durability::transient},
    {"chat.direct", Durability::transient},
    {"signal", Durability::transient},
    {"message_chunk", Durability::flowing},
    {"thought_chunk", Durability::flowing},
    {"tool_call_chunk", Durability::flowing},
    {"tool_output", Durability::flowing},
    {"node_enter", Durability::flowing},
    {"node_exit", Durability::flowing},
    {"usage", Durability::flowing},
    {"updates", Durability::flowing},
    {"values", Durability::flowing},
    {"custom", Durability::flowing},
    {"tot_expand", Durability::flowing},
    {"tot_evaluate", Durability::flowing},
    {"tot_backtrack", Durability::flowing},
    {"got_plan", Durability::flowing},
    {"got_node_start", Durability::flowing},
    {"got_node_complete", Durability::flowing},
    {"got_node_failed", Durability::flowing},
    {"got_expand", Durability::flowing},
}};

}  // namespace

Durability durability_of(std::string_view type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.durability;
  }
  return Durability::durable;
}

}  // namespace parley::event
