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

// PARLEY_TRY(const Place place, workspace.find(path));
//
// Evaluates an expression of type Result<T> once. On success declares the variable and moves the
// value into it; on failure returns the error from the enclosing function, whose return type is a
// Result as well. Two statements: never the body of an `if` without braces. A comma in the
// declaration, outside parentheses, is not possible; in the expression it is.
#define PARLEY_TRY(declaration, ...) \
  PARLEY_TRY_AS(PARLEY_TRY_JOIN(parley_try_, __LINE__), declaration, __VA_ARGS__)

// The same without a variable, for Result<void> or a value that nobody needs. One statement.
#define PARLEY_TRY_VOID(...)                                      \
  do {                                                            \
    if (auto parley_try = (__VA_ARGS__); !parley_try) {           \
      return ::parley::core::fail(std::move(parley_try).error()); \
    }                                                             \
  } while (false)

#define PARLEY_TRY_AS(result, declaration, ...)                          \
  auto result = (__VA_ARGS__);                                           \
  if (!(result)) return ::parley::core::fail(std::move(result).error()); \
  declaration = *std::move(result)  // NOLINT(bugprone-macro-parentheses)
#define PARLEY_TRY_JOIN(a, b) PARLEY_TRY_JOIN_NOW(a, b)
#define PARLEY_TRY_JOIN_NOW(a, b) a##b
