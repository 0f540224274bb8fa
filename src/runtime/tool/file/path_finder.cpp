// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/path_finder.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <tuple>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "runtime/tool/file/tree_walk.h"
#include "runtime/tool/file/workspace.h"

namespace parley::tool {
namespace {

using core::Result;

// Lower is better: the gaps between the matched characters, then the length of the path. A match in
// the last segment comes before all others.
using Rank = std::tuple<bool, std::size_t, std::size_t>;

// The gaps of the shortest match that ends at the last possible character; std::nullopt: no match.
std::optional<std::size_t> gaps(std::string_view text, std::string_view query) {
  std::size_t left = query.size();
  std::size_t last = 0;
  std::size_t first = 0;
  for (std::size_t i = text.size(); i > 0 && left > 0; --i) {
    if (text[i - 1] != query[left - 1]) continue;
    if (left == query.size()) last = i;
    first = i - 1;
    --left;
  }
  if (left > 0) return std::nullopt;
  return last - first - query.size();
}

std::optional<Rank> rank_of(const std::string& path, std::string_view query) {
  const std::string lowered = core::lowered(path);
  const std::size_t slash = lowered.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  if (const auto found = gaps(std::string_view(lowered).substr(name), query)) {
    return Rank{false, *found, path.size()};
  }
  if (const auto found = gaps(lowered, query)) return Rank{true, *found, path.size()};
  return std::nullopt;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path == folder || folder == "/" ||
         (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

core::Error in_folder(core::Error error) {
  error.field = "folder";
  return error;
}

}  // namespace

std::vector<FoundPath> best_paths(const std::vector<FoundPath>& all, std::string_view query) {
  const std::string wanted = core::lowered(query);
  std::vector<std::pair<Rank, const FoundPath*>> found;
  for (const FoundPath& each : all) {
    if (wanted.empty()) {
      if (each.path.find('/') == std::string::npos) found.push_back({Rank(), &each});
    } else if (const auto rank = rank_of(each.path, wanted)) {
      found.push_back({*rank, &each});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<FoundPath> out;
  for (const auto& [rank, each] : found) {
    if (out.size() == kMaxFoundPaths) break;
    out.push_back(*each);
  }
  return out;
}

// Used on the disk thread, but for `waiting`.
class PathFinder::Lists {
 public:
  std::atomic<std::size_t> waiting{0};  // queries

  Lists(std::string own_data, std::string home)
      : own_data_(std::move(own_data)), home_(std::move(home)) {}

  Result<std::vector<FoundPath>> find(const std::string& folder, std::string_view query,
                                      const Within& within, core::MonoTime now) {
    PARLEY_TRY(const Workspace workspace, open(folder, within));
    PARLEY_TRY(const List* list, list_of(workspace, now));
    return best_paths(list->paths, query);
  }

  Result<std::vector<AgentCommand>> commands(const std::string& folder, std::string_view client,
                                             const Within& within) {
    std::optional<Workspace> project;
    if (!folder.empty()) {
      PARLEY_TRY(project, open(folder, within));
    }
    Result<Workspace> home = core::fail(core::Code::not_found, "No folder.");
    if (!within && !home_.empty()) home = Workspace::open(home_, own_data_);
    std::vector<CommandDependencies> grounds;
    if (project) grounds.push_back({&*project, ""});
    if (home) grounds.push_back({&*home, "~/"});
    return agent_commands(client, grounds);
  }

 private:
  Result<Workspace> open(const std::string& folder, const Within& within) const {
    Result<Workspace> workspace = Workspace::open(folder, own_data_);
    if (!workspace) return core::fail(in_folder(std::move(workspace.error())));
    const std::string& root = workspace->root();
    if (within && std::none_of(within->begin(), within->end(), [&root](const std::string& allowed) {
          std::error_code ignored;
          return is_below(root, std::filesystem::weakly_canonical(allowed, ignored).string());
        })) {
      return core::fail(core::Code::permission_denied,
                        "The folder is not below one of inbox.project_folders.", "folder");
    }
    return workspace;
  }

  struct List {
    std::string root;
    core::MonoTime read_at;
    std::vector<FoundPath> paths;
  };

  Result<const List*> list_of(const Workspace& workspace, core::MonoTime now) {
    std::erase_if(lists_, [now](const List& list) { return now - list.read_at > kListLife; });
    for (const List& list : lists_) {
      if (list.root == workspace.root()) return &list;
    }
    List list{workspace.root(), now, {}};
    PARLEY_TRY(const Place top, workspace.locate("."));
    const auto take = [&list](const WalkedEntry& entry) {
      if (core::is_utf8(entry.relative)) {
        list.paths.push_back({std::string(entry.relative), entry.type == S_IFDIR});
      }
      return list.paths.size() < kMaxListedPaths;
    };
    PARLEY_TRY_VOID(walk_tree(workspace, top, WalkOptions(), StopFlag(), take));
    if (lists_.size() == kMaxKeptLists) lists_.pop_front();
    lists_.push_back(std::move(list));
    return &lists_.back();
  }

  const std::string own_data_;
  const std::string home_;
  std::deque<List> lists_;
};

PathFinder::PathFinder(std::string own_data, std::string home, core::Scheduler& disk)
    : lists_(std::make_shared<Lists>(std::move(own_data), std::move(home))), disk_(disk) {}

PathFinder::~PathFinder() = default;

// `work` (Result<std::vector<T>>(Lists&)) runs on disk_, `done` at `home`.
template <typename T, typename Work>
void PathFinder::on_disk(core::Scheduler& home, Done<T> done, Work work) {
  if (lists_->waiting.fetch_add(1) >= kMaxWaitingPathQueries) {
    lists_->waiting.fetch_sub(1);
    return core::reply(home, std::move(done),
                       core::fail(core::Code::resource_exhausted,
                                  "Too many requests for paths wait. Try again in a moment."));
  }
  core::ask(disk_, "paths", home, std::move(done),
            [lists = lists_, work = std::move(work)]() mutable {
              const absl::Cleanup leave = [&lists] { lists->waiting.fetch_sub(1); };
              return work(*lists);
            });
}

void PathFinder::find(std::string folder, std::string query, Within within, core::Scheduler& home,
                      Done<FoundPath> done) {
  on_disk<FoundPath>(home, std::move(done),
                     [&disk = disk_, folder = std::move(folder), query = std::move(query),
                      within = std::move(within)](Lists& lists) {
                       return lists.find(folder, query, within, disk.clock().mono());
                     });
}

void PathFinder::find_commands(std::string folder, std::string client, Within within,
                               core::Scheduler& home, Done<AgentCommand> done) {
  on_disk<AgentCommand>(
      home, std::move(done),
      [folder = std::move(folder), client = std::move(client), within = std::move(within)](
          Lists& lists) { return lists.commands(folder, client, within); });
}

}  // namespace parley::tool
