// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/model/model.h"

namespace parley::demo_model::testing {

using model::ToolSpec;

inline ToolSpec spec(std::string name, std::string description, std::string properties,
                     std::string required) {
  return {
      std::move(name), std::move(description),
      R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required + "]}"};
}

// Tools with the names and parameters that the program's own have.
inline std::vector<ToolSpec> own_tools() {
  return {
      spec("ls", "Lists a folder.", R"("path":{"type":"string"})", ""),
      spec("read", "Reads a file.",
           R"("path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"})",
           R"("path")"),
      spec("write_file", "Writes a file.",
           R"("path":{"type":"string"},"content":{"type":"string"},"append":{"type":"boolean"})",
           R"("path","content")"),
      spec(
          "edit", "Replaces text.",
          R"("path":{"type":"string"},"oldString":{"type":"string"},"newString":{"type":"string"},"replaceAll":{"type":"boolean"})",
          R"("path","oldString","newString")"),
      spec(
          "multiedit", "Several edits of one file.",
          R"("path":{"type":"string"},"edits":{"type":"array","items":{"type":"object","properties":{"oldString":{"type":"string"},"newString":{"type":"string"}},"required":["oldString","newString"]}})",
          R"("path","edits")"),
      spec("apply_patch", "Applies a patch.", R"("patchText":{"type":"string"})", R"("patchText")"),
      spec("move_file", "Moves a file.",
           R"("source":{"type":"string"},"destination":{"type":"string"})",
           R"("source","destination")"),
      spec("delete_file", "Deletes a file.",
           R"("path":{"type":"string"},"recursive":{"type":"boolean"})", R"("path")"),
      spec("create_dir", "Makes a folder.", R"("path":{"type":"string"})", R"("path")"),
      spec("glob", "Finds files by name.",
           R"("pattern":{"type":"string"},"path":{"type":"string"})", R"("pattern")"),
      spec("grep", "Searches text.",
           R"("pattern":{"type":"string"},"path":{"type":"string"},"include":{"type":"string"})",
           R"("pattern")"),
      spec(
          "bash", "Runs a command.",
          R"("command":{"type":"string"},"timeout":{"type":"integer"},"workdir":{"type":"string"},"description":{"type":"string"})",
          R"("command")"),
      spec(
          "web_fetcher", "Fetches a page.",
          R"("url":{"type":"string"},"method":{"type":"string","enum":["GET","POST"]},"body":{"type":"string"})",
          R"("url")"),
      spec(
          "todo_write", "Writes the list of what is to be done.",
          R"("todos":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"content":{"type":"string"},"status":{"type":"string","enum":["pending","done"]},"priority":{"type":"string"}},"required":["content"]}})",
          R"("todos")"),
      spec("todo_read", "Reads the list of what is to be done.", "", ""),
      spec("remember", "Keeps a fact.", R"("content":{"type":"string"},"key":{"type":"string"})",
           R"("content")"),
      spec("recall", "Finds facts.", R"("query":{"type":"string"},"limit":{"type":"integer"})",
           R"("query")"),
      spec(
          "ask_question", "Asks a person.",
          R"("question":{"type":"string"},"header":{"type":"string"},"choices":{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"},"description":{"type":"string"}},"required":["label"]}},"multiple":{"type":"boolean"})",
          R"("question")"),
      spec(
          "invoke_agent", "Lets other agents work.",
          R"("agents":{"type":"array","items":{"type":"object","properties":{"agent":{"type":"string"},"task":{"type":"string"},"working_folder":{"type":"string"}},"required":["agent","task"]}},"fail_fast":{"type":"boolean"})",
          R"("agents")"),
      spec("workflow_node_set", "Sets an input of a node of the workflow.",
           R"("node":{"type":"string"},"input":{"type":"string"},"value":{})",
           R"("node","input","value")"),
      spec(
          "batch", "Several calls at once.",
          R"("calls":{"type":"array","items":{"type":"object","properties":{"tool":{"type":"string"},"parameters":{"type":"object"}},"required":["tool"]}})",
          R"("calls")"),
  };
}

}  // namespace parley::demo_model::testing
