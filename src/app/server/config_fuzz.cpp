// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "app/server/config.h"

// Any text must be a configuration whose printed form reads back the same, or give a list of
// problems.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  parley::app::ConfigSources sources;
  sources.file_name = "fuzz.toml";
  sources.file_text = std::string(reinterpret_cast<const char*>(data), size);
  const auto config = parley::app::load_config(sources);
  if (!config) {
    if (config.error().empty()) std::abort();
    return 0;
  }
  sources.file_text = parley::app::show_config(*config);
  if (!parley::app::load_config(sources)) std::abort();
  return 0;
}
