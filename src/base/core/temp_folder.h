// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

// A new, empty folder in the system's place for temporary files; removed on destruction.
//
// The folder is removed with its content. If a program that is being stopped still writes into it,
// removal is retried for about 1 s. Files that cannot be removed stay: the destructor never throws.
// The constructor throws std::system_error if no folder can be made.
class TempFolder {
 public:
  explicit TempFolder(std::string_view name = "parley");
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  // Absolute, without symbolic links.
  const std::string& path() const { return path_; }
  // The path of an entry; creates nothing.
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace parley::core
