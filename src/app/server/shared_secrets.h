// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "app/server/settings.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/sql/store_place.h"

namespace parley::app {

// Makes, or gets from the database, the secrets of all servers of a database
// (identity/auth/secret_files.h): the key of MCP, which is returned, that of web push, and the
// certificate authority. With stores in files the last two are made by what uses them. Errors:
// those of auth::share_secret() and of what makes them.
core::Result<std::string> share_secrets(const Settings& settings, const core::Clock& clock,
                                        core::Entropy& entropy);

// Copies those that `from` has, for `parley import`. Returns the number of files. Errors: those of
// auth::copy_secrets().
core::Result<std::size_t> copy_all_secrets(const sql::StorePlace& from, const sql::StorePlace& to);

}  // namespace parley::app
