// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/store_copy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/core/result.h"
#include "base/core/sha256.h"
#include "base/sql/array.h"
#include "base/sql/transaction.h"

namespace parley::sql {
namespace {

// Rows that are read at once, and bytes of rows that are written at once, about.
constexpr std::size_t kRowsAtOnce = 200;
constexpr std::size_t kBytesAtOnce = 4U << 20U;

struct Column {
  std::string name;
  Array::Of of = Array::Of::texts;
};

Array::Of kind_of(std::string_view type) {
  if (type == "INTEGER" || type == "INT" || type == "bigint") return Array::Of::integers;
  return type == "BLOB" || type == "bytea" ? Array::Of::blobs : Array::Of::texts;
}

// The tables that a store has in files and in PostgreSQL. Those of SQLite's full-text index are
// virtual, or made by it; what PostgreSQL alone has is named parley_... and made from the others.
core::Result<std::vector<std::string>> tables_of(Database& database) {
  const auto read = [](const Statement& row) { return row.string(0); };
  if (database.engine() == Engine::sqlite) {
    return database.rows(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND"
        " name NOT LIKE 'sqlite_%' ORDER BY name",
        read);
  }
  return database.rows(
      "SELECT t.tablename::text FROM pg_tables t WHERE t.schemaname = ?1 AND t.tablename NOT LIKE"
      " 'parley\\_%' AND NOT EXISTS (SELECT 1 FROM"
      " information_schema.columns c WHERE c.table_schema = t.schemaname AND"
      " c.table_name = t.tablename AND c.data_type = 'tsvector') ORDER BY t.tablename",
      read, database.file_name());
}

core::Result<std::vector<Column>> columns_of(Database& database, const std::string& table) {
  const auto read = [](const Statement& row) {
    return Column{row.string(0), kind_of(row.text(1))};
  };
  if (database.engine() == Engine::sqlite) {
    // `hidden`: of a generated column.
    return database.rows(
        "SELECT name, type FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY name", read,
        table);
  }
  return database.rows(
      "SELECT column_name::text, data_type::text FROM information_schema.columns"
      " WHERE table_schema = ?1 AND table_name = ?2 AND is_generated = 'NEVER'"
      " ORDER BY column_name COLLATE \"C\"",
      read, database.file_name(), table);
}

// The rows of a table, in any order: their number, and the sum of their hashes.
class Fingerprint {
 public:
  void add(const Statement& row, const std::vector<Column>& columns) {
    text_.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const int column = static_cast<int>(i);
      if (row.is_null(column)) {
        text_ += "n";
        continue;
      }
      const bool is_number = columns[i].of == Array::Of::integers;
      const std::string number = is_number ? std::to_string(row.integer(column)) : std::string();
      const std::string_view value = is_number ? std::string_view(number) : row.text(column);
      text_.append(std::to_string(value.size())).append(":").append(value);
    }
    const std::string digest = core::sha256(text_);
    std::uint64_t part = 0;
    for (std::size_t i = 0; i < sizeof(part); ++i) {
      part = part << 8U | static_cast<unsigned char>(digest[i]);
    }
    sum_ += part;
    ++rows_;
  }
  std::uint64_t rows() const { return rows_; }
  bool operator==(const Fingerprint& other) const {
    return sum_ == other.sum_ && rows_ == other.rows_;
  }

 private:
  std::string text_;
  std::uint64_t sum_ = 0;
  std::uint64_t rows_ = 0;
};

std::string names_of(const std::vector<Column>& columns) {
  return absl::StrJoin(columns, ", ",
                       [](std::string* out, const Column& column) { *out += column.name; });
}

using UseRow = absl::FunctionRef<core::Result<void>(const Statement& row)>;

// In the transaction of the caller: PostgreSQL's cursors end with it.
core::Result<void> each_row(Database& database, const std::string& table,
                            const std::vector<Column>& columns, UseRow use) {
  const std::string query = "SELECT " + names_of(columns) + " FROM " + table;
  if (database.engine() == Engine::sqlite) return database.each(query, use);
  PARLEY_TRY_VOID(database.execute(("DECLARE copied CURSOR FOR " + query).c_str()));
  PARLEY_TRY(Statement fetch,
             database.prepare("FETCH " + std::to_string(kRowsAtOnce) + " FROM copied"));
  std::size_t rows = 0;
  do {
    rows = 0;
    PARLEY_TRY_VOID(fetch.each([&](const Statement& row) {
      ++rows;
      return use(row);
    }));
  } while (rows > 0);
  return database.execute("CLOSE copied");
}

// Rows on their way into a table.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual core::Result<void> add(const Statement& row) = 0;
  virtual core::Result<void> finish() { return {}; }
};

class SqliteWriter final : public Writer {
 public:
  SqliteWriter(Statement insert, const std::vector<Column>& columns)
      : insert_(std::move(insert)), columns_(columns) {}

  core::Result<void> add(const Statement& row) override {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int from = static_cast<int>(i);
      const int to = from + 1;
      if (row.is_null(from)) {
        insert_.bind(to, std::optional<std::int64_t>());
      } else if (columns_[i].of == Array::Of::integers) {
        insert_.bind(to, row.integer(from));
      } else if (columns_[i].of == Array::Of::blobs) {
        insert_.bind(to, Blob{row.text(from)});
      } else {
        insert_.bind(to, row.text(from));
      }
    }
    return insert_.run();
  }

 private:
  Statement insert_;
  const std::vector<Column>& columns_;
};

