// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/sql/engine.h"
#include "base/sql/postgres_dialect.h"

struct pg_conn;
struct pg_result;

namespace parley::sql {

class PostgresCursor;

// Where a store is in PostgreSQL.
struct PostgresPlace {
  std::string url;     // "postgres://…", or a connection string of libpq
  std::string schema;  // of the store: "parley_tokens"
  // The URL leads to a pool that gives a connection for a transaction: no statement is prepared,
  // and the limits of time below are those that the database has for its user.
  bool pooled = false;
};

// Limit (PostgreSQL): wait for a connection. Reached: `unavailable`.
inline constexpr std::chrono::seconds kConnectTimeout{5};
// Limit (PostgreSQL): time of one statement. Reached: `unavailable`.
inline constexpr std::chrono::seconds kStatementTimeout{30};
// Limit (PostgreSQL): wait for a lock that another connection holds. Reached: `unavailable`.
inline constexpr std::chrono::seconds kLockTimeout{5};
// Limit (PostgreSQL): a transaction in which nothing is sent. Reached: the database ends it, and
// the locks that it holds.
inline constexpr std::chrono::seconds kIdleTransactionTimeout{10};

// SQLSTATE of a condition that a function of a store found unmet: `failed_precondition`, with the
// message as field.
inline constexpr std::string_view kUnmet = "PR001";

// The two keys of the advisory lock that begin_writing() takes, as arguments of SQL.
inline std::string write_lock(std::string_view schema) {
  return "1886544243, hashtext('" + std::string(schema) + "')";
}

// A connection to a schema of a PostgreSQL database. Internal to this room: Database has the
// contracts. A connection that breaks is made again at the next call outside of a transaction; the
// call during which it broke has an unknown outcome and fails with `unavailable`. Rows are read
// whole before the first one is given.
class PostgresConnection final : public Connection {
 public:
  // Errors: `unavailable` (no server answers, or it has no connection left), `permission_denied`,
  // `not_found` (no such database), `failed_precondition` (older than kLeastPostgres),
  // `invalid_argument` (the URL).
  static core::Result<std::unique_ptr<PostgresConnection>> open(PostgresPlace place);
  ~PostgresConnection() override;

  Engine engine() const override { return Engine::postgres; }
  core::Result<void> execute(const char* sql) override;
  core::Result<void> create(const std::string& ddl) override;
  void know_tables(std::string_view ddl) override { dialect_.add_tables(ddl); }
  core::Result<std::unique_ptr<Cursor>> prepare(std::string_view sql) override;
  core::Result<void> begin_writing() override;
  core::Result<void> commit_all(std::span<Cursor* const> cursors) override;
  std::int64_t changes() const override { return changes_; }
  bool in_transaction() const override;
  core::Result<std::int64_t> data_version() override;
  core::Result<std::vector<std::string>> integrity_faults(std::size_t limit) override;
  std::string name() const override { return place_.schema; }

  // One parameter of a statement, as libpq takes it.
  struct Parameter {
    unsigned type = 0;  // an Oid; 0: the server finds it
    const char* data = nullptr;
    int size = 0;
    bool binary = false;
  };
  struct Free {
    void operator()(pg_result* result) const;
  };
  using ResultPtr = std::unique_ptr<pg_result, Free>;
  // A statement; prepared on the server at its second use, and once in each connection.
  struct Prepared {
    std::string sql;       // of PostgreSQL
    bool repeats = false;  // it was used before
    std::string name;      // on the server
    std::uint64_t connection = 0;
  };
  core::Result<ResultPtr> run(Prepared& statement, const std::vector<Parameter>& parameters);
  // Prepared statements that nobody uses any more.
  std::weak_ptr<std::vector<Prepared>> unneeded() const { return unneeded_; }

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  explicit PostgresConnection(PostgresPlace place)
      : place_(std::move(place)), dialect_(place_.schema) {}
  core::Result<void> connect();
  core::Result<void> send(const std::string& sql);  // of PostgreSQL
  // Prepares a statement on the server, if it is not.
  core::Result<void> make(Prepared& statement, const std::vector<Parameter>& parameters);
  void free_unneeded();
  // False: the connection has broken.
  bool send_in_group(const char* sql);
  bool send_in_group(PostgresCursor& cursor);
  core::Result<void> take_group(std::size_t statements);
  // Connects again, if the connection has broken and no transaction is open.
  core::Result<void> revive();
  // Takes the result of a statement: its rows, or its error.
  core::Result<ResultPtr> taken(pg_result* result);
  core::Error error_of(const pg_result* result);
  core::Error lost() const;

  PostgresPlace place_;
  PostgresDialect dialect_;
  std::unique_ptr<pg_conn, Close> connection_;
  std::uint64_t connections_ = 0;  // made so far
  std::uint64_t statements_ = 0;   // prepared so far
  std::shared_ptr<std::vector<Prepared>> unneeded_ = std::make_shared<std::vector<Prepared>>();
  std::int64_t changes_ = 0;
  // A transaction that broke with its connection: its statements fail until its ROLLBACK.
  bool broken_transaction_ = false;
  bool was_inside_ = false;          // of a transaction, when the last call began
  std::optional<core::Error> lost_;  // why there is no connection
  bool is_standby_ = false;  // the server refused a write: the next connection may lead elsewhere
};

// Oldest version of the server that is served, as libpq gives it.
inline constexpr int kLeastPostgres = 150'000;

}  // namespace parley::sql
