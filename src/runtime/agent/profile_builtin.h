// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/agent/profile.h"

namespace parley::agent {

// The built-in profiles: dev, ask, agent-builder, explore, orchestrator.
std::vector<Profile> builtin_profiles();

}  // namespace parley::agent
