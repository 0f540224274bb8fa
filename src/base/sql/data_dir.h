// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/result.h"

namespace parley::sql {

// The data directory: the folder of the databases and of the files kept beside them. Only its owner
// may use it (base/core/private_files.h). SQLite gives the files that it makes beside a database
// (journals) the mode of the database.

// Makes a data directory (mode 0700) and its missing parents, so that they survive a loss of power.
// An existing data directory that others may enter is made private, which is logged; a folder that
// holds files of another program is not changed. Errors: those of make_private_folder(), and
// `permission_denied` (others may enter the folder, and its mode cannot be changed or its files are
// not Parley's).
core::Result<void> make_data_dir(const std::string& data_dir);

// Paths of Parley's files and folders in a data directory whose mode gives rights to others (usable
// only if others may enter the directory).
std::vector<std::string> files_open_to_others(const std::string& data_dir);

// Removes the rights of others from Parley's files and folders in a data directory: an older
// Parley, or a copy, may have left them open. Returns the number of changed files and folders, and
// logs it.
std::size_t mend_private_files(const std::string& data_dir);

}  // namespace parley::sql
