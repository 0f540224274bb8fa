// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// workflow-editor OBJECT_INFO WORKFLOW SEEDS   edits the workflow at random, once for each seed
// from 0, and prints two lines each: the edited workflow, and its API form.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "runtime/comfyui/workflow/convert.h"
#include "tests/support/workflow/random_edits.h"

namespace {

constexpr int kEdits = 40;

std::string file_text(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int failed(const parley::core::Error& error) {
  std::cerr << "workflow-editor: " << error.message << "\n";
  return 1;
}

}  // namespace

int main(int count, char** words) {
  using parley::comfyui::Workflow;
  if (count != 4) {
    std::cerr << "usage: workflow-editor OBJECT_INFO WORKFLOW SEEDS\n";
    return 2;
  }
  parley::comfyui::NodeSchemas schemas;
  if (const auto added = schemas.add(file_text(words[1])); !added) return failed(added.error());
  const auto first = Workflow::parse(file_text(words[2]));
  if (!first) return failed(first.error());
  const unsigned seeds = static_cast<unsigned>(std::strtoul(words[3], nullptr, 10));
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Workflow workflow = *first;
    parley::comfyui::RandomEdits edits(seed);
    for (int i = 0; seed > 0 && i < kEdits; ++i) edits.edit(workflow, schemas);
    const auto api = parley::comfyui::to_api(workflow, schemas);
    if (!api) return failed(api.error());
    std::cout << workflow.text() << "\n" << api->text() << "\n";
  }
  return 0;
}
