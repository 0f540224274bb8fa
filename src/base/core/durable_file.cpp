// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace parley::core {
namespace {

std::string folder_of_file(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Closes `fd` in any case.
bool sync_and_close(int fd) {
  if (fd < 0) return false;
  const bool synced = ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int error = errno;
  ::close(fd);
  errno = error;
  return synced;
}

}  // namespace

bool sync_folder(int folder) {
  return sync_and_close(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool sync_folder_of(const std::string& path) {
  return sync_and_close(::open(folder_of_file(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool rename_durably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return false;
  const bool synced = sync_folder_of(to);
  return (folder_of_file(from) == folder_of_file(to) || sync_folder_of(from)) && synced;
}

bool rename_durably(int folder, const std::string& from, const std::string& to) {
  return ::renameat(folder, from.c_str(), folder, to.c_str()) == 0 && sync_folder(folder);
}

}  // namespace parley::core
