// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "agents/setup/setup_command.h"
#include "base/core/clock.h"
#include "base/core/temp_folder.h"

namespace parley::setup {

// A home directory, a project and a program in a temporary folder, for tests.
class SetupWorld {
 public:
  SetupWorld() {
    namespace fs = std::filesystem;
    places.home = folder_.file("home");
    places.data = places.home / ".local/share/parley";
    places.program = folder_.file("bin/parley");
    places.working_directory = places.home;
    fs::create_directories(places.home);
    write(places.program, "#!/bin/sh\n");
    fs::permissions(places.program, fs::perms::owner_all);
  }

  std::filesystem::path home(const std::string& name) const { return places.home / name; }
  std::filesystem::path project() const { return folder_.file("project"); }

  static void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  SetupOutcome run(const std::string& agent) {
    return run(agent, [](SetupOptions&) {});
  }
  template <typename Change>
  SetupOutcome run(const std::string& agent, const Change& change) {
    SetupOptions options;
    if (!agent.empty()) options.agents = {agent};
    change(options);
    return run_setup(options, places, clock_, before_rename);
  }
  SetupOutcome remove(const std::string& agent) {
    return run(agent, [](SetupOptions& options) { options.remove = true; });
  }

  // Every file and folder of the home directory outside of Parley's own data, with its bytes.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(places.home)) {
      const std::string name = entry.path().lexically_relative(places.home).string();
      if (name.starts_with(".local")) continue;
      found[name] = entry.is_regular_file() ? read(entry.path()) : "folder";
    }
    return found;
  }

  SetupPlaces places;
  BeforeRename before_rename;

 private:
  core::TempFolder folder_;
  core::SystemClock clock_;
};

}  // namespace parley::setup
