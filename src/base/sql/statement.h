// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/engine.h"

namespace parley::sql {

// Bytes that are no text.
struct Blob {
  std::string_view bytes;
};

namespace detail {

template <typename T>
struct Unwrapped {
  using Type = T;
};
template <typename T>
struct Unwrapped<core::Result<T>> {
  using Type = T;
};

}  // namespace detail

class Statement;

// T, for a function that makes a T or a Result<T> of a row.
template <typename Read>
using RowOf = typename detail::Unwrapped<std::invoke_result_t<Read&, const Statement&>>::Type;

// A prepared statement. Belongs to the thread of its Database and must not outlive it.
class Statement {
 public:
  Statement() = default;
  explicit Statement(std::unique_ptr<Cursor> cursor) : cursor_(std::move(cursor)) {}

  // Parameters count from 1. Texts are not copied: they must live until reset(), or until run()
  // returns. A time is stored in milliseconds since 1970, an empty optional as NULL.
  Statement& bind(int index, std::int64_t value) {
    cursor_->bind_integer(index, value);
    return *this;
  }
  template <std::integral Value>
  Statement& bind(int index, Value value) {
    return bind(index, static_cast<std::int64_t>(value));
  }
  Statement& bind(int index, std::string_view value) {
    cursor_->bind_text(index, value);
    return *this;
  }
  Statement& bind(int index, Blob value) {
    cursor_->bind_blob(index, value.bytes);
    return *this;
  }
  // `array` must live as long as a text; it may not be empty. PostgreSQL alone.
  Statement& bind(int index, const Array& array) {
    cursor_->bind_array(index, array);
    return *this;
  }
  Statement& bind(int index, core::WallTime value) { return bind(index, core::to_unix_ms(value)); }
  template <typename Value>
  Statement& bind(int index, const std::optional<Value>& value) {
    constexpr bool of_integers = std::integral<Value> || std::same_as<Value, core::WallTime>;
    if (value) return bind(index, *value);
    cursor_->bind_null(index, of_integers);
    return *this;
  }
  // Binds ?1, ?2 and so on.
  template <typename... Values>
  Statement& bind_all(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    return *this;
  }

  // Steps to the next row: true if there is one, false at the end.
  core::Result<bool> step() { return cursor_->step(); }
  // Runs a statement that yields no rows, and resets it.
  core::Result<void> run();
  // Calls `use(row)` for each row, then resets the statement. `use` returns nothing, a bool (false:
  // no further row is read) or a Result<void>, whose error ends the call.
  template <typename Use>
  core::Result<void> each(Use&& use);
  // All rows, each as `read(row)` makes it. The first error of `read` ends the call.
  template <typename Read>
  core::Result<std::vector<RowOf<Read>>> rows(Read&& read);
  // The first row; std::nullopt without one.
  template <typename Read>
  core::Result<std::optional<RowOf<Read>>> first(Read&& read);
  // The first column of the first row; 0 without one.
  core::Result<std::int64_t> first_integer();
  // Prepares the statement to run again; parameters keep their values.
  void reset() { cursor_->reset(); }

  // Columns count from 0. Views are valid until the next step() or reset().
  std::int64_t integer(int column) const { return cursor_->integer(column); }
  std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  bool flag(int column) const { return integer(column) != 0; }
  core::WallTime time(int column) const { return core::from_unix_ms(integer(column)); }
  std::optional<core::WallTime> optional_time(int column) const {
    return is_null(column) ? std::nullopt : std::optional(time(column));
  }
  // Also of a blob; empty for NULL.
  std::string_view text(int column) const { return cursor_->text(column); }
  std::string string(int column) const { return std::string(text(column)); }
  bool is_null(int column) const { return cursor_->is_null(column); }

 private:
  friend class Database;

  std::unique_ptr<Cursor> cursor_;
};

// Resets a statement at the end of a scope, so that it holds no read lock.
class StatementScope {
 public:
  explicit StatementScope(Statement& statement) : statement_(statement) {}
  StatementScope(const StatementScope&) = delete;
  StatementScope& operator=(const StatementScope&) = delete;
  ~StatementScope() { statement_.reset(); }

 private:
  Statement& statement_;
};

template <typename Use>
core::Result<void> Statement::each(Use&& use) {
  const StatementScope scope(*this);
  while (true) {
    core::Result<bool> row = step();
    if (!row) return core::fail(std::move(row.error()));
    if (!*row) return {};
    if constexpr (std::is_void_v<std::invoke_result_t<Use&, const Statement&>>) {
      use(std::as_const(*this));
    } else if constexpr (std::is_same_v<std::invoke_result_t<Use&, const Statement&>, bool>) {
      if (!use(std::as_const(*this))) return {};
    } else if (core::Result<void> used = use(std::as_const(*this)); !used) {
      return used;
    }
  }
}

template <typename Read>
core::Result<std::vector<RowOf<Read>>> Statement::rows(Read&& read) {
  std::vector<RowOf<Read>> out;
  core::Result<void> done = each([&](const Statement& row) -> core::Result<void> {
    core::Result<RowOf<Read>> value = read(row);
    if (!value) return core::fail(std::move(value.error()));
    out.push_back(std::move(*value));
    return {};
  });
  if (!done) return core::fail(std::move(done.error()));
  return out;
}

template <typename Read>
core::Result<std::optional<RowOf<Read>>> Statement::first(Read&& read) {
  core::Result<std::vector<RowOf<Read>>> all = rows(read);
  if (!all) return core::fail(std::move(all.error()));
  if (all->empty()) return std::nullopt;
  return std::move(all->front());
}

}  // namespace parley::sql
