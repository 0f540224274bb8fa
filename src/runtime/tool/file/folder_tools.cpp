// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/core/durable_file.h"
#include "base/core/result.h"
#include "base/core/utf8_repair.h"
#include "runtime/tool/arguments.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/file_tool.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

// Limit (Tools): entries of `ls`. Reached: the result says that there are more.
constexpr std::size_t kMaxListed = 100;
constexpr std::size_t kMaxDeleteDepth = 256;

std::string shown_entry(int folder, const FolderEntry& entry) {
  std::string out = core::repaired_utf8(entry.name);
  if (entry.type == S_IFDIR) return out + "/";
  if (entry.type != S_IFLNK) return out;
  std::array<char, 1024> target{};
  const ssize_t size = ::readlinkat(folder, entry.name.c_str(), target.data(), target.size());
  if (size <= 0) return out;
  return out + " -> " + core::repaired_utf8({target.data(), static_cast<std::size_t>(size)});
}

Result<std::string> list(FileCall& call) {
  PARLEY_TRY(const Workspace workspace, call.workspace());
  PARLEY_TRY(const Place place, workspace.locate(call.text("path", ".")));
  PARLEY_TRY(const core::FileDescriptor fd, open_to_list(place));
  PARLEY_TRY(const std::vector<FolderEntry> entries, list_folder(fd.get(), place.path, call.stop));
  if (entries.empty()) return "(The folder is empty.)";
  std::string out;
  std::size_t count = 0;
  for (const FolderEntry& entry : entries) {
    if (count++ == kMaxListed) break;
    out += shown_entry(fd.get(), entry) + "\n";
  }
  if (entries.size() > kMaxListed) {
    out += "(" + std::to_string(entries.size() - kMaxListed) + " more of " +
           std::to_string(entries.size()) + " entries; find them with glob.)\n";
  }
  return out;
}

