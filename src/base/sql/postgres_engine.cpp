// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/postgres_engine.h"

#include <libpq-fe.h>

#include <array>
#include <bit>
#include <deque>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/assert.h"
#include "base/core/loop_thread.h"
#include "base/core/number_text.h"
#include "base/core/result.h"
#include "base/sql/postgres_text.h"
#include "base/sql/postgres_types.h"

namespace parley::sql {
namespace {

constexpr int kBinaryRows = 1;

core::Code code_of(std::string_view state) {
  constexpr std::array<std::pair<std::string_view, core::Code>, 21> kCodes = {{
      {"53100", core::Code::resource_exhausted},  // disk full
      {"53200", core::Code::resource_exhausted},  // out of memory
      {"53", core::Code::unavailable},            // too many connections and the like
      {"57P0", core::Code::unavailable},          // the server stops or starts
      {"57014", core::Code::unavailable},         // statement_timeout
      {"55P03", core::Code::unavailable},         // lock_timeout
      {"55006", core::Code::unavailable},         // object in use
      {"40", core::Code::unavailable},            // serialization, deadlock: may be tried again
      {"25006", core::Code::unavailable},         // read only: a standby
      {kUnmet, core::Code::failed_precondition},
      {"25P03", core::Code::unavailable},  // idle in a transaction for too long
      {"08", core::Code::unavailable},
      {"23", core::Code::failed_precondition},
      {"28", core::Code::permission_denied},
      {"42501", core::Code::permission_denied},
      {"3D000", core::Code::not_found},
      {"3F000", core::Code::not_found},
      {"42P01", core::Code::unavailable},       // a table that an operator has dropped or renamed
      {"22021", core::Code::invalid_argument},  // no UTF-8, or a NUL
      {"XX001", core::Code::data_loss},
      {"XX002", core::Code::data_loss},
  }};
  for (const auto& [start, code] : kCodes) {
    if (state.starts_with(start)) return code;
  }
  return core::Code::internal;
}

// A number that PostgreSQL sends in `size` bytes, the highest first.
std::int64_t big_endian(const char* data, int size) {
  std::uint64_t value =
      size > 0 && (static_cast<unsigned char>(data[0]) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
  for (int i = 0; i < size; ++i) value = value << 8U | static_cast<unsigned char>(data[i]);
  return std::bit_cast<std::int64_t>(value);
}

// The integer part of a NUMERIC, such as the sum of a BIGINT has: digits to the base of 10,000.
std::int64_t integer_of_numeric(const char* data, int size) {
  constexpr int kHeader = 8;
  if (size < kHeader) return 0;
  const std::int64_t digits = big_endian(data, 2);
  const std::int64_t weight = big_endian(data + 2, 2);
  const bool negative = (static_cast<unsigned char>(data[4]) & 0x40U) != 0;
  std::int64_t value = 0;
  for (std::int64_t i = 0; i <= weight; ++i) {
    const std::int64_t digit = i < digits ? big_endian(data + kHeader + 2 * i, 2) : 0;
    value = value * 10'000 + digit;
  }
  return negative ? -value : value;
}

// Notices of the server, which libpq would print: what matters comes as an error too.
void ignore(void* /*argument*/, const char* /*notice*/) {}

std::string setting(std::string_view name, std::chrono::milliseconds value) {
  return "SET " + std::string(name) + " = " + std::to_string(value.count()) + ";";
}

}  // namespace

class PostgresCursor final : public Cursor {
 public:
  PostgresCursor(PostgresConnection& connection, std::string sql)
      : connection_(connection), unneeded_(connection.unneeded()) {
    statement_.sql = std::move(sql);
  }
  ~PostgresCursor() override {
    // The connection may have ended before its statement.
    const auto unneeded = unneeded_.lock();
    if (unneeded && statement_.connection != 0) unneeded->push_back(std::move(statement_));
  }

