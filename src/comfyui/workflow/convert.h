// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comfyui/workflow/node_schema.h"
#include "comfyui/workflow/workflow.h"
#include "core/result.h"

namespace parley::comfyui {

// Reroutes, bypassed nodes and borders of subgraphs that one link may pass.
inline constexpr std::size_t kMaxHops = 256;

// The API form of a workflow, as ComfyUI's front end makes it for POST /prompt; one that has that
// form already is copied. Muted nodes are dropped, bypassed ones bridged by type, Reroute,
// PrimitiveNode and notes resolved, subgraphs expanded (ids "12:3"). Prompt templates ("{a|b}") are
// passed on as they are. The result keeps the limits of Workflow.
//
// Errors name the node: `not_found` for a class that the schemas lack, `failed_precondition` for a
// link that leads nowhere or round in a loop, `unimplemented` for a dynamic choice,
// `resource_exhausted` when the expanded workflow passes a limit.
core::Result<Workflow> to_api(const Workflow& workflow, const NodeSchemas& schemas);

}  // namespace parley::comfyui
