// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/sql/array.h"

// The interface between Database, Statement and an engine. Internal to this room: stores use
// Database and Statement.
namespace parley::sql {

enum class Engine : std::uint8_t { sqlite, postgres };

// The work of a Statement, whose members have the contracts.
class Cursor {
 public:
  Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  virtual ~Cursor() = default;

  virtual void bind_integer(int index, std::int64_t value) = 0;
  virtual void bind_text(int index, std::string_view value) = 0;
  virtual void bind_blob(int index, std::string_view bytes) = 0;
  // `of_integers`: the type of the value that is missing; otherwise a text.
  virtual void bind_null(int index, bool of_integers) = 0;
  virtual void bind_array(int index, const Array& array) = 0;

  virtual core::Result<bool> step() = 0;
  virtual void reset() = 0;

  virtual std::int64_t integer(int column) const = 0;
  virtual std::string_view text(int column) const = 0;
  virtual bool is_null(int column) const = 0;
};

// The work of a Database, whose members have the contracts.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  virtual Engine engine() const = 0;
  virtual core::Result<void> execute(const char* sql) = 0;
  virtual core::Result<void> create(const std::string& ddl) = 0;
  // Statements name the tables that `ddl` makes.
  virtual void know_tables(std::string_view /*ddl*/) {}
  virtual core::Result<std::unique_ptr<Cursor>> prepare(std::string_view sql) = 0;
  virtual core::Result<void> begin_writing() = 0;
  virtual core::Result<void> commit_all(std::span<Cursor* const> cursors) = 0;
  virtual std::int64_t changes() const = 0;
  virtual bool in_transaction() const = 0;
  virtual core::Result<std::int64_t> data_version() = 0;
  virtual core::Result<std::vector<std::string>> integrity_faults(std::size_t limit) = 0;
  virtual std::string name() const = 0;
};

}  // namespace parley::sql
