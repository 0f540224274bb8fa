// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/core/durable_file.h"
#include "base/core/entropy.h"
#include "base/core/file_descriptor.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kModeBits = 07777;
constexpr mode_t kSharedFolderMode = 0755;
constexpr std::size_t kPieceBytes = 64U << 10U;

tl::unexpected<core::Error> refuse(const fs::path& path, const std::string& why) {
  return core::fail(core::Code::failed_precondition, path.string() + ": " + why);
}

// A failure, not a refusal.
core::Error as_failure(core::Error error) {
  if (error.code == core::Code::failed_precondition || error.code == core::Code::internal) {
    error.code = core::Code::unknown;
  }
  return error;
}

tl::unexpected<core::Error> file_failure(int number, const std::string& what) {
  return core::fail(as_failure(core::system_error(number, what)));
}

void take_status(ConfigFile& file, const struct stat& status) {
  file.mode = status.st_mode & kModeBits;
  file.device = status.st_dev;
  file.inode = status.st_ino;
  file.size = status.st_size;
#ifdef __APPLE__
  file.changed = status.st_mtimespec;
#else
  file.changed = status.st_mtim;
#endif
}

bool is_same(const ConfigFile& a, const ConfigFile& b) {
  return a.device == b.device && a.inode == b.inode && a.size == b.size &&
         a.changed.tv_sec == b.changed.tv_sec && a.changed.tv_nsec == b.changed.tv_nsec;
}

std::string name_of(const ConfigFile& file) { return file.target.filename().string(); }

// True if the file is as it was read, in `folder`, to which its path still leads.
bool is_unchanged(const ConfigFile& seen, const OpenFolder& folder) {
  if (!folder.is_in_place()) return false;
  struct stat status {};
  if (::fstatat(folder.fd(), name_of(seen).c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT && !seen.exists;
  }
  ConfigFile now;
  take_status(now, status);
  return seen.exists && S_ISREG(status.st_mode) && is_same(seen, now);
}

// The path behind all symbolic links; the file itself may be absent, and its folders as well.
core::Result<fs::path> target_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status own = fs::symlink_status(path, error);
  fs::path target = fs::weakly_canonical(path, error);
  if (error) return file_failure(error.value(), "Cannot find " + path.string());
  if (own.type() == fs::file_type::symlink && !fs::exists(path, error)) {
    return refuse(path, "the symbolic link leads nowhere");
  }
  return target;
}

core::Result<void> read_all(int fd, ConfigFile& file) {
  std::string piece(kPieceBytes, '\0');
  for (;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failure(errno, "Cannot read " + file.path.string());
    if (got == 0) return {};
    file.text.append(piece, 0, static_cast<std::size_t>(got));
    if (file.text.size() > kMaxConfigBytes) {
      return core::fail(core::Code::resource_exhausted, file.path.string() + " is above 16 MiB");
    }
  }
}

bool write_text(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(fd) == 0;
}

// The folder of the file, made if it is missing.
core::Result<OpenFolder> folder_for(const ConfigFile& seen, mode_t fresh_mode,
                                    std::vector<fs::path>& created) {
  const mode_t mode = (fresh_mode & 077U) == 0 ? core::kPrivateFolderMode : kSharedFolderMode;
  auto folder = seen.folder.with_missing(mode, created);
  if (!folder) return core::fail(as_failure(folder.error()));
  return folder;
}

// Removes an empty folder, unless a symbolic link is on its path.
bool remove_folder(const fs::path& path) {
  const auto above = OpenFolder::open(path.parent_path());
  return above && above->is_whole() &&
         ::unlinkat(above->fd(), path.filename().c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace

bool is_inside(const fs::path& path, const fs::path& folder) {
  const auto [at, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end() || (at->empty() && std::next(at) == folder.end());
}

core::Result<ConfigFile> read_config_file(const fs::path& path, const fs::path& project) {
  ConfigFile file;
  file.path = path;
  PARLEY_TRY(file.target, target_of(path));
  if (!project.empty()) {
    std::error_code error;
    const fs::path folder = fs::canonical(project, error);
    if (error) return file_failure(error.value(), "Cannot find " + project.string());
    if (!is_inside(file.target, folder)) {
      return refuse(path, "a symbolic link leads out of the project");
    }
  }
  auto folder = OpenFolder::open(file.target.parent_path());
  if (!folder) return core::fail(as_failure(folder.error()));
  file.folder = *std::move(folder);
  if (!file.folder.is_whole()) return file;
  const core::FileDescriptor fd(::openat(file.folder.fd(), name_of(file).c_str(),
                                         O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return file;
  if (!fd) return file_failure(errno, "Cannot read " + path.string());
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return file_failure(errno, "Cannot read " + path.string());
  }
  if (!S_ISREG(status.st_mode)) return refuse(path, "it is not a regular file");
  if (status.st_uid != ::geteuid()) return refuse(path, "the file belongs to another user");
  file.exists = true;
  take_status(file, status);
  PARLEY_TRY_VOID(read_all(fd.get(), file));
  return file;
}

core::Result<bool> replace_config_file(const ConfigFile& seen, std::string_view text,
                                       mode_t fresh_mode, std::vector<fs::path>& made_folders,
                                       const BeforeRename& before_rename) {
  PARLEY_TRY(const OpenFolder folder, folder_for(seen, fresh_mode, made_folders));
  const std::string draft = ".parley-setup-" + std::to_string(core::SystemEntropy().next_u64());
  core::FileDescriptor fd(::openat(folder.fd(), draft.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                   core::kPrivateFileMode));
  if (!fd) return file_failure(errno, "Cannot write into " + seen.target.parent_path().string());
  const mode_t mode = seen.exists ? seen.mode : fresh_mode;
  const bool written = ::fchmod(fd.get(), mode) == 0 && write_text(fd.get(), text);
  const int number = errno;
  fd.reset();
  if (written && before_rename) before_rename();
  const bool unchanged = written && is_unchanged(seen, folder);
  if (unchanged && core::rename_durably(folder.fd(), draft, name_of(seen))) return true;
  const int rename_number = errno;
  ::unlinkat(folder.fd(), draft.c_str(), 0);
  if (written && !unchanged) return false;
  return file_failure(written ? rename_number : number, "Cannot write " + seen.path.string());
}

core::Result<bool> remove_config_file(const ConfigFile& seen,
                                      const std::vector<fs::path>& folders) {
  if (!is_unchanged(seen, seen.folder)) return false;
  if (::unlinkat(seen.folder.fd(), name_of(seen).c_str(), 0) != 0) {
    return file_failure(errno, "Cannot remove " + seen.path.string());
  }
  core::sync_folder(seen.folder.fd());
  for (std::size_t left = folders.size(); left > 0; --left) {
    if (!remove_folder(folders[left - 1])) break;
  }
  return true;
}

}  // namespace parley::setup
