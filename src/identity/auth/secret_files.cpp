// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/secret_files.h"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/core/private_files.h"
#include "base/sql/opening.h"
#include "base/sql/transaction.h"

namespace parley::auth {
namespace {

using core::Code;

// Limit (PostgreSQL, bytes): a file with a secret. Reached: the server does not start.
constexpr std::size_t kMaxSecretBytes = 65'536;

constexpr std::int64_t kSecretApplicationId = 0x50726c6b;  // "Prlk"
constexpr const char* kSecretSteps[] = {
    "CREATE TABLE files (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID"};

struct SecretFile {
  std::string name;
  std::string bytes;

  bool operator==(const SecretFile&) const = default;
};
// Empty: there is none.
using Secret = std::vector<SecretFile>;

std::string path_of(const std::string& data_dir, std::string_view name) {
  return data_dir + "/" + std::string(name);
}

// std::nullopt: there is no such file, or it is empty.
core::Result<std::optional<std::string>> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in && errno == ENOENT) return std::nullopt;
  std::string bytes(kMaxSecretBytes + 1, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad() || bytes.size() > kMaxSecretBytes) {
    return core::fail(Code::data_loss, path +
                                           " is too large or cannot be read. Restore it from a "
                                           "backup, or move it away.");
  }
  return bytes.empty() ? std::nullopt : std::optional(std::move(bytes));
}

core::Result<Secret> read_files(const std::string& data_dir, SecretFiles files) {
  Secret out;
  for (const std::string_view name : files) {
    PARLEY_TRY(std::optional<std::string> bytes, bytes_of(path_of(data_dir, name)));
    if (bytes) out.push_back({std::string(name), std::move(*bytes)});
  }
  return out;
}

core::Result<void> write_files(const std::string& data_dir, const Secret& secret) {
  for (const SecretFile& file : secret) {
    const std::string path = path_of(data_dir, file.name);
    PARLEY_TRY(const std::optional<std::string> before, bytes_of(path));
    if (before == file.bytes) continue;
    if (before) {
      PARLEY_TRY_VOID(core::write_private_file(path + ".before", *before));
      spdlog::warn("{} is replaced by that of the database; it stays as {}.before", path,
                   file.name);
    }
    PARLEY_TRY_VOID(core::write_private_file(path, file.bytes));
  }
  return {};
}

core::Result<Secret> read_rows(sql::Database& database, SecretFiles files) {
  Secret out;
  for (const std::string_view name : files) {
    PARLEY_TRY(std::optional<std::string> bytes,
               database.first(
                   "SELECT bytes FROM files WHERE name = ?1",
                   [](const sql::Statement& row) { return row.string(0); }, name));
    if (bytes) out.push_back({std::string(name), std::move(*bytes)});
  }
  return out;
}

core::Result<void> write_rows(sql::Database& database, const Secret& secret) {
  for (const SecretFile& file : secret) {
    PARLEY_TRY_VOID(
        database.run("INSERT INTO files (name, bytes) VALUES (?1, ?2)"
                     " ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes",
                     file.name, sql::Blob{file.bytes}));
  }
  return {};
}

core::Result<Secret> read_secret(const sql::StorePlace& place, SecretFiles files) {
  if (place.url.empty()) return read_files(place.data_dir, files);
  auto database = sql::open_store_to_read(place, kSecretStore, secret_schema());
  if (database) return read_rows(*database, files);
  if (database.error().code == Code::not_found) return Secret();
  return core::fail(std::move(database.error()));
}

}  // namespace

sql::Schema secret_schema() {
  return {.application_id = kSecretApplicationId, .steps = kSecretSteps};
}

core::Result<void> share_secret(const sql::StorePlace& place, SecretFiles files,
                                absl::FunctionRef<core::Result<void>()> make) {
  if (place.url.empty()) return make();
  PARLEY_TRY(sql::Database database, sql::open_store(place, kSecretStore, secret_schema()));
  // Its lock makes other servers wait for what this one makes.
  PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database));
  PARLEY_TRY(const Secret shared, read_rows(database, files));
  if (!shared.empty()) return write_files(place.data_dir, shared);
  PARLEY_TRY_VOID(make());
  PARLEY_TRY(const Secret created, read_files(place.data_dir, files));
  PARLEY_TRY_VOID(write_rows(database, created));
  return transaction.commit();
}

core::Result<std::size_t> copy_secrets(const sql::StorePlace& from, const sql::StorePlace& to,
                                       SecretFiles files) {
  PARLEY_TRY(const Secret secret, read_secret(from, files));
  if (secret.empty()) return 0;
  if (to.url.empty()) {
    PARLEY_TRY_VOID(write_files(to.data_dir, secret));
  } else {
    PARLEY_TRY(sql::Database database, sql::open_store(to, kSecretStore, secret_schema()));
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database));
    PARLEY_TRY_VOID(write_rows(database, secret));
    PARLEY_TRY_VOID(transaction.commit());
  }
  PARLEY_TRY(const Secret copied, read_secret(to, files));
  if (copied != secret) return core::fail(Code::data_loss, "The copy of the secrets differs.");
  return secret.size();
}

}  // namespace parley::auth
