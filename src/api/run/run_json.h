// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/api.h"
#include "core/json_writer.h"
#include "runtime/run/run.h"

namespace parley::api {

// Writes the members of a run into an open object.
void write_run(core::JsonWriter& json, const run::Run& run);

// False, after sending 404, if this server runs no agents.
bool has_runs(const Context& context, Call& call);

}  // namespace parley::api
