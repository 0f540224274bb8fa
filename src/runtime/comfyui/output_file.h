// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::comfyui {

// A file of the server, in the form of node results and of /view.
struct OutputFile {
  std::string filename;
  std::string subfolder = {};
  std::string type = "output";  // "output", "input", "temp"
  std::string kind = "images";  // key in a node's output: "images", "gifs", "videos", "audio"

  // Errors: `invalid_argument`, with the field: an empty name, a name with a slash, a backslash or
  // a control character, a subfolder that is absolute or has "..", another type.
  core::Result<void> check() const;
};

// The output of one node.
struct NodeOutput {
  std::string node_id;
  std::vector<OutputFile> files;
  boost::json::object raw;  // as received: text outputs and others
};

inline constexpr std::size_t kMaxFilesPerNode = 1'024;
inline constexpr std::size_t kMaxOutputNodes = 1'024;

// `output`: the member of "executed" or of a history entry. Skips files whose names do not pass
// check().
NodeOutput read_node_output(std::string_view node_id, const boost::json::object& output);

}  // namespace parley::comfyui
