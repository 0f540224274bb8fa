// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parley::core {

// A file's new name is in its folder: until that is on the disk, a loss of power can bring the old
// one back, whatever fsync() said of the file. File systems without that notion count as done.
// All return false with errno set. Any thread; all wait for the disk.

// Brings an open folder's entries to the disk. O_PATH is enough.
bool sync_folder(int folder);
// The same for the folder that holds `path`.
bool sync_folder_of(const std::string& path);

// Renames a file whose content is synced already, and syncs the folder of its new name, and that of
// the old one if it is another. After a failure to sync the file has its new name.
bool rename_durably(const std::string& from, const std::string& to);

}  // namespace parley::core
