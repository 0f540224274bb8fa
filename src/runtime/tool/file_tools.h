// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/clock.h"
#include "core/entropy.h"
#include "runtime/tool/toolbox.h"
#include "runtime/tool/worker.h"

namespace parley::tool {

// What the file tools need from outside. All of it outlives them.
struct FileToolParts {
  WorkerPool& workers;
  std::string data_folder;  // of Parley: memory.db, todo/ and tool-output/ are in it
  const core::Clock& clock;
  core::Entropy& entropy;  // thread-safe
};

// read, ls, glob, grep, write_file, edit, multiedit, apply_patch, move_file, delete_file,
// create_dir, todo_write, todo_read, remember, recall, search_memories, list_memories, forget. What
// changes files asks first by default. Nothing is opened before a tool is called; a memory.db that
// cannot be opened is the result of the calls that need it.
Toolbox builtin_file_tools(const FileToolParts& parts);

}  // namespace parley::tool
