// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "runtime/tool/file/agent_commands.h"

namespace parley::tool {

// Limit of the entries of a folder that can be found; further ones are not read.
// Limit (/v1): files of a project that completion reads. Reached: the others are not offered.
inline constexpr std::size_t kMaxListedPaths = 20'000;
// Limit of the answers to one query.
// Limit (/v1): paths in one answer. Reached: the best.
inline constexpr std::size_t kMaxFoundPaths = 20;
// Limit of the queries that wait for the disk thread.
// Limit (/v1): requests for paths that wait. Reached: `resource_exhausted`.
inline constexpr std::size_t kMaxWaitingPathQueries = 64;
// The folders whose list is kept, and for how long it is used.
inline constexpr std::size_t kMaxKeptLists = 8;
inline constexpr core::Millis kListLife{10'000};

struct FoundPath {
  std::string path;  // relative to the folder: "src/a.cpp"
  bool folder = false;
  bool operator==(const FoundPath&) const = default;
};

// The paths that have the characters of `query` in its order, letters without case, best first. An
// empty query: the entries at the top.
std::vector<FoundPath> best_paths(const std::vector<FoundPath>& all, std::string_view query);

// Finds files and folders below a folder by a part of their path, and the commands of coding agents
// in it. Paths that .gitignore files exclude and .git are not found; the server's own data neither,
// and symlinks are not followed. Any thread.
class PathFinder {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<std::vector<T>>)>;
  using Within = std::optional<std::vector<std::string>>;

  // `own_data`: the folder of the server's data. `home`: of its user; empty: no commands are
  // searched there. The work is done on `disk`, which outlives this.
  PathFinder(std::string own_data, std::string home, core::Scheduler& disk);
  ~PathFinder();

  // `within`, if it has a value: the folder must be one of these, or below one. Errors:
  // `permission_denied` (it is not), those of Workspace::open(), with the field "folder";
  // `resource_exhausted` (kMaxWaitingPathQueries).
  void find(std::string folder, std::string query, Within within, core::Scheduler& home,
            Done<FoundPath> done);
  // The commands of the agent in the program `client` (agent_commands.h): those of the folder, and
  // without `within` those of the user. Errors: those of find(). An empty folder is none.
  void find_commands(std::string folder, std::string client, Within within, core::Scheduler& home,
                     Done<AgentCommand> done);

 private:
  class Lists;
  template <typename T, typename Work>
  void on_disk(core::Scheduler& home, Done<T> done, Work work);

  std::shared_ptr<Lists> lists_;
  core::Scheduler& disk_;
};

}  // namespace parley::tool
