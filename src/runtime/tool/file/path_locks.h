// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace parley::tool {

// Serialises calls that read, change and write the same file, across all runs. Thread-safe.
class PathLocks {
 public:
  // Holds the locks of these absolute paths during its lifetime. Two paths may share one lock.
  class Held {
   public:
    Held(PathLocks& locks, const std::vector<std::string>& paths) {
      std::vector<std::size_t> stripes;
      stripes.reserve(paths.size());
      for (const std::string& path : paths) {
        stripes.push_back(std::hash<std::string>{}(path) % kStripes);
      }
      // All callers lock in the same order, so that no two deadlock.
      std::sort(stripes.begin(), stripes.end());
      stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
      for (const std::size_t stripe : stripes) held_.emplace_back(locks.stripes_[stripe]);
    }

   private:
    std::vector<std::unique_lock<std::mutex>> held_;
  };

 private:
  static constexpr std::size_t kStripes = 64;
  std::array<std::mutex, kStripes> stripes_;
};

}  // namespace parley::tool
