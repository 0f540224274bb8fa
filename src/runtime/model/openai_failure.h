// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/clock.h"
#include "core/error.h"

namespace parley::model {

// What a provider refused, and whether the same request may well succeed a little later.
struct ProviderFailure {
  core::Error error;
  bool temporary = false;
};

// Reads an answer that is no reply: its status and its body, in the forms that providers use
// ({"error":{"message","code"}}, {"error":"..."}, {"message"}, {"detail"}, text). `status` 0: an
// error that came inside a stream. What the provider said is cut to 500 bytes.
ProviderFailure failure_of(int status, std::string_view body);

// How long Retry-After asks to wait: seconds (also with a fraction), or a date. Nothing if it
// cannot be read; never negative.
std::optional<core::Millis> read_retry_after(std::string_view value, core::WallTime now);

}  // namespace parley::model
