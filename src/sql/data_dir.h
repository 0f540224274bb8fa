// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"

namespace parley::sql {

// The data directory: the folder of the databases and of what is kept beside them. Its owner alone
// may use it (core/private_files.h). SQLite gives what it puts beside a file the mode of the file.

// Makes a data directory (mode 0700) and the folders above it, so that they survive a loss of
// power. An existing one that others may enter is made private, and that is logged; one that holds
// files and is not Parley's is not changed. Errors: those of make_private_folder(), and
// `permission_denied` (others may enter it, and that cannot be changed, or it is not Parley's).
core::Result<void> make_data_dir(const std::string& data_dir);

// Paths of Parley's files and folders in a data directory that others could use, were they let into
// the directory.
std::vector<std::string> files_open_to_others(const std::string& data_dir);

// Takes the rights of others from what Parley has put into a data directory: an older Parley, or a
// copy, may have left it open. The number of files and folders that were changed; logged.
std::size_t mend_private_files(const std::string& data_dir);

}  // namespace parley::sql
