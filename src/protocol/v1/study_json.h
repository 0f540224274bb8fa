// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json_writer.h"
#include "protocol/v1/v1.h"

namespace parley::v1 {

// Writes the members of a study (schema Study of docs/openapi.json) into an object that is open.
void write_study(core::JsonWriter& json, const study::Study& study);

// Whether the server keeps studies; answers 404 if not.
bool has_studies(const Context& context, Call& call);

}  // namespace parley::v1
