// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "demo_model/reply.h"
#include "runtime/model/model.h"

namespace parley::demo_model {

// The reply to what agents ask of a model beside the work itself: candidates, scores, plans,
// understandings, summaries. Such a request is known by a line "[parley:task NAME]" in its last
// system message. Nothing: there is none, or of no known name.
std::optional<Answer> answer_task(const model::ModelRequest& request);

}  // namespace parley::demo_model
