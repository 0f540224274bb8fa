// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "tests/support/comfyui/fault.h"
#include "tests/support/comfyui/node_catalog.h"

namespace parley::fake_comfyui {

struct FakeOptions {
  std::uint16_t port = 0;             // of 127.0.0.1; 0: any free one
  core::Millis tick{20};              // EngineOptions::tick
  bool deterministic = false;         // ids and times are the same in every run
  bool old_shapes = false;            // EngineOptions::old_shapes; no /models
  bool any_origin = false;            // as --enable-cors-header of a real server
  std::size_t object_info_bytes = 0;  // least size of /object_info
  std::size_t max_body_bytes = 64U << 20U;
  std::size_t max_files_bytes = 256U << 20U;
  std::size_t max_queue = 1'000;
  std::string authorization;  // header that every request must have; empty: none
  Models models = sample_models();
};

// A stand-in for a ComfyUI server, on a loopback port and on a thread of its own: the routes, the
// WebSocket and the rules of docs/comfyui.md, with pictures generated from seed and text.
class FakeComfyUi {
 public:
  // Errors: `failed_precondition` (the port is taken).
  static core::Result<std::unique_ptr<FakeComfyUi>> start(FakeOptions options);
  ~FakeComfyUi();
  FakeComfyUi(const FakeComfyUi&) = delete;
  FakeComfyUi& operator=(const FakeComfyUi&) = delete;

  std::string url() const;  // "http://127.0.0.1:8188"
  // Call from any thread but the server's; the fault is active on return.
  void inject(Fault fault);
  // Number of open WebSockets.
  std::size_t sockets() const;

 private:
  class Thread;
  explicit FakeComfyUi(std::unique_ptr<Thread> thread);
  std::unique_ptr<Thread> thread_;
};

}  // namespace parley::fake_comfyui