  void bind_integer(int index, std::int64_t value) override {
    std::string& text = texts_.emplace_back(std::to_string(value));
    at(index) = {oid::kInt8, text.c_str(), static_cast<int>(text.size()), false};
  }
  void bind_text(int index, std::string_view value) override {
    if (has_escapes(value)) value = texts_.emplace_back(escaped(value));
    bind_bytes(index, value, oid::kText);
  }
  void bind_blob(int index, std::string_view bytes) override {
    bind_bytes(index, bytes, oid::kBytea);
  }
  void bind_null(int index, bool of_integers) override {
    at(index) = {of_integers ? oid::kInt8 : oid::kText, nullptr, 0, false};
  }

  void bind_array(int index, const Array& array) override {
    const std::string_view bytes = array.encoded();
    at(index) = {type_of(array.of()), bytes.data(), static_cast<int>(bytes.size()), true};
  }

  core::Result<bool> step() override {
    if (!result_) {
      PARLEY_TRY(result_, connection_.run(statement_, parameters_));
      row_ = -1;
    }
    read_.clear();
    return ++row_ < PQntuples(result_.get());
  }
  void reset() override { result_.reset(); }

  std::int64_t integer(int column) const override {
    if (is_null(column)) return 0;
    const char* data = PQgetvalue(result_.get(), row_, column);
    const int size = PQgetlength(result_.get(), row_, column);
    switch (PQftype(result_.get(), column)) {
      case oid::kInt8:
      case oid::kInt4:
      case oid::kInt2:
        return big_endian(data, size);
      case oid::kBool:
        return size > 0 && data[0] != 0 ? 1 : 0;
      case oid::kNumeric:
        return integer_of_numeric(data, size);
      default:
        return core::parse_number<std::int64_t>(text(column)).value_or(0);
    }
  }
  std::string_view text(int column) const override {
    const int size = PQgetlength(result_.get(), row_, column);
    const std::string_view bytes(PQgetvalue(result_.get(), row_, column),
                                 static_cast<std::size_t>(size));
    const bool is_text = PQftype(result_.get(), column) != oid::kBytea;
    return is_text && has_escapes(bytes) ? read_.emplace_back(unescaped(bytes)) : bytes;
  }
  bool is_null(int column) const override { return PQgetisnull(result_.get(), row_, column) != 0; }

  PostgresConnection::Prepared& statement() { return statement_; }
  const std::vector<PostgresConnection::Parameter>& parameters() const { return parameters_; }

 private:
  static unsigned type_of(Array::Of of) {
    if (of == Array::Of::integers) return oid::kInt8Array;
    return of == Array::Of::texts ? oid::kTextArray : oid::kByteaArray;
  }
  PostgresConnection::Parameter& at(int index) {
    if (parameters_.size() < static_cast<std::size_t>(index)) {
      parameters_.resize(static_cast<std::size_t>(index));
    }
    return parameters_[static_cast<std::size_t>(index) - 1];
  }
  void bind_bytes(int index, std::string_view bytes, unsigned type) {
    const char* data = bytes.data() == nullptr ? "" : bytes.data();
    at(index) = {type, data, static_cast<int>(bytes.size()), true};
  }

