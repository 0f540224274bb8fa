// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/setup_assembly.h"

#include "core/try.h"
#include "setup/agents_found.h"
#include "setup/setup_command.h"

namespace parley::app {

std::function<core::Result<std::string>()> setup_report() {
  return []() -> core::Result<std::string> {
    PARLEY_TRY(const setup::SetupPlaces places, setup::places_of_this_process());
    return setup::setup_json(places);
  };
}

}  // namespace parley::app
