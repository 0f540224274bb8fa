// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parley::core {

// A file's new name is an entry of its folder: until the folder is synced, a loss of power can
// restore the old name, whatever fsync() reported for the file. File systems without syncing of
// folders count as success. All return false with errno set. Any thread; all wait for the disk.

// Syncs the entries of an open folder to the disk. A descriptor opened with O_PATH is enough.
bool sync_folder(int folder);
// Syncs the folder that holds `path`.
bool sync_folder_of(const std::string& path);

// Renames a file whose content is already synced, then syncs the folder of the new name, and that
// of the old name if it differs. If a sync fails, the file has its new name already.
bool rename_durably(const std::string& from, const std::string& to);
// The same within an open folder, whatever its path leads to meanwhile.
bool rename_durably(int folder, const std::string& from, const std::string& to);

}  // namespace parley::core
