// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/core/file_descriptor.h"
#include "base/core/result.h"

namespace parley::app {

// A file to which a stream is written as it arrives, so that other programs can follow it.
class StreamFile {
 public:
  // Creates a file of mode 0600; with `append` an existing file is continued. Errors:
  // `already_exists`, `permission_denied`, `not_found` (no such folder).
  static core::Result<std::unique_ptr<StreamFile>> open(const std::string& path, bool append);

  // Writes `text` without buffering. False: this or an earlier write has failed.
  bool write(std::string_view text);
  bool failed() const { return failed_; }
  const std::string& path() const { return path_; }

 private:
  StreamFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  const std::string path_;
  const core::FileDescriptor fd_;
  bool failed_ = false;
};

}  // namespace parley::app
