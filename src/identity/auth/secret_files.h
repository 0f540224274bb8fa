// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"

// Secrets that a server makes for itself once and keeps as files of its data directory. If the
// stores are in a database, their bytes are in its schema parley_secrets too, so that a server on
// another machine goes on with the same ones. Tokens are not among them: a database has their
// hashes alone. All calls wait for the disk and the database.
namespace parley::auth {

// The name of the store, whose schema is parley_secrets.
inline constexpr std::string_view kSecretStore = "secrets";
sql::Schema secret_schema();

// Names of files that are one secret together: a key and its certificate.
using SecretFiles = std::span<const std::string_view>;

// Sees to it that the data directory has the secret that all servers of a database have. If the
// database has none, that of the directory becomes it; `make` makes the files that are missing.
// A file with other bytes stays as NAME.before, which is logged. With stores in files: `make`
// alone. Several servers may do so at once. Errors: those of `make`, of sql::open_store() and of
// core::write_private_file(), `data_loss` (a file cannot be read or is too large).
core::Result<void> share_secret(const sql::StorePlace& place, SecretFiles files,
                                absl::FunctionRef<core::Result<void>()> make);

// Copies those of `files` that `from` has to `to`, in place of what is there; a file stays as
// above. Returns their number. Errors as share_secret(), and
// `data_loss` (what was read again differs).
core::Result<std::size_t> copy_secrets(const sql::StorePlace& from, const sql::StorePlace& to,
                                       SecretFiles files);

}  // namespace parley::auth
