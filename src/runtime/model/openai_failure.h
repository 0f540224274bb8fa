// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/error.h"

namespace parley::model {

// Error of a provider.
struct ProviderFailure {
  core::Error error;
  bool temporary = false;
};

// Reads an answer that is not a reply, from its status and its body, in the forms that providers
// use ({"error":{"message","code"}}, {"error":"..."}, {"message"}, {"detail"}, text). `status` 0:
// an error that arrived inside a stream. The provider's message is cut to 500 bytes.
// A refusal because the request is longer than the model's context, in the spellings of the known
// providers, has the code `out_of_range`.
ProviderFailure failure_of(int status, std::string_view body);

// The context limit in tokens that such a refusal tells; std::nullopt: none.
std::optional<std::uint64_t> context_limit_in(std::string_view message);

// Parses the delay of a Retry-After header: seconds (fractions allowed), or a date. std::nullopt if
// unreadable; never negative.
std::optional<core::Millis> read_retry_after(std::string_view value, core::WallTime now);

}  // namespace parley::model
