// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/file_changes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include "base/core/durable_file.h"
#include "base/core/id.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

constexpr mode_t kModeBits = 07777;
constexpr mode_t kModeWithoutRights = 0777;  // if the owner could not be kept: no set-user-id
constexpr std::size_t kNameBytes = 8;
constexpr std::string_view kNameBegin = ".parley-";
constexpr std::string_view kNameEnd = ".tmp";

core::FileDescriptor duplicate(const core::FileDescriptor& fd) {
  return core::FileDescriptor(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
}

// Copies mode and owner of the old file to the new one.
void take_over(int fd, const struct stat& old) {
  struct stat now = {};
  mode_t mode = old.st_mode & kModeBits;
  if (::fstat(fd, &now) == 0 && (now.st_uid != old.st_uid || now.st_gid != old.st_gid) &&
      ::fchown(fd, old.st_uid, old.st_gid) != 0) {
    mode &= kModeWithoutRights;
  }
  ::fchmod(fd, mode);
}

}  // namespace

bool is_temporary_name(std::string_view name) {
  return name.starts_with(kNameBegin) && name.ends_with(kNameEnd);
}

FileChanges::~FileChanges() {
  for (std::size_t i = changes_.size(); i > 0; --i) take_back(changes_[i - 1]);
  if (committed_) return;
  for (std::size_t i = made_.size(); i > 0; --i) {
    ::unlinkat(made_[i - 1].parent.get(), made_[i - 1].name.c_str(), AT_REMOVEDIR);
  }
}

std::string FileChanges::temporary_name() {
  return std::string(kNameBegin) + core::random_hex(entropy_, kNameBytes) + std::string(kNameEnd);
}

