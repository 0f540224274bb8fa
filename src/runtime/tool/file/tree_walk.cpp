// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/tree_walk.h"

#include <fcntl.h>

#include <utility>

#include "runtime/tool/file/file_changes.h"
#include "runtime/tool/file/file_tool.h"

namespace parley::tool {
namespace {

using core::fail;
using core::Result;

constexpr std::size_t kMaxIgnoreFileBytes = 256U << 10U;

class TreeWalk {
 public:
  TreeWalk(const Workspace& workspace, const WalkOptions& options, const StopFlag& stop,
           const Visitor& visit)
      : workspace_(workspace), options_(options), stop_(stop), visit_(visit) {}

  Result<WalkOutcome> run(const Place& from) {
    const Result<core::FileDescriptor> top = open_to_list(from);
    if (!top) return fail(top.error());
    path_ = from.is_root() ? std::string() : from.path + "/";
    begin_ = path_.size();
    if (!options_.with_ignored) read_rules_above(from);
    Result<void> went = folder(top->get(), 0);
    if (!went) return fail(went.error());
    return outcome_;
  }

 private:
  struct Layer {
    std::size_t prefix = 0;  // length of the path of the file's folder, in bytes
    IgnoreRules rules;
  };

  // Reads the rules of the folders above the start of the walk.
  void read_rules_above(const Place& from) {
    if (from.is_root()) return;
    std::string above;
    std::string_view rest = from.path;
    while (true) {
      const Result<Place> file = workspace_.locate(above + ".gitignore");
      if (file) add_rules(*file, above.size());
      const std::size_t slash = rest.find('/');
      if (slash == std::string_view::npos) return;
      above.append(rest.substr(0, slash + 1));
      rest.remove_prefix(slash + 1);
    }
  }

  bool add_rules(const Place& file, std::size_t prefix) {
    if (!file.is_file()) return false;
    const Result<FileBytes> text = read_whole(file, kMaxIgnoreFileBytes, stop_);
    if (!text) return false;
    // The limit for one file also holds for the rules of all files on the way together.
    std::size_t held = 0;
    for (const Layer& layer : layers_) held += layer.rules.size();
    if (held >= IgnoreRules::kMaxRules) return false;
    layers_.push_back({prefix, IgnoreRules::parse(text->bytes, IgnoreRules::kMaxRules - held)});
    return true;
  }

  bool add_rules_of(int folder, const std::vector<FolderEntry>& entries) {
    for (const FolderEntry& entry : entries) {
      if (entry.name != ".gitignore" || entry.type != S_IFREG) continue;
      Place file;
      file.folder = core::FileDescriptor(::fcntl(folder, F_DUPFD_CLOEXEC, 0));
      file.name = entry.name;
      file.path = path_ + entry.name;
      file.exists = ::fstatat(folder, entry.name.c_str(), &file.status, AT_SYMLINK_NOFOLLOW) == 0;
      return add_rules(file, path_.size());
    }
    return false;
  }

  bool hidden(std::string_view path, bool is_folder) const {
    for (std::size_t i = layers_.size(); i > 0; --i) {
      const Layer& layer = layers_[i - 1];
      switch (layer.rules.judge(path.substr(layer.prefix), is_folder)) {
        case IgnoreRules::Verdict::ignored:
          return true;
        case IgnoreRules::Verdict::kept:
          return false;
        case IgnoreRules::Verdict::none:
          break;
      }
    }
    return false;
  }

  Result<void> folder(int fd, std::size_t depth) {
    const Result<std::vector<FolderEntry>> entries = list_folder(fd, path_, stop_);
    if (!entries) {
      if (depth == 0 || entries.error().code == core::Code::cancelled) return fail(entries.error());
      ++outcome_.unreadable;
      return {};
    }
    // Counts all entries of a listed folder: those of all folders on the path are in memory at
    // once.
    entries_ += entries->size();
    if (entries_ > kMaxWalkedEntries) outcome_.complete = false;
    const bool layered = !options_.with_ignored && add_rules_of(fd, *entries);
    for (const FolderEntry& entry : *entries) {
      if (stop_.stopped()) return fail(cancelled_error());
      if (!outcome_.complete) break;
      if (Result<void> went = one(fd, entry, depth); !went) return went;
    }
    if (layered) layers_.pop_back();
    return {};
  }

  Result<void> one(int fd, const FolderEntry& entry, std::size_t depth) {
    const bool is_folder = entry.type == S_IFDIR;
    WalkedEntry visited;
    visited.path = path_ + entry.name;
    if (workspace_.excludes(visited.path) || is_temporary_name(entry.name)) return {};
    if (!options_.with_ignored &&
        ((is_folder && entry.name == ".git") || hidden(visited.path, is_folder))) {
      return {};
    }
    visited.folder = fd;
    visited.name = entry.name;
    visited.relative = std::string_view(visited.path).substr(begin_);
    visited.type = entry.type;
    if (!visit_(visited)) {
      outcome_.complete = false;
      return {};
    }
    return is_folder ? descend(fd, entry.name, depth) : Result<void>();
  }

  Result<void> descend(int fd, const std::string& name, std::size_t depth) {
    const core::FileDescriptor below(
        ::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (below && workspace_.forbids(below.get())) return {};
    if (!below || depth + 1 >= kMaxWalkDepth) {
      ++outcome_.unreadable;
      return {};
    }
    const std::size_t before = path_.size();
    path_ += name + "/";
    Result<void> went = folder(below.get(), depth + 1);
    path_.resize(before);
    return went;
  }

  const Workspace& workspace_;
  const WalkOptions options_;
  const StopFlag& stop_;
  const Visitor& visit_;
  // Path of the folder relative to the working folder, with a trailing "/"; empty: the latter.
  std::string path_;
  std::size_t begin_ = 0;    // length of the path where the walk began, in bytes
  std::size_t entries_ = 0;  // listed so far
  std::vector<Layer> layers_;
  WalkOutcome outcome_;
};

}  // namespace

Result<WalkOutcome> walk_tree(const Workspace& workspace, const Place& from,
                              const WalkOptions& options, const StopFlag& stop,
                              const Visitor& visit) {
  return TreeWalk(workspace, options, stop, visit).run(from);
}

}  // namespace parley::tool
