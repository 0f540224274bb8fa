// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/loom/loom_context.h"

namespace parley::loom {

// A page of what was said in a thread. A page without `before` is made after the thread's log was
// brought up to its events; a thread that is not there, or another owner's, is empty. The context
// needs workspaces. Errors: those of the stores.
void read_messages(LoomContext& context, std::string owner, std::string thread, MessagePlace place,
                   std::size_t limit, core::Scheduler& scheduler,
                   WorkspaceStore::Done<MessagePage> done);

}  // namespace parley::loom
