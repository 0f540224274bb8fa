// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/tool_yaml.h"

#include <gtest/gtest.h>

namespace parley::loom {
namespace {

TEST(ToolYaml, NestedSchemas_AreWritten) {
  EXPECT_EQ(tool_yaml({"read", "Reads: a \"file\"\nwhole.",
                       R"({"type":"object","properties":{"path":{"type":"string"},"on":{}},)"
                       R"("required":["path"],"a b":[1,{"x":null},[]],"empty":[]})"}),
            R"(name: "read"
description: "Reads: a \"file\"\nwhole."
input_schema:
  type: "object"
  properties:
    path:
      type: "string"
    "on": {}
  required:
    - "path"
  "a b":
    - 1
    -
      x: null
    - []
  empty: []
)");
}

TEST(ToolYaml, InvalidSchema_IsLeftOut) {
  EXPECT_EQ(tool_yaml({"a", "b", "nonsense"}), "name: \"a\"\ndescription: \"b\"\n");
}

}  // namespace
}  // namespace parley::loom
