// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::agent {

// Content of a profile's file, independent of the format.
struct ProfileTree {
  boost::json::object keys;
  std::string body;  // Markdown only: the text after the front matter
};

// Reads TOML, YAML ("yaml", "yml") or Markdown with YAML front matter ("md"). YAML has the types of
// its core schema; application tags, keys that are not text and duplicate keys are refused. Errors:
// `invalid_argument`, with the line if it is known.
core::Result<ProfileTree> read_profile_tree(std::string_view text, std::string_view format);

}  // namespace parley::agent
