// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/core/json_writer.h"
#include "dialects/api/api.h"

namespace parley::api {

// Writes the members of a study (schema Study of docs/openapi.json) into an open object.
void write_study(core::JsonWriter& json, const study::Study& study);

// False, after sending 404, if the server keeps no studies.
bool has_studies(const Context& context, Call& call);

}  // namespace parley::api
