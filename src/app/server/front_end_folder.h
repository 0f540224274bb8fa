// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/net/http/static_files.h"

namespace parley::app {

// Limits of one folder.
struct FrontEndLimits {
  // Limit (Chats): files in the folder of `--front-end`. Reached: the server does not start.
  std::size_t files = 10'000;
  // Limit (Chats): a file in the folder of `--front-end`. Reached: the server does not start.
  std::size_t file_bytes = 32U << 20U;
  // Limit (Chats): all files in the folder of `--front-end`. Reached: the server does not start.
  std::size_t bytes = 256U << 20U;
  // Limit (Chats): nesting of folders in the folder of `--front-end`. Reached: the server does not
  // start.
  std::size_t depth = 16;  // nesting of folders
};

// The built files of a front end. load() reads all of them into memory, so that a request never
// waits for the disk nor opens a path. Skipped: names that begin with a dot and everything below
// them, links, and other entries that are not regular files. "x.js.gz" and "x.js.br" are compressed
// forms of "x.js"; load() compresses text that has no .gz form.
class FrontEndFolder {
 public:
  // Errors: `not_found` (no such folder, or no index.html in it), `resource_exhausted` (naming the
  // limit), `permission_denied` and others of the file system. Blocks for the disk.
  static core::Result<std::unique_ptr<FrontEndFolder>> load(const std::string& folder,
                                                            const FrontEndLimits& limits = {});
  FrontEndFolder(const FrontEndFolder&) = delete;
  FrontEndFolder& operator=(const FrontEndFolder&) = delete;

  // Valid as long as this object.
  std::span<const net::Asset> assets() const { return assets_; }
  // net::kFrontEndPolicy, and the inline scripts of index.html by their hashes. Valid as long as
  // this object.
  const std::string& page_policy() const { return page_policy_; }

 private:
  struct File {
    std::string path;  // "/assets/main.js"
    std::string bytes;
    std::string gzip;
    std::string br;
    std::string etag;
  };
  FrontEndFolder() = default;
  core::Result<void> read(const std::string& folder, const FrontEndLimits& limits);
  void pack();

  std::vector<File> files_;
  std::vector<net::Asset> assets_;
  std::string page_policy_;
};

}  // namespace parley::app
