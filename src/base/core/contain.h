// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/core/result.h"

namespace parley::core {

// Converts the exception in flight to an Error: `resource_exhausted` (std::bad_alloc) or
// `internal`. Logs the exception with `place` (such as "file worker") and counts it. Call only in a
// catch block. Throws nothing.
Error contained_error(std::string_view place) noexcept;

// Number of exceptions that contained_error() has seen in this process. Any thread.
std::uint64_t contained_errors();

// Runs one task of a thread. An exception that leaves the task becomes an Error of that task alone,
// and the thread continues; without this the process would end. `task` returns void or a Result.
template <typename Task>
auto contain(std::string_view place, Task&& task) {
  using Returned = std::invoke_result_t<Task>;
  if constexpr (std::is_void_v<Returned>) {
    try {
      std::forward<Task>(task)();
      return Result<void>();
    } catch (...) {
      return Result<void>(fail(contained_error(place)));
    }
  } else {
    try {
      return std::forward<Task>(task)();
    } catch (...) {
      return Returned(fail(contained_error(place)));
    }
  }
}

}  // namespace parley::core
