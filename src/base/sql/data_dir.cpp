// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/data_dir.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/core/private_files.h"

namespace parley::sql {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthers = 0077;

// Names of files and folders that Parley puts into a data directory; a folder with all its content.
constexpr std::array<std::string_view, 13> kNames = {
    "lock",       "token",       "endpoint.json", "phone-token",   "mcp.key",
    "mcp.json",   "vapid.pem",   "authority.pem", "authority.key", "server.pem",
    "server.key", "tailnet.pem", "tailnet.key"};
constexpr std::array<std::string_view, 5> kEndings = {".db", ".db-wal", ".db-shm", ".db-journal",
                                                      ".before"};
constexpr std::array<std::string_view, 4> kFolders = {"files", "logs", "todo", "tool-output"};

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

// True if the folder may be made private: it holds one of Parley's stores, or no file of another
// program.
bool is_data_dir(const std::string& path) {
  std::error_code error;
  if (fs::exists(path + "/events.db", error) || fs::exists(path + "/tokens.db", error)) return true;
  bool all = true;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    all = all && (is_parleys(it->path()) || is_parleys_folder(it->path()));
  }
  return all && !error;
}

// Symbolic links are skipped.
void note_if_open(const fs::path& path, std::vector<std::string>& open) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || S_ISLNK(info.st_mode)) return;
  if ((info.st_mode & kOthers) != 0) open.push_back(path.string());
}

// Makes an existing data directory private, if others may enter it, and logs that. A directory that
// holds files of another program is not changed.
core::Result<void> mend_data_dir(const std::string& data_dir) {
  struct stat info {};
  if (::stat(data_dir.c_str(), &info) != 0 || (info.st_mode & kOthers) == 0) return {};
  if (!is_data_dir(data_dir)) {
    return core::fail(core::Code::permission_denied,
                      "The folder " + data_dir +
                          " can be read by other users, and holds files that are not Parley's. "
                          "Name an empty folder, or make this one private: chmod 700 " +
                          data_dir);
  }
  if (::chmod(data_dir.c_str(), core::kPrivateFolderMode) != 0) {
    return core::fail(core::Code::permission_denied,
                      "The data directory " + data_dir +
                          " can be read by other users, and belongs to another user. Its owner "
                          "must run chmod 700 " +
                          data_dir);
  }
  spdlog::warn("The data directory {} could be read by others; it has mode 700 now.", data_dir);
  return {};
}

}  // namespace

core::Result<void> make_data_dir(const std::string& data_dir) {
  constexpr mode_t kAbove = 0777;  // reduced by the umask
  core::Result<void> created = core::make_private_folder(data_dir, kAbove);
  return created ? mend_data_dir(data_dir) : created;
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
    if (::chmod(path.c_str(), info.st_mode & core::kPrivateFolderMode) == 0) ++count;
  }
  if (count > 0) {
    spdlog::warn("{} files of the data directory {} could be read by others; they no longer can.",
                 count, data_dir);
  }
  return count;
}

}  // namespace parley::sql
