// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/private_files.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/durable_file.h"

namespace parley::event {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthers = 0077;

// Files and folders that Parley puts into a data directory; folders with all that is in them.
constexpr std::array<std::string_view, 4> kNames = {"lock", "token", "endpoint.json", "mcp.json"};
constexpr std::array<std::string_view, 4> kEndings = {".db", ".db-wal", ".db-shm", ".db-journal"};
constexpr std::array<std::string_view, 4> kFolders = {"files", "logs", "todo", "tool-output"};

core::Result<void> make_folder(const fs::path& path, mode_t mode, mode_t above_mode) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return {};
  core::Result<void> above = make_folder(path.parent_path(), above_mode, above_mode);
  if (!above) return above;
  if (::mkdir(path.c_str(), mode) == 0) return sync_folder(path.parent_path().string());
  const int number = errno;
  if (fs::is_directory(path, error)) return {};
  return core::fail(system_error(number, "Cannot make the folder " + path.string()));
}

bool is_parleys(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto ends = [&name](std::string_view ending) { return name.ends_with(ending); };
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kEndings.begin(), kEndings.end(), ends);
}

bool is_parleys_folder(const fs::path& path) {
  const std::string name = path.filename().string();
  return std::find(kFolders.begin(), kFolders.end(), name) != kFolders.end();
}

// True if the folder may be closed to others: a store of Parley's is in it, or nothing that is not
// Parley's.
bool is_data_dir(const std::string& path) {
  std::error_code error;
  if (fs::exists(path + "/events.db", error) || fs::exists(path + "/tokens.db", error)) return true;
  bool all = true;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    all = all && (is_parleys(it->path()) || is_parleys_folder(it->path()));
  }
  return all && !error;
}

// Links are left as they are.
void note_if_open(const fs::path& path, std::vector<std::string>& open) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || S_ISLNK(info.st_mode)) return;
  if ((info.st_mode & kOthers) != 0) open.push_back(path.string());
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

core::Error system_error(int number, const std::string& what) {
  core::Code code = core::Code::internal;
  if (number == EACCES || number == EPERM || number == EROFS) code = core::Code::permission_denied;
  if (number == ENOTDIR || number == EEXIST) code = core::Code::failed_precondition;
  if (number == ENOSPC || number == EDQUOT) code = core::Code::resource_exhausted;
  return {code, what + ": " + std::generic_category().message(number) + ".", ""};
}

core::Result<void> sync_folder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int number = errno;
  if (fd >= 0) ::close(fd);
  // A folder may be writable and not readable, and some file systems cannot sync one.
  if (synced || number == EACCES || number == EINVAL) return {};
  return core::fail(system_error(number, "Cannot sync the folder " + path));
}

core::Result<void> make_private_folder(const std::string& path, mode_t above) {
  const fs::path given(path);
  return make_folder(given.has_filename() ? given : given.parent_path(), kPrivateFolderMode, above);
}

core::Result<void> make_private_file(const std::string& path) {
  // An existing file is not opened: closing it would drop the locks that SQLite holds on it in this
  // process (POSIX record locks belong to the process and the file).
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kPrivateFileMode);
  } while (fd < 0 && errno == EINTR);
  if (fd >= 0) {
    ::close(fd);
    return sync_folder(fs::path(path).parent_path().string());
  }
  if (errno == EEXIST) return {};
  return core::fail(system_error(errno, "Cannot make " + path));
}

core::Result<void> write_private_file(const std::string& path, std::string_view bytes) {
  const std::string draft = path + ".new";
  ::unlink(draft.c_str());
  const int fd =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kPrivateFileMode);
  if (fd < 0) return core::fail(system_error(errno, "Cannot make " + path));
  const bool written = write_all(fd, bytes) && ::fsync(fd) == 0;
  int number = errno;
  ::close(fd);
  if (written && core::rename_durably(draft, path)) return {};
  if (written) number = errno;
  ::unlink(draft.c_str());
  return core::fail(system_error(number, "Cannot write " + path));
}

core::Result<void> mend_data_dir(const std::string& data_dir) {
  struct stat info {};
  if (::stat(data_dir.c_str(), &info) != 0 || (info.st_mode & kOthers) == 0) return {};
  if (!is_data_dir(data_dir)) {
    return core::fail(
        core::Code::permission_denied,
        "The folder " + data_dir +
            " can be read by others, and what is in it is not Parley's. Name an empty "
            "folder, or close this one: chmod 700 " +
            data_dir);
  }
  if (::chmod(data_dir.c_str(), kPrivateFolderMode) != 0) {
    return core::fail(
        core::Code::permission_denied,
        "The data directory " + data_dir +
            " can be read by others, and belongs to another user. Its owner closes it "
            "with chmod 700 " +
            data_dir);
  }
  spdlog::warn("The data directory {} could be read by others; it has mode 700 now.", data_dir);
  return {};
}

std::vector<std::string> files_open_to_others(const std::string& data_dir) {
  std::vector<std::string> open;
  std::error_code error;
  for (fs::directory_iterator it(data_dir, error), end; !error && it != end; it.increment(error)) {
    const bool folder = is_parleys_folder(it->path());
    if (!folder && !is_parleys(it->path())) continue;
    note_if_open(it->path(), open);
    if (!folder) continue;
    std::error_code inside;
    for (fs::recursive_directory_iterator in(it->path(), inside), last; !inside && in != last;
         in.increment(inside)) {
      note_if_open(in->path(), open);
    }
  }
  return open;
}

std::size_t mend_private_files(const std::string& data_dir) {
  std::size_t count = 0;
  for (const std::string& path : files_open_to_others(data_dir)) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || S_ISLNK(info.st_mode)) continue;
    if (::chmod(path.c_str(), info.st_mode & kPrivateFolderMode) == 0) ++count;
  }
  if (count > 0) {
    spdlog::warn("{} files of the data directory {} could be read by others; they no longer can.",
                 count, data_dir);
  }
  return count;
}

}  // namespace parley::event
