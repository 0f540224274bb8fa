// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/open_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/core/durable_file.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

}  // namespace

core::Result<OpenFolder> OpenFolder::open(const fs::path& path) {
  OpenFolder folder;
  folder.path_ = path;
  folder.fd_.reset(::open("/", kFolderFlags));
  for (const fs::path& step : path.relative_path()) {
    const std::string name = step.string();
    if (name.empty()) continue;
    if (!folder.missing_.empty()) {
      folder.missing_.push_back(name);
      continue;
    }
    core::FileDescriptor next(::openat(folder.fd_.get(), name.c_str(), kFolderFlags));
    if (next) {
      folder.fd_ = std::move(next);
    } else if (errno == ENOENT) {
      folder.missing_.push_back(name);
    } else {
      return core::fail(core::system_error(errno, "Cannot open the folder " + path.string()));
    }
  }
  return folder;
}

core::Result<OpenFolder> OpenFolder::with_missing(mode_t mode,
                                                  std::vector<fs::path>& created) const {
  OpenFolder folder;
  folder.path_ = path_;
  folder.fd_.reset(::openat(fd_.get(), ".", kFolderFlags));
  fs::path at = path_;
  for (std::size_t i = 0; i < missing_.size(); ++i) at = at.parent_path();
  for (const std::string& name : missing_) {
    at /= name;
    if (::mkdirat(folder.fd_.get(), name.c_str(), mode) == 0) {
      created.push_back(at);
      core::sync_folder(folder.fd_.get());
    } else if (errno != EEXIST) {
      return core::fail(core::system_error(errno, "Cannot make the folder " + at.string()));
    }
    core::FileDescriptor next(::openat(folder.fd_.get(), name.c_str(), kFolderFlags));
    if (!next)
      return core::fail(core::system_error(errno, "Cannot open the folder " + at.string()));
    folder.fd_ = std::move(next);
  }
  return folder;
}

bool OpenFolder::is_in_place() const {
  const auto now = open(path_);
  struct stat here {};
  struct stat there {};
  return now && now->is_whole() && is_whole() && ::fstat(fd_.get(), &here) == 0 &&
         ::fstat(now->fd_.get(), &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

}  // namespace parley::setup
