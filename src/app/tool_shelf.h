// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/clock.h"
#include "core/entropy.h"
#include "http/fetcher.h"
#include "runtime/tool/file_tools.h"
#include "runtime/tool/inbox.h"
#include "runtime/tool/process.h"
#include "runtime/tool/tool_source.h"
#include "runtime/tool/worker.h"

namespace parley::app {

struct ToolShelfOptions {
  std::string data_dir;
  bool fetch_private = false;
};

// The tools of this server's runs: files, shell, web, memory, questions, and batches of them.
// Thread-safe.
class ToolShelf final : public tool::ToolSource {
 public:
  // Everything given outlives it.
  ToolShelf(const ToolShelfOptions& options, tool::Inbox& inbox, http::Fetcher& fetcher,
            const core::Clock& clock, core::Entropy& entropy);

  void toolbox(const std::string& working_folder, core::Scheduler& scheduler, Done done) override;

 private:
  tool::WorkerPool workers_;
  tool::ProcessRunner processes_;
  tool::Toolbox builtin_;
};

}  // namespace parley::app
