// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/result.h"

namespace parley::core {

// The Error that the exception in flight comes to: `resource_exhausted` (std::bad_alloc) or
// `internal`. The exception is logged with `place` (such as "file worker") and counted. Called in
// a catch block only; throws nothing.
Error contained_error(std::string_view place) noexcept;

// How many exceptions contained_error() has seen in this process. Any thread.
std::uint64_t contained_errors();

// Runs one task of a thread. An exception that leaves the task becomes an Error of that task alone,
// and the thread goes on: without this the process would end. `task` returns void or a Result.
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