// Creates the missing folders on the way to a place, and returns its parent folder.
Result<core::FileDescriptor> make_way(const Place& place) {
  constexpr mode_t kFolderMode = 0777;
  core::FileDescriptor folder(::fcntl(place.folder.get(), F_DUPFD_CLOEXEC, 0));
  for (const std::string& name : place.missing) {
    if (::mkdirat(folder.get(), name.c_str(), kFolderMode) != 0 && errno != EEXIST) {
      return fail(system_error(errno, place.path));
    }
    core::FileDescriptor next(
        ::openat(folder.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return fail(system_error(errno, place.path));
    folder = std::move(next);
  }
  if (!folder) return fail(system_error(errno, place.path));
  return folder;
}

Result<std::string> create_dir(FileCall& call) {
  PARLEY_TRY(const Workspace workspace, call.workspace());
  PARLEY_TRY(Place place, workspace.locate(call.text("path")));
  const std::string path = core::repaired_utf8(place.path);
  if (place.is_folder()) return "ok: the folder already exists: " + path;
  if (place.exists) {
    return fail(Code::already_exists, "A file with this name already exists: " + path, "path");
  }
  if (call.stop.stopped()) return fail(cancelled_error());
  place.missing.push_back(place.name);
  PARLEY_TRY_VOID(make_way(place));
  return "ok: made the folder " + path;
}

// Target of a move: an existing folder receives the source under the source's name.
Result<Place> destination(const Workspace& workspace, std::string_view path, const Place& source) {
  Result<Place> place = workspace.locate(path);
  if (!place || !place->is_folder() || place->path == source.path) return place;
  return workspace.locate(place->path + "/" + source.name);
}

core::Error move_error(int number, const Place& from, const Place& to) {
  switch (number) {
    case EXDEV:
      return {Code::failed_precondition,
              "Source and destination are on different disks: write the file at the destination "
              "and delete the source.",
              "destination"};
    case EINVAL:
      return {Code::invalid_argument, "A folder cannot be moved into itself: " + from.path,
              "destination"};
    case EEXIST:
      return {Code::already_exists,
              "The destination already exists: " + core::repaired_utf8(to.path) +
                  ". Set `overwrite` to replace it.",
              "destination"};
    default:
      return system_error(number, number == ENOENT ? from.path : to.path);
  }
}

Result<std::string> move_file(FileCall& call) {
  PARLEY_TRY(const Workspace workspace, call.workspace());
  PARLEY_TRY(const Place from, workspace.locate(call.text("source"), LastLink::keep));
  if (!from.exists) return fail(system_error(ENOENT, from.path));
  if (from.is_root() || workspace.surrounds_excluded(from.path)) {
    return fail(Code::invalid_argument, "This folder cannot be moved: " + from.path);
  }
  PARLEY_TRY(const Place to, destination(workspace, call.text("destination"), from));
  const PathLocks::Held held(
      call.services.locks, {workspace.root() + "/" + from.path, workspace.root() + "/" + to.path});
  if (call.stop.stopped()) return fail(cancelled_error());
  if (to.path == from.path) {
    return fail(Code::invalid_argument, "Source and destination are the same.");
  }
  PARLEY_TRY(const core::FileDescriptor folder, make_way(to));
  const bool overwrite = flag_argument(call.arguments, "overwrite");
  int code = ::renameat2(from.folder.get(), from.name.c_str(), folder.get(), to.name.c_str(),
                         overwrite ? 0U : RENAME_NOREPLACE);
  // Some file systems cannot guarantee that nothing is replaced: then the earlier check must do.
  if (code != 0 && (errno == ENOSYS || errno == EINVAL) && !overwrite && !to.exists &&
      !from.is_folder()) {
    code = ::renameat(from.folder.get(), from.name.c_str(), folder.get(), to.name.c_str());
  }
  if (code != 0) return fail(move_error(errno, from, to));
  core::sync_folder(folder.get());
  core::sync_folder(from.folder.get());
  return "ok: moved " + core::repaired_utf8(from.path) + " to " + core::repaired_utf8(to.path);
}

// Removes the content of a folder without following symlinks. Checks its flag between entries.
class Remover {
 public:
  Remover(const Workspace& workspace, const StopFlag& stop) : workspace_(workspace), stop_(stop) {}

  Result<void> empty(int parent, const std::string& name, const std::string& path,
                     std::size_t depth) {
    if (depth > kMaxDeleteDepth) {
      return fail(Code::resource_exhausted, "The folder is nested too deeply: " + path);
    }
    const core::FileDescriptor folder(
        ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return fail(system_error(errno, path));
    if (workspace_.forbids(folder.get())) return fail(system_error(EPERM, path));
    PARLEY_TRY(const std::vector<FolderEntry> entries, list_folder(folder.get(), path, stop_));
    for (const FolderEntry& entry : entries) {
      if (stop_.stopped()) return fail(cancelled_error());
      const std::string inside = path + "/" + entry.name;
      if (entry.type == S_IFDIR) {
        Result<void> emptied = empty(folder.get(), entry.name, inside, depth + 1);
        if (!emptied) return emptied;
      }
      if (::unlinkat(folder.get(), entry.name.c_str(), entry.type == S_IFDIR ? AT_REMOVEDIR : 0) !=
          0) {
        return fail(system_error(errno, inside));
      }
      ++count_;
    }
    return {};
  }

  std::size_t count() const { return count_; }

 private:
  const Workspace& workspace_;
  const StopFlag& stop_;
  std::size_t count_ = 0;
};

Result<std::string> delete_file(FileCall& call) {
  PARLEY_TRY(const Workspace workspace, call.workspace());
  PARLEY_TRY(const Place place, workspace.locate(call.text("path"), LastLink::keep));
  const std::string path = core::repaired_utf8(place.path);
  if (!place.exists) return fail(system_error(ENOENT, place.path));
  if (place.is_root() || workspace.surrounds_excluded(place.path)) {
    return fail(Code::invalid_argument, "This folder cannot be deleted: " + path);
  }
  const PathLocks::Held held(call.services.locks, {workspace.root() + "/" + place.path});
  if (call.stop.stopped()) return fail(cancelled_error());
  const int parent = place.folder.get();
  if (!place.is_folder()) {
    if (::unlinkat(parent, place.name.c_str(), 0) != 0) {
      return fail(system_error(errno, place.path));
    }
    return "ok: deleted " + path;
  }
  if (!flag_argument(call.arguments, "recursive")) {
    return fail(Code::failed_precondition,
                "This is a folder; set `recursive` to delete it with all that is in it: " + path,
                "path");
  }
  Remover remover(workspace, call.stop);
  Result<void> emptied = remover.empty(parent, place.name, place.path, 0);
  if (emptied && ::unlinkat(parent, place.name.c_str(), AT_REMOVEDIR) != 0) {
    emptied = fail(system_error(errno, place.path));
  }
  if (emptied) {
    return "ok: deleted " + path + " with " + std::to_string(remover.count()) + " entries in it";
  }
  return fail(emptied.error().code, emptied.error().message + " (" +
                                        std::to_string(remover.count()) +
                                        " entries were deleted before that.)");
}

constexpr FileToolForm kList = {
    "ls",
    "Lists a folder: names in order, folders with \"/\" at the end. At most 100 entries; says so "
    "if "
    "there are more.",
    R"({"type":"object","properties":{)"
    R"("path":{"type":"string","description":"the folder; the working folder if absent"}},)"
    R"("additionalProperties":false})",
    Approval::automatic, list};

constexpr FileToolForm kCreateDir = {
    "create_dir",
    "Makes a folder and its missing parent folders. It is not an error if the folder exists.",
    R"({"type":"object","properties":{)"
    R"("path":{"type":"string","description":"the folder, inside the working folder"}},)"
    R"("required":["path"],"additionalProperties":false})",
    Approval::ask, create_dir};

constexpr FileToolForm kMoveFile = {
    "move_file",
    "Moves or renames a file or a folder. If `destination` is a folder that exists, it is moved "
    "into it. Nothing is replaced unless `overwrite` is true.",
    R"({"type":"object","properties":{)"
    R"("source":{"type":"string","description":"what to move, inside the working folder"},)"
    R"("destination":{"type":"string","description":"where to, inside the working folder"},)"
    R"("overwrite":{"type":"boolean","description":"replace a file there; false if absent"}},)"
    R"("required":["source","destination"],"additionalProperties":false})",
    Approval::ask, move_file};

constexpr FileToolForm kDeleteFile = {
    "delete_file", "Deletes a file or a symlink; with `recursive` a folder and all that is in it.",
    R"({"type":"object","properties":{)"
    R"("path":{"type":"string","description":"what to delete, inside the working folder"},)"
    R"("recursive":{"type":"boolean","description":"a folder with its content; false if absent"}},)"
    R"("required":["path"],"additionalProperties":false})",
    Approval::ask, delete_file};

}  // namespace

void add_folder_tools(Toolbox& box, const std::shared_ptr<FileServices>& services) {
  box.add(make_file_tool(kList, services));
  box.add(make_file_tool(kMoveFile, services));
  box.add(make_file_tool(kDeleteFile, services));
  box.add(make_file_tool(kCreateDir, services));
}

}  // namespace parley::tool