Result<core::FileDescriptor> FileChanges::make_missing(const Place& place) {
  constexpr mode_t kFolderMode = 0777;
  core::FileDescriptor folder = duplicate(place.folder);
  if (!folder) return fail(system_error(errno, place.path));
  for (const std::string& name : place.missing) {
    if (::mkdirat(folder.get(), name.c_str(), kFolderMode) == 0) {
      made_.push_back({duplicate(folder), name});
    } else if (errno != EEXIST) {
      return fail(system_error(errno, place.path));
    }
    core::FileDescriptor next(
        ::openat(folder.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return fail(system_error(errno, place.path));
    folder = std::move(next);
  }
  return folder;
}

Result<void> FileChanges::put(const Place& place, std::string_view content,
                              const PutOptions& options) {
  if (place.exists) {
    if (Result<void> file = require_file(place); !file) return file;
    if (::faccessat(place.folder.get(), place.name.c_str(), W_OK, AT_EACCESS) != 0) {
      return fail(system_error(errno, place.path));
    }
  }
  Result<core::FileDescriptor> folder = make_missing(place);
  if (!folder) return fail(folder.error());
  Change change;
  change.kind = place.exists ? Kind::replace : Kind::add;
  change.folder = std::move(*folder);
  change.name = place.name;
  change.path = place.path;
  change.temporary = temporary_name();
  change.read = options.read;
  change.fresh = options.fresh;
  constexpr mode_t kFileMode = 0666;
  const core::FileDescriptor fd(::openat(change.folder.get(), change.temporary.c_str(),
                                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                         kFileMode));
  if (!fd) return fail(system_error(errno, place.path));
  changes_.push_back(std::move(change));
  if (place.exists) take_over(fd.get(), place.status);
  if (!place.exists && options.mode) ::fchmod(fd.get(), *options.mode & kModeWithoutRights);
  if (Result<void> written = write_all(fd.get(), content, place.path); !written) return written;
  if (::fdatasync(fd.get()) != 0) return fail(system_error(errno, place.path));
  return {};
}

Result<void> FileChanges::remove(const Place& place, std::optional<FileStamp> read) {
  Change change;
  change.kind = Kind::remove;
  change.folder = duplicate(place.folder);
  if (!change.folder) return fail(system_error(errno, place.path));
  change.name = place.name;
  change.path = place.path;
  change.temporary = temporary_name();
  change.read = read;
  changes_.push_back(std::move(change));
  return {};
}

Result<void> FileChanges::check_unchanged(const Change& change) const {
  struct stat now = {};
  const bool exists =
      ::fstatat(change.folder.get(), change.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
  if (change.fresh && exists) return fail(system_error(EEXIST, change.path));
  const bool fits = change.kind == Kind::remove || !exists || S_ISREG(now.st_mode);
  if (fits && !change.read) return {};
  if (fits && exists && same_file(stamp_of(now), *change.read)) return {};
  return fail(
      Code::aborted,
      "The file was changed by somebody else in the meantime; read it again: " + change.path,
      "path");
}

Result<void> FileChanges::apply_put(Change& change) const {
  const int folder = change.folder.get();
  const char* from = change.temporary.c_str();
  const char* to = change.name.c_str();
  // A single change needs no rollback, so the old file need not be kept.
  if (change.kind == Kind::replace && changes_.size() > 1) {
    if (::renameat2(folder, from, folder, to, RENAME_EXCHANGE) == 0) {
      change.phase = Phase::exchanged;
      return {};
    }
    // The file system cannot exchange: this change cannot be rolled back.
    if (errno != EINVAL && errno != ENOSYS && errno != ENOENT) {
      return fail(system_error(errno, change.path));
    }
  }
  const unsigned flags = change.fresh ? RENAME_NOREPLACE : 0U;
  int code = ::renameat2(folder, from, folder, to, flags);
  if (code != 0 && (errno == EINVAL || errno == ENOSYS)) {
    code = ::renameat(folder, from, folder, to);
  }
  if (code != 0) return fail(system_error(errno, change.path));
  change.phase = change.kind == Kind::add ? Phase::placed : Phase::finished;
  return {};
}

Result<void> FileChanges::apply(Change& change) {
  if (Result<void> same = check_unchanged(change); !same) return same;
  if (change.kind != Kind::remove) return apply_put(change);
  const int folder = change.folder.get();
  if (::renameat(folder, change.name.c_str(), folder, change.temporary.c_str()) != 0) {
    return fail(system_error(errno, change.path));
  }
  change.phase = Phase::exchanged;
  return {};
}

Result<void> FileChanges::commit() {
  for (Change& change : changes_) {
    Result<void> applied = apply(change);
    if (applied) continue;
    for (std::size_t i = changes_.size(); i > 0; --i) take_back(changes_[i - 1]);
    return applied;
  }
  for (Change& change : changes_) {
    if (change.phase == Phase::exchanged) {
      ::unlinkat(change.folder.get(), change.temporary.c_str(), 0);
    }
    change.phase = Phase::finished;
  }
  committed_ = true;
  sync_folders();
  return {};
}

// All changes are made and visible by now: a folder that cannot be synced is no failure.
void FileChanges::sync_folders() const {
  std::set<std::pair<dev_t, ino_t>> done;
  const auto sync = [&done](const core::FileDescriptor& folder) {
    struct stat status = {};
    if (::fstat(folder.get(), &status) != 0) return;
    if (done.emplace(status.st_dev, status.st_ino).second) core::sync_folder(folder.get());
  };
  for (const Change& change : changes_) sync(change.folder);
  for (const MadeFolder& created : made_) sync(created.parent);
}

void FileChanges::take_back(Change& change) {
  const int folder = change.folder.get();
  const char* name = change.name.c_str();
  const char* temporary = change.temporary.c_str();
  const Phase phase = std::exchange(change.phase, Phase::finished);
  if (phase == Phase::exchanged) ::renameat(folder, temporary, folder, name);
  if (phase == Phase::placed) ::unlinkat(folder, name, 0);
  if (phase == Phase::prepared && change.kind != Kind::remove) ::unlinkat(folder, temporary, 0);
}

}  // namespace parley::tool
