// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/private_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/core/durable_file.h"

namespace parley::core {
namespace {

namespace fs = std::filesystem;

// Syncs the name of a new entry, so that it survives a loss of power. A folder that is writable but
// not readable is not synced.
Result<void> sync_name(const fs::path& path) {
  if (sync_folder_of(path.string()) || errno == EACCES) return {};
  return fail(system_error(errno, "Cannot sync the folder " + path.parent_path().string()));
}

Result<void> make_folder(const fs::path& path, mode_t mode, mode_t above_mode) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return {};
  Result<void> above = make_folder(path.parent_path(), above_mode, above_mode);
  if (!above) return above;
  if (::mkdir(path.c_str(), mode) == 0) return sync_name(path);
  const int number = errno;
  if (fs::is_directory(path, error)) return {};
  return fail(system_error(number, "Cannot create the folder " + path.string()));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Error system_error(int number, const std::string& what) {
  Code code = Code::internal;
  if (number == EACCES || number == EPERM || number == EROFS) code = Code::permission_denied;
  if (number == ENOTDIR || number == EEXIST) code = Code::failed_precondition;
  if (number == ENOSPC || number == EDQUOT) code = Code::resource_exhausted;
  return {code, what + ": " + std::generic_category().message(number) + ".", ""};
}

Result<void> make_private_folder(const std::string& path, mode_t above) {
  const fs::path given(path);
  return make_folder(given.has_filename() ? given : given.parent_path(), kPrivateFolderMode, above);
}

Result<void> make_private_file(const std::string& path) {
  // An existing file is not opened: closing it would drop the locks that SQLite holds on it in this
  // process (POSIX record locks belong to the process and the file).
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kPrivateFileMode);
  } while (fd < 0 && errno == EINTR);
  if (fd >= 0) {
    ::close(fd);
    return sync_name(path);
  }
  if (errno == EEXIST) return {};
  return fail(system_error(errno, "Cannot create " + path));
}

FileDescriptor open_private_draft(const std::string& path) {
  ::unlink(path.c_str());
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                kPrivateFileMode);
  } while (fd < 0 && errno == EINTR);
  return FileDescriptor(fd);
}

Result<void> write_private_file(const std::string& path, std::string_view bytes) {
  const std::string draft = path + ".new";
  FileDescriptor file = open_private_draft(draft);
  if (!file) return fail(system_error(errno, "Cannot create " + path));
  const bool written = write_all(file.get(), bytes) && ::fsync(file.get()) == 0;
  int number = errno;
  file.reset();
  if (written && rename_durably(draft, path)) return {};
  if (written) number = errno;
  ::unlink(draft.c_str());
  return fail(system_error(number, "Cannot write " + path));
}

}  // namespace parley::core
