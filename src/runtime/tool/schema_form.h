// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/core/result.h"

namespace parley::tool {

// True if `schema` is a JSON Schema for the arguments of a tool: a JSON object, not deeper than
// kMaxArgumentDepth, with type "object" or none, and with keywords in the form that JSON Schema
// requires: type, properties, required, items, additionalProperties, enum, anyOf, oneOf and allOf,
// at every level. Other keywords are not checked; a null keyword counts as absent. Errors:
// `invalid_argument`; the message is a clause that names the place ("properties.a.type must be
// ..."), `field` is the place; empty: the whole schema.
core::Result<void> check_schema_form(std::string_view schema);

}  // namespace parley::tool
