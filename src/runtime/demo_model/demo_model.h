// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/core/clock.h"
#include "runtime/model/model.h"

namespace parley::demo_model {

// Limit (Models): tokens of the demonstration's context. Reached: `invalid_argument`.
inline constexpr std::uint64_t kContextTokens = 64'000;

struct DemoOptions {
  core::Millis delay{12};  // between two pieces of a reply; 0: none
};

// The built-in demonstration, model::kDemonstrationModel: not a language model, but a table of
// patterns that calls the offered tools for simple requests in English or Chinese (docs/runs.md),
// uses the results in its reply, and answers the prompts of every kind of agent. The same request
// gives the same reply. A request of more tokens than its context limit is refused with
// `invalid_argument`.
std::shared_ptr<model::Model> make_demo_model(DemoOptions options = {});

}  // namespace parley::demo_model
