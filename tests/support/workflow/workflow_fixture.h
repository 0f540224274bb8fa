// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "runtime/comfyui/workflow/workflow.h"

// The sample workflows of testdata/ and the classes of a small ComfyUI.
namespace parley::comfyui {

inline std::string sample_text(const std::string& name) {
  std::ifstream file(std::string(WORKFLOW_DATA) + "/" + name);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline Workflow sample(const std::string& name) {
  auto out = Workflow::parse(sample_text(name));
  EXPECT_TRUE(out.has_value()) << name << ": " << (out ? "" : out.error().message);
  return std::move(*out);
}

inline const NodeSchemas& sample_schemas() {
  static const NodeSchemas kSchemas = [] {
    NodeSchemas out;
    const auto added = out.add(sample_text("object_info.json"));
    EXPECT_TRUE(added.has_value());
    return out;
  }();
  return kSchemas;
}

// The message of an error, "" for a success.
template <typename T>
std::string refusal(const core::Result<T>& result) {
  return result ? "" : result.error().message;
}

}  // namespace parley::comfyui
