// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/result.h"

namespace parley::tool {

// True if `schema` is a JSON Schema for the arguments of a tool: a JSON object, not deeper than
// kMaxArgumentDepth, whose type is "object" or not said, and whose keywords have the form that JSON
// Schema gives them: type, properties, required, items, additionalProperties, enum, anyOf, oneOf
// and allOf, at every level. Other keywords are not looked at; one that is null counts as absent.
// Errors: `invalid_argument`; the message is a clause that names the place ("properties.a.type must
// be ..."), `field` the place; empty: the whole.
core::Result<void> check_schema_form(std::string_view schema);

}  // namespace parley::tool
