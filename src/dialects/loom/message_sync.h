// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dialects/loom/loom_context.h"

namespace parley::loom {

// Reads a page of a thread's messages. Without `before` the thread's log is first extended to its
// latest events. The page of an unknown thread, or of another owner's thread, is empty. The context
// needs workspaces. Errors: those of the stores.
void read_messages(LoomContext& context, std::string owner, std::string thread, MessagePlace place,
                   std::size_t limit, core::Scheduler& scheduler,
                   WorkspaceStore::Done<MessagePage> done);

}  // namespace parley::loom