  PostgresConnection& connection_;
  const std::weak_ptr<std::vector<PostgresConnection::Prepared>> unneeded_;
  PostgresConnection::Prepared statement_;
  std::vector<PostgresConnection::Parameter> parameters_;
  std::deque<std::string> texts_;         // of bound integers, and bound texts in stored form
  mutable std::deque<std::string> read_;  // texts of this row that have escapes
  PostgresConnection::ResultPtr result_;
  int row_ = -1;
};

void PostgresConnection::Free::operator()(pg_result* result) const { PQclear(result); }
void PostgresConnection::Close::operator()(pg_conn* connection) const { PQfinish(connection); }
PostgresConnection::~PostgresConnection() = default;

namespace {

// False for text that libpq cannot read. Its own message would repeat the text, and so the
// password.
bool is_readable(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  return options != nullptr;
}

}  // namespace

core::Result<std::unique_ptr<PostgresConnection>> PostgresConnection::open(PostgresPlace place) {
  core::assert_may_block("PostgreSQL");
  if (!is_readable(place.url)) {
    return core::fail(core::Code::invalid_argument,
                      "The address of the database is not a connection string of PostgreSQL: it"
                      " begins with postgresql:// and names a host and a database.");
  }
  std::unique_ptr<PostgresConnection> out(new PostgresConnection(std::move(place)));
  PARLEY_TRY_VOID(out->connect());
  return out;
}

core::Result<void> PostgresConnection::connect() {
  const std::string timeout = std::to_string(kConnectTimeout.count());
  // The URL is last, so that its own values replace these.
  const std::array<const char*, 6> names = {"connect_timeout", "application_name",
                                            "client_encoding", "tcp_user_timeout",
                                            "dbname",          nullptr};
  const std::array<const char*, 6> values = {timeout.c_str(), "parley",           "UTF8",
                                             "10000",         place_.url.c_str(), nullptr};
  connection_.reset(PQconnectdbParams(names.data(), values.data(), 1));
  if (PQstatus(connection_.get()) != CONNECTION_OK) return core::fail(lost());
  PQsetNoticeProcessor(connection_.get(), &ignore, nullptr);
  if (PQserverVersion(connection_.get()) < kLeastPostgres) {
    return core::fail(core::Code::failed_precondition,
                      "The database is PostgreSQL " +
                          std::to_string(PQserverVersion(connection_.get()) / 10'000) +
                          "; Parley needs 15 or newer.");
  }
  const char* const encoding = PQparameterStatus(connection_.get(), "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
    return core::fail(core::Code::failed_precondition,
                      "The database has the encoding " + std::string(encoding ? encoding : "?") +
                          "; Parley needs UTF8: CREATE DATABASE … ENCODING 'UTF8'.");
  }
  ++connections_;
  broken_transaction_ = false;
  is_standby_ = false;
  if (place_.pooled) return {};
  const std::string sql = "SET client_min_messages = warning;" +
                          setting("statement_timeout", kStatementTimeout) +
                          setting("lock_timeout", kLockTimeout) +
                          setting("idle_in_transaction_session_timeout", kIdleTransactionTimeout);
  return send(sql);
}

core::Result<void> PostgresConnection::revive() {
  if (broken_transaction_) return core::fail(lost());
  const bool is_usable = PQstatus(connection_.get()) == CONNECTION_OK;
  if (is_usable && (!is_standby_ || in_transaction())) return {};
  return connect();
}

core::Result<void> PostgresConnection::execute(const char* sql) {
  return send(dialect_.statement(sql));
}

core::Result<void> PostgresConnection::create(const std::string& ddl) {
  dialect_.add_tables(ddl);
  return send(dialect_.tables(ddl));
}

core::Result<void> PostgresConnection::send(const std::string& sql) {
  core::assert_may_block("PostgreSQL");
  // A transaction is over after its end, whether or not the connection survives that.
  const bool ends = sql == "COMMIT" || sql == "ROLLBACK";
  if (ends && std::exchange(broken_transaction_, false)) {
    return sql == "ROLLBACK" ? core::Result<void>() : core::fail(lost());
  }
  PARLEY_TRY_VOID(revive());
  was_inside_ = in_transaction() && !ends;
  PARLEY_TRY(const ResultPtr result, taken(PQexec(connection_.get(), sql.c_str())));
  // The server answers the COMMIT of a transaction with a failed statement by rolling it back.
  if (sql == "COMMIT" && std::string_view(PQcmdStatus(result.get())) == "ROLLBACK") {
    return core::fail(core::Code::internal, "The schema " + place_.schema +
                                                " failed: a statement of the transaction failed, so"
                                                " that nothing of it was stored.");
  }
  return {};
}

core::Result<std::unique_ptr<Cursor>> PostgresConnection::prepare(std::string_view sql) {
  return std::make_unique<PostgresCursor>(*this, dialect_.statement(sql));
}

namespace {

// Parameters as libpq takes them.
struct Columns {
  explicit Columns(const std::vector<PostgresConnection::Parameter>& parameters)
      : count(static_cast<int>(parameters.size())) {
    for (const PostgresConnection::Parameter& each : parameters) {
      types.push_back(each.type);
      data.push_back(each.data);
      sizes.push_back(each.size);
      formats.push_back(each.binary ? 1 : 0);
    }
  }

  const int count;
  std::vector<Oid> types;
  std::vector<const char*> data;
  std::vector<int> sizes;
  std::vector<int> formats;
};

}  // namespace

core::Result<PostgresConnection::ResultPtr> PostgresConnection::run(
    Prepared& statement, const std::vector<Parameter>& parameters) {
  core::assert_may_block("PostgreSQL");
  PARLEY_TRY_VOID(revive());
  was_inside_ = in_transaction();
  const Columns columns(parameters);
  // A statement that runs once is not worth another round trip.
  if (place_.pooled || !std::exchange(statement.repeats, true)) {
    return taken(PQexecParams(connection_.get(), statement.sql.c_str(), columns.count,
                              columns.types.data(), columns.data.data(), columns.sizes.data(),
                              columns.formats.data(), kBinaryRows));
  }
  PARLEY_TRY_VOID(make(statement, parameters));
  return taken(PQexecPrepared(connection_.get(), statement.name.c_str(), columns.count,
                              columns.data.data(), columns.sizes.data(), columns.formats.data(),
                              kBinaryRows));
}

core::Result<void> PostgresConnection::make(Prepared& statement,
                                            const std::vector<Parameter>& parameters) {
  if (statement.connection == connections_) return {};
  free_unneeded();
  const Columns columns(parameters);
  statement.name = "s" + std::to_string(++statements_);
  PARLEY_TRY(const ResultPtr created,
             taken(PQprepare(connection_.get(), statement.name.c_str(), statement.sql.c_str(),
                             columns.count, columns.types.data())));
  statement.connection = connections_;
  return {};
}

// Statements whose cursors are gone. Outside of a transaction, so that no failure ends one.
void PostgresConnection::free_unneeded() {
  if (unneeded_->empty() || in_transaction()) return;
  std::string sql;
  for (const Prepared& each : *unneeded_) {
    if (each.connection == connections_) sql.append("DEALLOCATE ").append(each.name).append(";");
  }
  unneeded_->clear();
  if (sql.empty()) return;
  const ResultPtr freed(PQexec(connection_.get(), sql.c_str()));
}

core::Result<void> PostgresConnection::commit_all(std::span<Cursor* const> cursors) {
  core::assert_may_block("PostgreSQL");
  PARLEY_TRY_VOID(revive());
  PARLEY_ASSERT(!in_transaction(), "a transaction of " + std::to_string(cursors.size()) +
                                       " statements begins in another one");
  was_inside_ = false;
  if (!place_.pooled) {
    for (Cursor* const each : cursors) {
      auto& cursor = static_cast<PostgresCursor&>(*each);
      PARLEY_TRY_VOID(make(cursor.statement(), cursor.parameters()));
    }
  }
  if (PQenterPipelineMode(connection_.get()) != 1) return core::fail(lost());
  bool sent = send_in_group("BEGIN");
  for (Cursor* const each : cursors) {
    sent = sent && send_in_group(static_cast<PostgresCursor&>(*each));
  }
  sent = sent && send_in_group("COMMIT") && PQpipelineSync(connection_.get()) == 1;
  core::Result<void> done = take_group(cursors.size() + 2);
  if (connection_ == nullptr) return done;
  static_cast<void>(PQexitPipelineMode(connection_.get()));
  if (PQstatus(connection_.get()) != CONNECTION_OK) return core::fail(lost());
  PARLEY_ASSERT(sent || !done, "a transaction that was not sent was committed");
  if (done || !in_transaction()) return done;
  const ResultPtr undone(PQexec(connection_.get(), "ROLLBACK"));
  return done;
}

bool PostgresConnection::send_in_group(const char* sql) {
  return PQsendQueryParams(connection_.get(), sql, 0, nullptr, nullptr, nullptr, nullptr, 0) == 1;
}

bool PostgresConnection::send_in_group(PostgresCursor& cursor) {
  const Columns columns(cursor.parameters());
  if (place_.pooled) {
    return PQsendQueryParams(connection_.get(), cursor.statement().sql.c_str(), columns.count,
                             columns.types.data(), columns.data.data(), columns.sizes.data(),
                             columns.formats.data(), kBinaryRows) == 1;
  }
  return PQsendQueryPrepared(connection_.get(), cursor.statement().name.c_str(), columns.count,
                             columns.data.data(), columns.sizes.data(), columns.formats.data(),
                             kBinaryRows) == 1;
}

// The results of `statements` statements and of the end of the group. The first error counts: those
// behind it were not run.
core::Result<void> PostgresConnection::take_group(std::size_t statements) {
  core::Result<void> first;
  for (std::size_t ended = 0; ended < statements;) {
    const ResultPtr result(PQgetResult(connection_.get()));
    if (result == nullptr) {
      ++ended;
      if (PQstatus(connection_.get()) != CONNECTION_OK) return core::fail(lost());
      continue;
    }
    const ExecStatusType status = PQresultStatus(result.get());
    const bool fine =
        status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_ABORTED;
    if (!fine && first) first = core::fail(error_of(result.get()));
    if (connection_ == nullptr) return first;
  }
  const ResultPtr synced(PQgetResult(connection_.get()));
  return first;
}

core::Result<PostgresConnection::ResultPtr> PostgresConnection::taken(pg_result* result) {
  ResultPtr owned(result);
  const ExecStatusType status = PQresultStatus(owned.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
    changes_ = core::parse_number<std::int64_t>(PQcmdTuples(owned.get())).value_or(0);
    return owned;
  }
  core::Error error = error_of(owned.get());
  if (PQstatus(connection_.get()) != CONNECTION_OK) broken_transaction_ = was_inside_;
  return core::fail(std::move(error));
}

core::Error PostgresConnection::error_of(const pg_result* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (state == nullptr || PQstatus(connection_.get()) != CONNECTION_OK) {
    // Not the server failed but the connection, which libpq may notice later.
    lost_ = lost();
    connection_.reset();
    return *lost_;
  }
  const std::string_view code = state;
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  std::string text = "The schema " + place_.schema + " failed: ";
  text += message == nullptr ? "no message" : message;
  if (code == kUnmet) return {code_of(code), std::move(text), message == nullptr ? "" : message};
  text += " (SQLSTATE " + std::string(code) + ").";
  if (code == "25006") {
    text += " Is the database a standby?";
    is_standby_ = true;
  }
  return {code_of(code), std::move(text), {}};
}

// The message of libpq names the host, and never the password.
core::Error PostgresConnection::lost() const {
  if (connection_ == nullptr && lost_) return *lost_;
  const std::string_view message = PQerrorMessage(connection_.get());
  core::Code code = core::Code::unavailable;
  if (message.find("authentication failed") != std::string_view::npos ||
      message.find("no password supplied") != std::string_view::npos) {
    code = core::Code::permission_denied;
  }
  if (message.find("does not exist") != std::string_view::npos) code = core::Code::not_found;
  return {code,
          "The database does not answer: " +
              std::string(core::trimmed(message.substr(0, message.find('\n')))),
          {}};
}

bool PostgresConnection::in_transaction() const {
  if (broken_transaction_) return true;
  const PGTransactionStatusType status = PQtransactionStatus(connection_.get());
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE;
}

core::Result<void> PostgresConnection::begin_writing() {
  // As SQLite's lock of a file: one writer of the store at a time, from the first statement.
  const std::string sql = "BEGIN; SELECT pg_advisory_xact_lock(" + write_lock(place_.schema) + ")";
  core::Result<void> done = send(sql);
  if (!done && in_transaction()) static_cast<void>(send("ROLLBACK"));
  return done;
}

core::Result<std::int64_t> PostgresConnection::data_version() {
  PARLEY_TRY(const auto cursor,
             prepare("SELECT changes FROM " + place_.schema + ".parley_version"));
  PARLEY_TRY(const bool row, cursor->step());
  return row ? cursor->integer(0) : 0;
}

core::Result<std::vector<std::string>> PostgresConnection::integrity_faults(std::size_t /*limit*/) {
  // PostgreSQL checks its pages as it reads them, and pg_amcheck is its operator's.
  return std::vector<std::string>{};
}

}  // namespace parley::sql
