// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/core/file_descriptor.h"
#include "base/core/private_files.h"

namespace parley::core {

Result<bool> is_file_locked(const std::string& path) {
  // A FIFO must not block.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    const int number = errno;
    if (number == ENOENT || number == ENOTDIR) return false;
    return fail(system_error(number, "Cannot open " + path));
  }
  if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return false;
  if (errno == EWOULDBLOCK) return true;
  return fail(system_error(errno, "Cannot lock " + path));
}

}  // namespace parley::core
