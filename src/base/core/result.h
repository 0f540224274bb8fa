// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/core/error.h"

namespace parley::core {

// A value or an Error. Used across module borders; exceptions stay inside a module.
template <typename T>
using Result = tl::expected<T, Error>;

// `return fail(Code::not_found, "No session has this id.", "session");`
inline tl::unexpected<Error> fail(Code code, std::string message, std::string field = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(field)});
}

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace parley::core
