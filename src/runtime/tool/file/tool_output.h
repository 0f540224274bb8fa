// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "core/entropy.h"
#include "runtime/tool/file/kept_results.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/worker.h"

namespace parley::tool {

// A tool's result, cut to what a model and a screen can take. All of it is UTF-8; a byte that is
// none was replaced.
struct FittedOutput {
  std::string content;             // for the model
  std::string display;             // of tool_end: `result`
  std::optional<std::string> raw;  // of tool_end: `raw_result`, where `display` is cut
  std::string file;  // where the whole is; empty: `content` is the whole, or it is lost
  bool is_error = false;
};

// Where long results are kept: DATA/tool-output/SESSION/. Of a session and of all of them there is
// a limit: the oldest go first, and who reads one later is told so. Outlives who uses it.
// Thread-safe.
class OutputStore {
 public:
  OutputStore(WorkerPool& workers, std::string data_folder, core::Entropy& entropy,
              KeptLimits limits = {});

  WorkerPool& workers() { return workers_; }
  // Writes a result into a new file and returns its absolute path. Blocks. Errors: those of the
  // system.
  core::Result<std::string> keep(std::string_view owner, std::string_view session_id,
                                 std::string_view tool, std::string_view text);

  static constexpr std::size_t kMaxFileBytes = 16U << 20U;  // the rest is left out

 private:
  WorkerPool& workers_;
  const std::string data_folder_;
  core::Entropy& entropy_;
  KeptResults kept_;
};

// Fits every result of a tool before the model and the watchers get it (contract section 3.3). One
// of more than `inline_limit` characters is written into a file through the context's `outputs`,
// which `read` and `grep` of the same session can open, and the model gets the beginning, the end
// and where the rest is; without `outputs`, or if the disk is full, the middle is lost and the
// model is told so. What `read` gives is not kept again: it is cut at a line, and the model is told
// where to read on. `done` comes later on the context's scheduler, never inside this call, also
// after a cancel.
using FittedDone = absl::AnyInvocable<void(FittedOutput)>;
void fit_output(const ToolContext& context, std::string_view tool, ToolResult result,
                std::size_t inline_limit, FittedDone done);

inline constexpr std::size_t kInlineCharacters = 4000;
inline constexpr std::size_t kReadInlineCharacters = 16'000;  // of `read`, if nothing less is asked
inline constexpr std::size_t kDisplayCharacters = 1000;       // then "..."

// The limit that a tool's results have by itself: kInlineCharacters, or more for `read`.
std::size_t inline_limit_of(std::string_view tool);

}  // namespace parley::tool
