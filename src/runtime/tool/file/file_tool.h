// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "runtime/tool/file/file_tools.h"
#include "runtime/tool/file/workspace.h"

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

// State that all file tools of a program share. Thread-safe.
struct FileServices {
  explicit FileServices(FileToolParts with) : parts(std::move(with)) {}
  FileToolParts parts;
  PathLocks locks;
};

// One call of a file tool, on a worker's thread.
struct FileCall {
  FileServices& services;
  std::string owner;
  std::string session_id;
  std::string working_folder;
  boost::json::object arguments;
  StopFlag stop;

  std::string_view text(std::string_view name, std::string_view fallback = {}) const;
  // The working folder of the run. Errors: those of Workspace::open().
  core::Result<Workspace> workspace() const;
};

// Work of a tool: the value is the result's content; an error's message becomes an error result.
using FileWork = core::Result<std::string> (*)(FileCall& call);

struct FileToolForm {
  std::string_view name;
  std::string_view description;
  std::string_view parameters;  // JSON Schema
  Approval approval = Approval::automatic;
  FileWork work = nullptr;
};

ToolPtr make_file_tool(const FileToolForm& form, std::shared_ptr<FileServices> services);

// A place that may be read: inside the working folder, or in the folder with the long outputs of
// this session.
struct ReadablePlace {
  Workspace workspace;
  Place place;
};
core::Result<ReadablePlace> locate_readable(const FileCall& call, std::string_view path);

// The tools, in groups.
void add_read_tool(Toolbox& box, const std::shared_ptr<FileServices>& services);
void add_search_tools(Toolbox& box, const std::shared_ptr<FileServices>& services);
void add_write_tools(Toolbox& box, const std::shared_ptr<FileServices>& services);
void add_patch_tool(Toolbox& box, const std::shared_ptr<FileServices>& services);
void add_folder_tools(Toolbox& box, const std::shared_ptr<FileServices>& services);
void add_todo_tools(Toolbox& box, const std::shared_ptr<FileServices>& services);

}  // namespace parley::tool
