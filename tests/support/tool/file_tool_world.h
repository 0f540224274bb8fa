// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/temp_folder.h"
#include "runtime/tool/file/file_tools.h"
#include "runtime/tool/file/tool_output.h"
#include "runtime/tool/memory/memory_tools.h"
#include "runtime/tool/schema_check.h"
#include "runtime/tool/worker.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::tool {

// A temporary folder of a test, removed with its content at the end.
class TestFolder {
 public:
  const std::string& path() const { return folder_.path(); }
  std::string at(const std::string& name) const { return folder_.file(name); }
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << content;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    if (!file) return "(missing)";
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  bool exists(const std::string& name) const {
    return std::filesystem::symlink_status(at(name)).type() !=
           std::filesystem::file_type::not_found;
  }
  void link(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, at(name));
  }
  // Number of names in the folder, including hidden ones.
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path()),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  core::TempFolder folder_{"parley-tool"};
};

// Runs tasks that other threads post to a scheduler until `ready`; false after ten seconds.
inline bool run_until(core::FakeScheduler& scheduler, const std::function<bool()>& ready) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!ready()) {
    if (scheduler.run_ready() == 0) std::this_thread::yield();
    if (std::chrono::steady_clock::now() > end) return ready();
  }
  return true;
}

// The file tools over a working folder and a data folder of their own.
class FileToolWorld {
 public:
  FileToolWorld() : FileToolWorld(WorkerPool::kDefaultThreads) {}
  explicit FileToolWorld(std::size_t threads)
      : pool(threads),
        outputs(pool, data.path(), entropy),
        tools(builtin_file_tools({pool, data.path(), entropy})) {
    const Toolbox memory = memory_tools(pool, MemoryStore::at(data.path(), clock));
    for (const ToolPtr& tool : memory.all()) tools.add(tool);
  }

  ToolContext context() {
    ToolContext context;
    context.owner = owner;
    context.session_id = session;
    context.run_id = "run-1";
    context.call_id = "call-1";
    context.working_folder = working_folder;
    context.scheduler = &scheduler;
    context.cancel = cancel.token();
    context.outputs = &outputs;
    return context;
  }

  // Calls a tool with arguments as a model writes them, and waits for the result.
  ToolResult call(const std::string& name, const std::string& arguments) {
    std::optional<ToolResult> result;
    begin(name, arguments, result);
    if (!run_until(scheduler, [&] { return result.has_value(); })) {
      return ToolResult::error("(no result came)");
    }
    return *result;
  }
  // Starts a call; the result arrives through the scheduler.
  void begin(const std::string& name, const std::string& arguments,
             std::optional<ToolResult>& result) {
    const ToolPtr tool = tools.find(name);
    if (tool == nullptr) {
      result = ToolResult::error("(no such tool)");
      return;
    }
    auto fitted = read_arguments(tool->spec().parameters, arguments);
    if (!fitted) {
      result = ToolResult::error(fitted.error().message);
      return;
    }
    tool->run(context(), std::move(*fitted),
              [&result](ToolResult done) { result = std::move(done); });
  }
  // The content of a result that must not be an error (ok), or must be one (refused).
  std::string ok(const std::string& name, const std::string& arguments) {
    const ToolResult result = call(name, arguments);
    EXPECT_FALSE(result.is_error) << name << ": " << result.content;
    return result.content;
  }
  std::string refused(const std::string& name, const std::string& arguments) {
    const ToolResult result = call(name, arguments);
    EXPECT_TRUE(result.is_error) << name << ": " << result.content;
    return result.content;
  }

  TestFolder folder;
  TestFolder data;
  std::string working_folder = folder.path();
  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SystemEntropy entropy;
  core::CancelSource cancel;
  std::string owner = "owner-1";
  std::string session = "session-1";
  WorkerPool pool;
  OutputStore outputs;
  Toolbox tools;
};

// Keeps `threads` threads of a pool busy from the end of the constructor until it is destroyed.
class BusyPool {
 public:
  BusyPool(WorkerPool& pool, std::size_t threads) {
    std::vector<std::promise<void>> begun(threads);
    for (std::promise<void>& one : begun) {
      pool.post([&one, open = open_] {
        one.set_value();
        open.wait();
      });
    }
    for (std::promise<void>& one : begun) one.get_future().wait();
  }
  BusyPool(const BusyPool&) = delete;
  BusyPool& operator=(const BusyPool&) = delete;
  ~BusyPool() { release_.set_value(); }

 private:
  std::promise<void> release_;
  std::shared_future<void> open_ = release_.get_future().share();
};

}  // namespace parley::tool
