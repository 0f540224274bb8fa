// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/temp_folder.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

namespace parley::core {
namespace {

namespace fs = std::filesystem;

constexpr int kRemovals = 100;
constexpr std::chrono::milliseconds kBetweenRemovals{10};

}  // namespace

TempFolder::TempFolder(std::string_view name) {
  std::string pattern = (fs::temp_directory_path() / (std::string(name) + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "a temporary folder");
  }
  path_ = fs::canonical(pattern).string();
}

TempFolder::~TempFolder() {
  std::error_code error;
  for (int i = 0; i < kRemovals; ++i) {
    fs::remove_all(path_, error);
    if (error != std::errc::directory_not_empty) return;
    std::this_thread::sleep_for(kBetweenRemovals);
  }
}

}  // namespace parley::core
