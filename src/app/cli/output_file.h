// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace parley::app {

// Destination of a command's result: stdout, or a file of mode 0600 that gets its name only when it
// is complete. It replaces a file or link of that name.
class OutputFile {
 public:
  // `path` empty or "-": stdout.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  bool good() const { return file_ != nullptr; }
  bool write(std::string_view text);
  // Moves the file to its name. Call last.
  bool finish();

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

// Prints that an OutputFile failed. Returns the exit code.
int complain_output(const std::string& path);

}  // namespace parley::app
