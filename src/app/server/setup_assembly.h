// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "agents/setup/agent_table.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "dialects/api/api.h"

namespace parley::app {

// Reports the coding agents of this computer and their settings, as GET /v1/setup answers. The
// function blocks on files and may be called on any thread.
std::function<core::Result<std::string>()> setup_report();

// The permission rules in the settings of the agents of this user, as /v1/rules lists and changes
// them. `places` is called for each request. `clock` and `entropy` outlive the object.
using PlacesSource = std::function<core::Result<setup::SetupPlaces>()>;
api::RuleEditor rule_editor(PlacesSource places, const core::Clock& clock, core::Entropy& entropy);
// Those of this process, with `data` as Parley's data directory.
PlacesSource places_with(std::string data);

}  // namespace parley::app
