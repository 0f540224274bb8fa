// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/clock.h"
#include "runtime/model/model.h"

namespace parley::model {

inline constexpr std::string_view kOfflineModelId = "offline/demo";
inline constexpr std::uint64_t kOfflineContextTokens = 64'000;

struct OfflineOptions {
  core::Millis delay{12};  // between two pieces of a reply; 0: none
};

// The built-in demonstration, "offline/demo": no language model, but rules that call any offered
// tool whose name and parameters fit a simple request in English or Chinese, use the result in the
// reply, and do their part in every kind of agent. The same request gives the same reply. A request
// of more tokens than it takes is refused with `invalid_argument`.
std::shared_ptr<Model> make_offline_model(OfflineOptions options = {});

}  // namespace parley::model
