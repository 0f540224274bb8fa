// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/workspace.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/utf8_repair.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

constexpr std::size_t kMaxNameBytes = 255;
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

void split(std::string_view path, std::deque<std::string>& out) {
  std::deque<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  out.insert(out.begin(), parts.begin(), parts.end());
}

core::Error outside(std::string_view path) {
  return {Code::permission_denied, "path is outside working folder: " + core::repaired_utf8(path),
          "path"};
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += "/";
    out += name;
  }
  return out.empty() ? "." : out;
}

// True if `path` is `root` or below it; `rest` is then the remaining path.
bool below(std::string_view path, std::string_view root, std::string_view& rest) {
  if (!path.starts_with(root)) return false;
  rest = path.substr(root.size());
  return root == "/" || rest.empty() || rest.front() == '/';
}

}  // namespace

core::Error system_error(int number, std::string_view path) {
  const std::string where = ": " + core::repaired_utf8(path);
  switch (number) {
    case ENOENT:
      return {Code::not_found, "There is no such file or folder" + where, "path"};
    case EACCES:
    case EPERM:
      return {Code::permission_denied, "The system does not permit this" + where, "path"};
    case EROFS:
      return {Code::permission_denied, "The disk is read-only" + where, "path"};
    case EEXIST:
      return {Code::already_exists, "It already exists" + where, "path"};
    case ENOTEMPTY:
      return {Code::failed_precondition, "The folder is not empty" + where, "path"};
    case ENOTDIR:
    case ELOOP:
      return {Code::unavailable, "It changed while it was being opened; try again" + where, "path"};
    case ENAMETOOLONG:
      return {Code::invalid_argument, "The path is too long" + where, "path"};
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return {Code::resource_exhausted, "The disk is full, or the file too large for it" + where,
              "path"};
    case EMFILE:
    case ENFILE:
      return {Code::resource_exhausted, "Too many files are open; try again later" + where, "path"};
    default:
      break;
  }
  return {Code::internal,
          "The system reported \"" + std::generic_category().message(number) + "\"" + where,
          "path"};
}

Result<void> require_file(const Place& place) {
  const std::string where = ": " + core::repaired_utf8(place.path);
  if (!place.exists) return fail(system_error(ENOENT, place.path));
  if (S_ISREG(place.status.st_mode)) return {};
  if (S_ISDIR(place.status.st_mode)) {
    return fail(Code::invalid_argument, "This is a folder, not a file" + where, "path");
  }
  return fail(Code::invalid_argument,
              "This is not a regular file (a device, a pipe or a socket)" + where, "path");
}

Result<void> require_folder(const Place& place) {
  if (!place.exists) return fail(system_error(ENOENT, place.path));
  if (S_ISDIR(place.status.st_mode)) return {};
  return fail(Code::invalid_argument, "This is not a folder: " + core::repaired_utf8(place.path),
              "path");
}

// Resolution of one path from the working folder to its place.
class Workspace::Walk {
 public:
  Walk(const Workspace& workspace, std::string_view path, LastLink last)
      : workspace_(workspace), asked_(path), last_(last) {}

  Result<Place> run(std::string_view rest) {
    split(rest, todo_);
    while (!todo_.empty()) {
      std::string name = std::move(todo_.front());
      todo_.pop_front();
      if (Result<void> went = step(std::move(name)); !went) return fail(went.error());
    }
    return arrive();
  }

 private:
  int here() const { return folders_.empty() ? workspace_.folder_.get() : folders_.back().get(); }

  core::Error failed(int number) const { return system_error(number, asked_); }

