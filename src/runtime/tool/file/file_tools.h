// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/core/entropy.h"
#include "runtime/tool/toolbox.h"
#include "runtime/tool/worker.h"

namespace parley::tool {

// Dependencies of the file tools. All of them must outlive the tools.
struct FileToolParts {
  WorkerPool& workers;
  std::string data_folder;  // of Parley: contains todo/ and tool-output/
  core::Entropy& entropy;   // thread-safe
};

// The tools read, ls, glob, grep, write_file, edit, multiedit, apply_patch, move_file, delete_file,
// create_dir, todo_write, todo_read. Tools that change files ask first by default.
Toolbox builtin_file_tools(const FileToolParts& parts);

}  // namespace parley::tool
