// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/entropy.h"
#include "runtime/tool/file/stored_results.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/worker.h"

namespace parley::tool {

// A tool's result, cut to the limits of a model and a screen. Always UTF-8; ill-formed bytes were
// replaced.
struct FittedOutput {
  std::string content;             // for the model
  std::string display;             // of tool_end: `result`
  std::optional<std::string> raw;  // of tool_end: `raw_result`, if `display` is cut; not for errors
  std::string file;  // path of the whole result; empty: `content` is the whole, or the rest is lost
  bool is_error = false;
};

// Stores long results in DATA/tool-output/SESSION/, with limits per session and for all together.
// The oldest results are removed first, and a later read of one gets an error that says so. Must
// outlive its users. Thread-safe.
class OutputStore {
 public:
  OutputStore(WorkerPool& workers, std::string data_folder, core::Entropy& entropy,
              ResultLimits limits = {});

  WorkerPool& workers() { return workers_; }
  // Writes a result into a new file and returns its absolute path. Blocks. Errors: those of the
  // system.
  core::Result<std::string> keep(std::string_view owner, std::string_view session_id,
                                 std::string_view tool, std::string_view text);

  // Limit (Tools): one kept result. Reached: the middle of a larger one is left out.
  static constexpr std::size_t kMaxFileBytes = 16U << 20U;  // a longer result is truncated

 private:
  WorkerPool& workers_;
  const std::string data_folder_;
  core::Entropy& entropy_;
  StoredResults kept_;
};

// Cuts every result of a tool before the model and the watchers get it (contract section 3.3). A
// result of more than `inline_limit` characters is written into a file through the context's
// `outputs`, which `read` and `grep` of the same session can open; the model gets the beginning,
// the end and the file's path. Without `outputs`, or if the disk is full, the middle is lost and
// the model is told so. Output of `read` is not stored again: it is cut at a line, and the model is
// told where to continue. `done` is called later on the context's scheduler, never inside this
// call, also after a cancellation.
using FittedDone = absl::AnyInvocable<void(FittedOutput)>;
void fit_output(const ToolContext& context, std::string_view tool, ToolResult result,
                std::size_t inline_limit, FittedDone done);

// Limit (Tools): characters of a result for the model. Reached: the rest is in a file that the
// result names.
inline constexpr std::size_t kInlineCharacters = 4000;
// Limit of the results of `read`, unless the call sets a smaller one.
// Limit (Tools): characters of a result of `read`. Reached: the rest is in a file that the result
// names.
inline constexpr std::size_t kReadInlineCharacters = 16'000;
// Limit (Tools): characters of a result that are shown. Reached: the rest is in a file that the
// result names.
inline constexpr std::size_t kDisplayCharacters = 1000;  // then "..."

// Default limit of a tool's results: kInlineCharacters, or more for `read`.
std::size_t inline_limit_of(std::string_view tool);

}  // namespace parley::tool
