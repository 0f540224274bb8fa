// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the readers of events accept any message of a server's WebSocket, text or binary,
// without a crash, and their output keeps its limits.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/comfyui/progress_event.h"

namespace pf = parley::comfyui;

namespace {

bool within_limits(const pf::ProgressEvent& event) {
  if (event.cached.size() > pf::kMaxEventNodes || event.nodes.size() > pf::kMaxEventNodes) {
    return false;
  }
  if (event.fault && event.fault->traceback.size() > pf::kMaxTracebackBytes) return false;
  if (!event.output) return true;
  for (const pf::OutputFile& file : event.output->files) {
    if (!file.check()) return false;
  }
  return event.output->files.size() <= pf::kMaxFilesPerNode;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  const auto event = pf::read_progress_event(message);
  if (event && *event && !within_limits(**event)) std::abort();
  if (const auto preview = pf::read_preview(message)) {
    if (preview->bytes.empty() || preview->bytes.end() != message.end()) std::abort();
  }
  return 0;
}
