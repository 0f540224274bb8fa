// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "core/result.h"

namespace parley::agent {

// What a profile's file holds, whatever its format.
struct ProfileTree {
  boost::json::object keys;
  std::string body;  // of Markdown: what follows the front matter
};

// Reads TOML, YAML ("yaml", "yml") or Markdown with front matter in YAML ("md"). YAML has the types
// of its core schema; tags of applications, keys that are no text and keys that are there twice are
// refused. Errors: `invalid_argument`, with the line where it is known.
core::Result<ProfileTree> read_profile_tree(std::string_view text, std::string_view format);

}  // namespace parley::agent
