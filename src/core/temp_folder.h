// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

// A new, empty folder under the system's place for temporary files, which is gone with the object.
//
// What is in it is removed as well, and tried again for a moment if a program that is just being
// stopped still writes into it. What cannot be removed stays: the destructor never throws. The
// constructor throws std::system_error if there is no place for a folder.
class TempFolder {
 public:
  explicit TempFolder(std::string_view name = "parley");
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  // Absolute, without symbolic links.
  const std::string& path() const { return path_; }
  // The path of an entry; nothing is made.
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace parley::core
