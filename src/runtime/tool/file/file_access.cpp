// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/file_access.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

constexpr std::size_t kChunkBytes = 256U << 10U;
constexpr std::size_t kEntriesBetweenLooks = 512;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

core::Error cancelled() { return {Code::cancelled, "The call was cancelled.", ""}; }

mode_t type_of(int folder, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return S_IFREG;
    case DT_DIR:
      return S_IFDIR;
    case DT_LNK:
      return S_IFLNK;
    case DT_UNKNOWN:
      break;
    default:
      return S_IFCHR;
  }
  struct stat status = {};
  if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return status.st_mode & S_IFMT;
}

}  // namespace

FileStamp stamp_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

bool same_file(const FileStamp& one, const FileStamp& other) {
  return one.device == other.device && one.inode == other.inode && one.size == other.size &&
         one.written.tv_sec == other.written.tv_sec && one.written.tv_nsec == other.written.tv_nsec;
}

Result<core::FileDescriptor> open_to_read(const Place& place) {
  if (Result<void> file = require_file(place); !file) return fail(file.error());
  core::FileDescriptor fd(::openat(place.folder.get(), place.name.c_str(),
                                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd) return fail(system_error(errno, place.path));
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail(system_error(errno, place.path));
  if (!S_ISREG(status.st_mode)) return fail(system_error(ELOOP, place.path));
  return fd;
}

Result<core::FileDescriptor> open_to_list(const Place& place) {
  if (Result<void> folder = require_folder(place); !folder) return fail(folder.error());
  core::FileDescriptor fd(::openat(place.folder.get(), place.name.c_str(),
                                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return fail(system_error(errno, place.path));
  return fd;
}

Result<std::size_t> read_some(int fd, char* out, std::size_t size, std::string_view path) {
  while (true) {
    const ssize_t got = ::read(fd, out, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail(system_error(errno, path));
  }
}

Result<void> write_all(int fd, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), std::min(bytes.size(), kChunkBytes));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return fail(system_error(put == 0 ? ENOSPC : errno, path));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<FileBytes> read_whole(const Place& place, std::size_t limit, const StopFlag& stop) {
  const auto too_large = [&place, limit] {
    return fail(Code::resource_exhausted,
                "The file is larger than " + std::to_string(limit) + " bytes: " + place.path,
                "path");
  };
  Result<core::FileDescriptor> fd = open_to_read(place);
  if (!fd) return fail(fd.error());
  struct stat status = {};
  if (::fstat(fd->get(), &status) != 0) return fail(system_error(errno, place.path));
  if (static_cast<std::size_t>(status.st_size) > limit) return too_large();
  FileBytes out;
  out.stamp = stamp_of(status);
  std::size_t filled = 0;
  while (true) {
    if (stop.stopped()) return fail(cancelled());
    out.bytes.resize(filled + kChunkBytes);
    const Result<std::size_t> got =
        read_some(fd->get(), out.bytes.data() + filled, kChunkBytes, place.path);
    if (!got) return fail(got.error());
    filled += *got;
    if (filled > limit) return too_large();
    if (*got == 0) break;
  }
  out.bytes.resize(filled);
  return out;
}

Result<std::vector<FolderEntry>> list_folder(int fd, std::string_view path, const StopFlag& stop) {
  core::FileDescriptor own(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own) return fail(system_error(errno, path));
  const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(own.get()));
  if (!folder) return fail(system_error(errno, path));
  own.release();
  std::vector<FolderEntry> entries;
  while (true) {
    if (entries.size() % kEntriesBetweenLooks == 0 && stop.stopped()) return fail(cancelled());
    errno = 0;
    // readdir() is safe: each DIR is used by one thread only.
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr && errno != 0) return fail(system_error(errno, path));
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entries.size() == kMaxFolderEntries) {
      return fail(Code::resource_exhausted,
                  "The folder has more than " + std::to_string(kMaxFolderEntries) +
                      " entries: " + std::string(path),
                  "path");
    }
    entries.push_back({std::string(name), type_of(fd, *entry)});
  }
  std::sort(entries.begin(), entries.end(),
            [](const FolderEntry& one, const FolderEntry& other) { return one.name < other.name; });
  return entries;
}

}  // namespace parley::tool
