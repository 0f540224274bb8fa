// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/contain.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <exception>
#include <new>
#include <string>

namespace parley::core {
namespace {

// One counter for the whole process, used by all threads; /metrics reads it.
std::atomic<std::uint64_t>& count() {
  static std::atomic<std::uint64_t> errors{0};
  return errors;
}

Error error_in_flight() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Code::resource_exhausted, "The server has not enough memory for this request.", {}};
  } catch (const std::exception& error) {
    return {Code::internal, std::string("An internal error occurred: ") + error.what(), {}};
  } catch (...) {
    return {Code::internal, "An internal error occurred.", {}};
  }
}

}  // namespace

Error contained_error(std::string_view place) noexcept {
  count().fetch_add(1, std::memory_order_relaxed);
  // If memory is short, the log text may not fit either.
  try {
    Error error = error_in_flight();
    spdlog::error("{}: an exception ended one task: {}", place, error.message);
    return error;
  } catch (...) {
    return {Code::resource_exhausted, {}, {}};
  }
}

std::uint64_t contained_errors() { return count().load(std::memory_order_relaxed); }

}  // namespace parley::core
