// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/stream_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/core/private_files.h"

namespace parley::app {

using core::Code;

core::Result<std::unique_ptr<StreamFile>> StreamFile::open(const std::string& path, bool append) {
  const int how = O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | (append ? 0 : O_EXCL);
  const int fd = ::open(path.c_str(), how, core::kPrivateFileMode);
  if (fd < 0) {
    const int error = errno;
    const Code code = error == EEXIST   ? Code::already_exists
                      : error == ENOENT ? Code::not_found
                                        : Code::permission_denied;
    return core::fail(code,
                      path + ": " + std::strerror(error) + ".");  // NOLINT(concurrency-mt-unsafe)
  }
  // The constructor is private, so make_unique cannot reach it.
  return std::unique_ptr<StreamFile>(new StreamFile(path, fd));
}

bool StreamFile::write(std::string_view text) {
  while (!failed_ && !text.empty()) {
    const ssize_t count = ::write(fd_.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    failed_ = count < 0;
    if (!failed_) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return !failed_;
}

}  // namespace parley::app
