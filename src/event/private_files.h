// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace parley::event {

// The files of a data directory belong to its owner alone, whatever the umask of the process is:
// folders have mode 0700, files 0600. SQLite gives what it puts beside a file the mode of the file.

// The Error of a call of the system on a file that failed with this errno.
core::Error system_error(int number, const std::string& what);

inline constexpr mode_t kPrivateFileMode = 0600;
inline constexpr mode_t kPrivateFolderMode = 0700;

// Makes a folder, and those above it with the mode `above`, and syncs each folder in which one was
// made, so that none is lost with the power. Errors: `permission_denied`, `failed_precondition` (a
// file is in the way), `resource_exhausted`.
core::Result<void> make_private_folder(const std::string& path, mode_t above = kPrivateFolderMode);

// Syncs a folder (empty: the current one), so that the names of what was made or renamed in it
// survive a loss of power. Where the file system cannot, nothing is done.
core::Result<void> sync_folder(const std::string& folder);

// Makes an empty file of mode 0600 if there is none. Errors as make_private_folder().
core::Result<void> make_private_file(const std::string& path);

// Writes a file of mode 0600 so that a reader sees the old bytes or the new ones, never a part,
// also after a loss of power. Errors as make_private_folder().
core::Result<void> write_private_file(const std::string& path, std::string_view bytes);

// Makes a data directory that is there private, if others may enter it, and logs that. A directory
// that holds files and is not one of Parley's is not changed. Errors: `permission_denied` (others
// may enter it, and that cannot be changed, or it is not Parley's).
core::Result<void> mend_data_dir(const std::string& data_dir);

// Paths of Parley's files and folders in a data directory that others could use, were they let into
// the directory.
std::vector<std::string> files_open_to_others(const std::string& data_dir);

// Takes the rights of others from what Parley has put into a data directory: an older Parley, or a
// copy, may have left it open. The number of files and folders that were changed; logged.
std::size_t mend_private_files(const std::string& data_dir);

}  // namespace parley::event