  Result<void> step(std::string name) {
    if (name == "..") return step_up();
    if (name.size() > kMaxNameBytes) return fail(failed(ENAMETOOLONG));
    if (!missing_.empty()) {
      missing_.push_back(std::move(name));
      return {};
    }
    struct stat status = {};
    if (::fstatat(here(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) return fail(failed(errno));
      missing_.push_back(std::move(name));
      return {};
    }
    if (S_ISLNK(status.st_mode) && !(todo_.empty() && last_ == LastLink::keep)) return link(name);
    if (S_ISDIR(status.st_mode)) return enter(std::move(name));
    if (!todo_.empty()) {
      return fail(Code::invalid_argument,
                  "A file has the name of a folder on this path: " + core::repaired_utf8(asked_),
                  "path");
    }
    leaf_ = std::move(name);
    leaf_status_ = status;
    return {};
  }

  Result<void> step_up() {
    if (!missing_.empty()) {
      missing_.pop_back();
      return {};
    }
    if (folders_.empty()) return fail(outside(asked_));
    folders_.pop_back();
    names_.pop_back();
    return {};
  }

  Result<void> enter(std::string name) {
    core::FileDescriptor folder(::openat(here(), name.c_str(), kFolderFlags));
    if (!folder) return fail(failed(errno));
    if (workspace_.forbids(folder.get())) return fail(outside(asked_));
    folders_.push_back(std::move(folder));
    names_.push_back(std::move(name));
    return {};
  }

  Result<void> link(const std::string& name) {
    if (++links_ > kMaxLinks) {
      return fail(Code::invalid_argument,
                  "There are too many symlinks on this path: " + core::repaired_utf8(asked_),
                  "path");
    }
    std::array<char, kMaxPathBytes> target{};
    const ssize_t size = ::readlinkat(here(), name.c_str(), target.data(), target.size());
    if (size < 0) return fail(failed(errno == EINVAL ? ELOOP : errno));
    if (static_cast<std::size_t>(size) == target.size()) return fail(failed(ENAMETOOLONG));
    std::string_view to(target.data(), static_cast<std::size_t>(size));
    std::string rest;
    if (to.starts_with('/')) {
      Result<std::string> inside = workspace_.inside(to);
      if (!inside) return fail(outside(asked_));
      rest = std::move(*inside);
      to = rest;
      folders_.clear();
      names_.clear();
    }
    split(to, todo_);
    return {};
  }

  // Ends at the working folder itself, an entered folder, a file, or a place that does not exist
  // yet.
  Result<Place> arrive() {
    Place place;
    std::vector<std::string> names = names_;
    place.exists = missing_.empty();
    if (place.exists && leaf_.empty()) {
      if (::fstat(here(), &place.status) != 0) return fail(failed(errno));
      place.name = names_.empty() ? "." : names_.back();
      if (!folders_.empty()) folders_.pop_back();
    } else if (place.exists) {
      place.status = leaf_status_;
      place.name = leaf_;
      names.push_back(leaf_);
    } else {
      names.insert(names.end(), missing_.begin(), missing_.end());
      place.name = std::move(missing_.back());
      missing_.pop_back();
      place.missing = std::move(missing_);
    }
    place.path = joined(names);
    place.folder = core::FileDescriptor(::fcntl(here(), F_DUPFD_CLOEXEC, 0));
    if (!place.folder) return fail(failed(errno));
    return place;
  }

  const Workspace& workspace_;
  const std::string_view asked_;
  const LastLink last_;
  std::deque<std::string> todo_;
  std::vector<core::FileDescriptor> folders_;  // entered folders below the working folder
  std::vector<std::string> names_;             // their names
  std::vector<std::string> missing_;
  std::string leaf_;
  struct stat leaf_status_ = {};
  int links_ = 0;
};

Result<Workspace> Workspace::open(const std::string& folder, const std::string& excluded) {
  if (folder.empty() || core::has_nul(folder)) {
    return fail(Code::invalid_argument,
                "The path of the working folder is empty or has a NUL character.",
                "working_folder");
  }
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(folder, error);
  Workspace workspace;
  if (!error) {
    workspace.root_ = real.string();
    workspace.folder_ = core::FileDescriptor(::open(workspace.root_.c_str(), kFolderFlags));
    if (!workspace.folder_) error = std::error_code(errno, std::generic_category());
  }
  if (error) {
    core::Error why = system_error(error.value(), folder);
    why.field = "working_folder";
    if (error.value() == ENOTDIR) {
      why = {Code::invalid_argument, "This is not a folder: " + folder, "working_folder"};
    }
    return fail(std::move(why));
  }
  if (Result<void> excluded_ok = workspace.exclude(excluded); !excluded_ok)
    return fail(excluded_ok.error());
  return workspace;
}

Result<void> Workspace::exclude(const std::string& excluded) {
  std::error_code error;
  const std::string own = excluded.empty()
                              ? std::string()
                              : std::filesystem::weakly_canonical(excluded, error).string();
  struct stat status = {};
  if (!own.empty() && ::stat(own.c_str(), &status) == 0) {
    own_data_ = Identity{status.st_dev, status.st_ino};
  }
  std::string_view rest;
  if (!own.empty() && below(own, root_, rest) && !rest.empty()) {
    excluded_ = rest.substr(rest.front() == '/' ? 1 : 0);
  }
  return check_above();
}

// Checks the folder and each one above it, by their mounts instead of their names.
Result<void> Workspace::check_above() const {
  core::FileDescriptor folder(::fcntl(folder_.get(), F_DUPFD_CLOEXEC, 0));
  Identity last;
  for (std::size_t depth = 0; folder && depth < kMaxPathBytes; ++depth) {
    if (forbids(folder.get())) {
      return fail(Code::permission_denied,
                  "Agents may not work in this folder: it is part of the server's data directory, "
                  "or of /proc: " +
                      core::repaired_utf8(root_),
                  "working_folder");
    }
    struct stat status = {};
    if (::fstat(folder.get(), &status) != 0) break;
    if (status.st_dev == last.device && status.st_ino == last.inode) break;
    last = {status.st_dev, status.st_ino};
    folder = core::FileDescriptor(::openat(folder.get(), "..", kFolderFlags));
  }
  return {};
}

bool Workspace::forbids(int folder) const {
  struct statfs system = {};
  if (::fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC) return true;
  struct stat status = {};
  return own_data_ && ::fstat(folder, &status) == 0 && status.st_dev == own_data_->device &&
         status.st_ino == own_data_->inode;
}

bool Workspace::excludes(std::string_view path) const {
  std::string_view rest;
  return !excluded_.empty() && below(path, excluded_, rest);
}

bool Workspace::holds(std::string_view path) const {
  std::string_view rest;
  return below(path, root_, rest);
}

bool Workspace::surrounds_excluded(std::string_view path) const {
  std::string_view rest;
  return !excluded_.empty() && (path == "." || below(excluded_, path, rest));
}

// The part of an absolute path below the folder. A path that takes another way (through a symlink
// above the folder) is resolved first; the result is walked like any other path, so a change in
// between has no effect.
Result<std::string> Workspace::inside(std::string_view absolute) const {
  std::string_view rest;
  if (below(absolute, root_, rest)) return std::string(rest);
  std::error_code error;
  const std::string real =
      std::filesystem::weakly_canonical(std::filesystem::path(absolute), error).string();
  if (error || !below(real, root_, rest)) return fail(outside(absolute));
  return std::string(rest);
}

Result<Place> Workspace::locate(std::string_view path, LastLink last) const {
  if (path.empty()) return fail(Code::invalid_argument, "The path is empty.", "path");
  if (core::has_nul(path)) {
    return fail(Code::invalid_argument, "A path cannot have a NUL character.", "path");
  }
  if (path.size() >= kMaxPathBytes) return fail(system_error(ENAMETOOLONG, path.substr(0, 80)));
  std::string rest(path);
  if (path.starts_with('/')) {
    Result<std::string> inside_path = inside(path);
    if (!inside_path) return fail(inside_path.error());
    rest = std::move(*inside_path);
  }
  Result<Place> place = Walk(*this, path, last).run(rest);
  if (place && excludes(place->path)) return fail(outside(path));
  return place;
}

}  // namespace parley::tool
