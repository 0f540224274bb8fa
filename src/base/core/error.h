// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace parley::core {

// The kind of a failure. The names are those of the Connect and gRPC protocols, so that every
// dialect maps from one table; `owned_elsewhere` is Parley's own and is reported as `unavailable`.
// Each code is documented in docs/errors.md.
enum class Code : std::uint8_t {
  cancelled,
  unknown,
  invalid_argument,
  deadline_exceeded,
  not_found,
  already_exists,
  permission_denied,
  resource_exhausted,
  failed_precondition,
  aborted,
  out_of_range,
  unimplemented,
  internal,
  unavailable,
  data_loss,
  unauthenticated,
  owned_elsewhere,  // another node owns the session: the caller must reconnect to reach it
};

// The wire name of a code, for example "invalid_argument". Never empty.
std::string_view code_name(Code code);

// The HTTP status that the Connect protocol gives a code, for example 400.
int http_status(Code code);

// A failure as a value: a stable code, a sentence for a person (what happened and what to do),
// and the input field at fault when there is one. Never carries a secret.
struct Error {
  Code code = Code::unknown;
  std::string message;
  std::string field = {};
};

}  // namespace parley::core
