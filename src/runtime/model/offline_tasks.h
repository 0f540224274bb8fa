// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "runtime/model/model.h"
#include "runtime/model/offline_reply.h"

// What agents ask of a model beside the work itself: candidates, scores, plans, understandings,
// summaries. Such a request is known by a line "[parley:task NAME]" in its last system message.
namespace parley::model::offline {

// The NAME of that line; empty: there is none.
std::string_view task_name(const ModelRequest& request);

// The reply to a task. Nothing: it is none, or none that is known.
std::optional<Answer> answer_task(const ModelRequest& request);

}  // namespace parley::model::offline
