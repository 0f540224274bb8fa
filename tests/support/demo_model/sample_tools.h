// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/model/model.h"

namespace parley::demo_model::testing {

inline model::ToolSpec spec(std::string name, const std::string& properties,
                            const std::string& required) {
  return {
      std::move(name), "",
      R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required + "]}"};
}

// Tools with the names and parameters of Parley's built-in ones.
inline std::vector<model::ToolSpec> own_tools() {
  const std::string path = R"("path":{"type":"string"})";
  const std::string pattern = R"("pattern":{"type":"string"})";
  return {
      spec("ls", path, ""),
      spec("read", path + R"(,"offset":{"type":"integer"})", R"("path")"),
      spec("write_file", path + R"(,"content":{"type":"string"},"append":{"type":"boolean"})",
           R"("path","content")"),
      spec("delete_file", path, R"("path")"),
      spec("create_dir", path, R"("path")"),
      spec("glob", pattern + "," + path, R"("pattern")"),
      spec("grep", pattern + "," + path, R"("pattern")"),
      spec("bash", R"("command":{"type":"string"},"timeout":{"type":"integer"})", R"("command")"),
      spec("todo_read", "", ""),
      spec(
          "todo_write",
          R"("todos":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"content":{"type":"string"}}}})",
          R"("todos")"),
      spec(
          "ask_question",
          R"("question":{"type":"string"},"choices":{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"}}}})",
          R"("question")"),
      spec("workflow_node_set", R"("node":{"type":"string"},"input":{"type":"string"},"value":{})",
           R"("node","input","value")"),
      spec("comfyui_nodes", R"("query":{"type":"string"})", ""),
      spec("comfyui_models", R"("query":{"type":"string"})", ""),
      spec("comfyui_validate", R"("workflow":{"type":["object","string"]})", ""),
      spec("comfyui_run", R"("workflow":{"type":["object","string"]})", ""),
      spec("comfyui_interrupt", R"("prompt_id":{"type":"string"})", ""),
  };
}

}  // namespace parley::demo_model::testing
