// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql/engine.h"

struct sqlite3;

namespace parley::sql {

enum class OpenMode : std::uint8_t { read_only, read_write, create };

enum class Checkpoint : std::uint8_t { what_it_can, all };

// A connection to an SQLite file. Internal to this room: Database has the contracts.
class SqliteConnection final : public Connection {
 public:
  static core::Result<std::unique_ptr<SqliteConnection>> open(const std::string& path,
                                                              OpenMode mode,
                                                              const std::string& vfs);

  Engine engine() const override { return Engine::sqlite; }
  core::Result<void> execute(const char* sql) override;
  core::Result<void> create(const std::string& ddl) override { return execute(ddl.c_str()); }
  core::Result<std::unique_ptr<Cursor>> prepare(std::string_view sql) override;
  core::Result<void> begin_writing() override;
  core::Result<void> commit_all(std::span<Cursor* const> cursors) override;
  std::int64_t changes() const override;
  bool in_transaction() const override;
  core::Result<std::int64_t> data_version() override;
  core::Result<std::vector<std::string>> integrity_faults(std::size_t limit) override;
  std::string name() const override;

  void set_busy_timeout(int ms);
  void watch_log(int* pages);
  core::Result<void> checkpoint(Checkpoint how);
  core::Result<void> rewrite_first_page();

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  core::Result<std::int64_t> first_integer(const char* sql);

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace parley::sql