class PostgresWriter final : public Writer {
 public:
  PostgresWriter(Statement insert, const std::vector<Column>& columns)
      : insert_(std::move(insert)), columns_(columns) {
    for (const Column& column : columns) arrays_.emplace_back(column.of);
  }

  core::Result<void> add(const Statement& row) override {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int from = static_cast<int>(i);
      if (row.is_null(from)) {
        arrays_[i].add_null();
      } else if (columns_[i].of == Array::Of::integers) {
        arrays_[i].add(row.integer(from));
      } else {
        arrays_[i].add(row.text(from));
        bytes_ += row.text(from).size();
      }
    }
    if (arrays_.front().size() < kRowsAtOnce && bytes_ < kBytesAtOnce) return {};
    return finish();
  }

  core::Result<void> finish() override {
    if (arrays_.front().empty()) return {};
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      insert_.bind(static_cast<int>(i) + 1, arrays_[i]);
    }
    PARLEY_TRY_VOID(insert_.run());
    for (Array& each : arrays_) each.clear();
    bytes_ = 0;
    return {};
  }

 private:
  Statement insert_;
  const std::vector<Column>& columns_;
  std::vector<Array> arrays_;
  std::size_t bytes_ = 0;
};

core::Result<std::unique_ptr<Writer>> writer_into(Database& to, const std::string& table,
                                                  const std::vector<Column>& columns) {
  std::vector<std::string> parameters;
  for (std::size_t i = 1; i <= columns.size(); ++i) parameters.push_back("?" + std::to_string(i));
  const std::string values = absl::StrJoin(parameters, ", ");
  const std::string into = "INSERT INTO " + table + " (" + names_of(columns) + ") ";
  if (to.engine() == Engine::sqlite) {
    PARLEY_TRY(Statement insert, to.prepare(into + "VALUES (" + values + ")"));
    return std::make_unique<SqliteWriter>(std::move(insert), columns);
  }
  PARLEY_TRY(Statement insert, to.prepare(into + "SELECT * FROM unnest(" + values + ")"));
  return std::make_unique<PostgresWriter>(std::move(insert), columns);
}

// The next number of an identity column is above those that were copied.
core::Result<void> advance_numbers(Database& database, const std::string& table,
                                   const std::vector<Column>& columns) {
  if (database.engine() == Engine::sqlite) return {};
  for (const Column& column : columns) {
    if (column.of != Array::Of::integers) continue;
    std::string sql = "SELECT setval(pg_get_serial_sequence(?1, ?2), (SELECT max(";
    sql.append(column.name).append(") FROM ").append(table);
    sql.append(")) WHERE pg_get_serial_sequence(?1, ?2) IS NOT NULL AND EXISTS (SELECT 1 FROM ");
    sql.append(table).append(")");
    PARLEY_TRY_VOID(database.run(sql, database.file_name() + "." + table, column.name));
  }
  return {};
}

core::Result<CopiedTable> copy_table(Database& from, Database& to, const std::string& table) {
  PARLEY_TRY(const std::vector<Column> columns, columns_of(from, table));
  PARLEY_TRY(const std::vector<Column> wanted, columns_of(to, table));
  if (columns.empty() || names_of(columns) != names_of(wanted)) {
    return core::fail(core::Code::failed_precondition,
                      "The table " + table + " has other columns than that of this version.");
  }
  PARLEY_TRY_VOID(to.run("DELETE FROM " + table));
  PARLEY_TRY(const std::unique_ptr<Writer> writer, writer_into(to, table, wanted));
  Fingerprint read;
  PARLEY_TRY_VOID(each_row(from, table, columns, [&](const Statement& row) {
    read.add(row, columns);
    return writer->add(row);
  }));
  PARLEY_TRY_VOID(writer->finish());
  Fingerprint stored;
  PARLEY_TRY_VOID(each_row(to, table, wanted, [&](const Statement& row) -> core::Result<void> {
    stored.add(row, wanted);
    return {};
  }));
  if (!(read == stored)) {
    return core::fail(core::Code::data_loss, "The copy of the table " + table +
                                                 " differs from what was read: nothing of it was"
                                                 " stored.");
  }
  PARLEY_TRY_VOID(advance_numbers(to, table, wanted));
  return CopiedTable{table, read.rows()};
}

}  // namespace

core::Result<std::vector<CopiedTable>> copy_store(Database& from, Database& to, AfterCopy after) {
  PARLEY_TRY_VOID(from.begin_long_reading());
  PARLEY_TRY(Transaction transaction, Transaction::begin(to));
  if (to.engine() == Engine::postgres) {
    PARLEY_TRY_VOID(to.execute("SET LOCAL statement_timeout = 0"));
    PARLEY_TRY_VOID(to.execute("SET LOCAL idle_in_transaction_session_timeout = 0"));
  }
  PARLEY_TRY(const std::vector<std::string> tables, tables_of(to));
  PARLEY_TRY(const std::vector<std::string> present, tables_of(from));
  std::vector<CopiedTable> out;
  for (const std::string& table : tables) {
    if (std::find(present.begin(), present.end(), table) == present.end()) {
      return core::fail(core::Code::failed_precondition,
                        "The store to copy has no table " + table + ".");
    }
    PARLEY_TRY(CopiedTable copied, copy_table(from, to, table));
    out.push_back(std::move(copied));
  }
  PARLEY_TRY_VOID(after(to));
  PARLEY_TRY_VOID(transaction.commit());
  PARLEY_TRY_VOID(from.execute("COMMIT"));
  return out;
}

}  // namespace parley::sql
