// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shell/call.h"
#include "base/shell/notes.h"

namespace parley::shell {

// Notes about a call of git: what changes in the repository, in its settings or on its server.
void note_git(const Call& call, Notes& notes);

// True if the call talks to another computer.
bool git_uses_network(const Call& call);

}  // namespace parley::shell
