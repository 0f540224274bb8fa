// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/core/file_descriptor.h"
#include "base/core/result.h"

namespace parley::core {

// Files and folders that only their owner may use, whatever the umask of the process: folders have
// mode 0700, files 0600.

// The Error of a system call on a file that failed with this errno.
Error system_error(int number, const std::string& what);

inline constexpr mode_t kPrivateFileMode = 0600;
inline constexpr mode_t kPrivateFolderMode = 0700;

// Makes a folder, and its missing parents with the mode `above`, and syncs each parent that got a
// new entry, so that none is lost in a loss of power. Errors: `permission_denied`,
// `failed_precondition` (a file is in the way), `resource_exhausted`.
Result<void> make_private_folder(const std::string& path, mode_t above = kPrivateFolderMode);

// Makes an empty file of mode 0600 if there is none. Errors as make_private_folder().
Result<void> make_private_file(const std::string& path);

// Opens an empty file of mode 0600 for writing in place of whatever had its name; a link there is
// removed, not followed. No descriptor: errno tells why.
FileDescriptor open_private_draft(const std::string& path);

// Writes a file of mode 0600 atomically: a reader sees the old bytes or the new ones, never a part,
// also after a loss of power. Errors as make_private_folder().
Result<void> write_private_file(const std::string& path, std::string_view bytes);

}  // namespace parley::core
