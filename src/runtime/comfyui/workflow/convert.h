// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/core/result.h"
#include "runtime/comfyui/workflow/node_schema.h"
#include "runtime/comfyui/workflow/workflow.h"

namespace parley::comfyui {

// Limit of the reroutes, bypassed nodes and subgraph borders along one link.
inline constexpr std::size_t kMaxHops = 256;

// The API form of a workflow, as ComfyUI's front end builds it for POST /prompt; a workflow in API
// form is copied. Muted nodes are dropped, bypassed ones bridged by type, Reroute, PrimitiveNode
// and notes resolved, subgraphs expanded (ids "12:3"). Prompt templates ("{a|b}") stay unchanged.
// The result keeps the limits of Workflow.
//
// Errors name the node: `not_found` for a class that the schemas lack, `failed_precondition` for a
// link that is dangling or part of a loop, `unimplemented` for a dynamic choice,
// `resource_exhausted` if the expanded workflow exceeds a limit.
core::Result<Workflow> to_api(const Workflow& workflow, const NodeSchemas& schemas);

}  // namespace parley::comfyui
