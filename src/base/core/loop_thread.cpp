// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/loop_thread.h"

#include <utility>

#include "base/core/assert.h"

namespace parley::core {
namespace {

// Aligned like the table that follows it, because mold 1.10 begins the read-only (RELRO) pages at
// this variable's address: unaligned, the variable could be the last byte of the page before, and
// the program would not start.
alignas(8) thread_local bool is_loop = false;

}  // namespace

LoopThread::LoopThread() : before_(std::exchange(is_loop, true)) {}

LoopThread::~LoopThread() { is_loop = before_; }

bool LoopThread::here() { return is_loop; }

void assert_may_block(std::string_view what) { PARLEY_ASSERT(!is_loop, what); }

}  // namespace parley::core
