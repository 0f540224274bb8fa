// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Property test: after any random edits, a workflow is still a valid workflow.
#include <gtest/gtest.h>

#include "runtime/comfyui/workflow/convert.h"
#include "runtime/comfyui/workflow/diff.h"
#include "runtime/comfyui/workflow/graph_index.h"
#include "runtime/comfyui/workflow/validate.h"
#include "runtime/comfyui/workflow/workflow_tree.h"
#include "tests/support/workflow/random_edits.h"
#include "tests/support/workflow/workflow_fixture.h"

namespace parley::comfyui {
namespace {

// Checks that each link of a level agrees in its three places, and that both its ends exist.
void expect_links_agree(const json::object& graph) {
  const LevelIndex level = index_level(graph);
  std::size_t named = 0;
  for (const auto& [id, node] : level.nodes) {
    const json::array* inputs = array_member(*node, "inputs");
    for (std::size_t i = 0; inputs != nullptr && i < inputs->size(); ++i) {
      const auto link = id_text((*inputs)[i].get_object().if_contains("link"));
      if (!link) continue;
      ++named;
      const auto found = level.links.find(*link);
      ASSERT_NE(found, level.links.end()) << "input of " << id;
      EXPECT_EQ(found->second.to, id);
      EXPECT_EQ(found->second.to_slot, static_cast<std::int64_t>(i));
    }
  }
  std::size_t inner = 0;
  for (const auto& [id, link] : level.links) {
    if (link.to != kSubgraphOutput) {
      ++inner;
      EXPECT_TRUE(level.nodes.contains(link.to)) << "link " << id;
    }
    if (link.from == kSubgraphInput) continue;
    const auto from = level.nodes.find(link.from);
    ASSERT_NE(from, level.nodes.end()) << "link " << id;
    const json::object* output = slot_at(*from->second, "outputs", link.from_slot);
    ASSERT_NE(output, nullptr) << "link " << id;
    const json::array* links = array_member(*output, "links");
    ASSERT_NE(links, nullptr) << "link " << id;
    std::size_t times = 0;
    for (const json::value& one : *links) times += id_text(&one) == id ? 1U : 0U;
    EXPECT_EQ(times, 1U) << "link " << id;
  }
  EXPECT_EQ(named, inner);
}

void expect_sound(const Workflow& workflow) {
  const auto again = Workflow::parse(workflow.text());
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_TRUE(*again == workflow);
  EXPECT_TRUE(diff(workflow, *again, sample_schemas()).empty());
  if (workflow.form() == Form::api) return;
  const GraphIndex index = index_graph(workflow.tree().root);
  expect_links_agree(*index.top.graph);
  for (const auto& [id, level] : index.definitions) expect_links_agree(*level.graph);
}

TEST(WorkflowProperty, RandomEdits_KeepLinksIdsAndText) {
  std::size_t done = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    for (const char* name : {"text_to_image.ui.json", "detours.ui.json", "subgraph.ui.json",
                             "text_to_image.api.json"}) {
      Workflow workflow = sample(name);
      RandomEdits edits(seed);
      for (int i = 0; i < 60; ++i) {
        const Workflow before = workflow;
        if (edits.edit(workflow, sample_schemas())) {
          ++done;
        } else {
          ASSERT_TRUE(workflow == before) << "a refused edit changed " << name;
        }
      }
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      expect_sound(workflow);
      // The workflow may be invalid to run, but it must convert: no link is dangling.
      const auto api = to_api(workflow, sample_schemas());
      EXPECT_TRUE(api.has_value()) << refusal(api);
      EXPECT_TRUE(validate(workflow, sample_schemas()).has_value());
    }
  }
  EXPECT_GT(done, 1'000U);
}

TEST(WorkflowProperty, Samples_AreSound) {
  for (const char* name : {"text_to_image.ui.json", "detours.ui.json", "subgraph.ui.json"}) {
    SCOPED_TRACE(name);
    expect_sound(sample(name));
  }
}

}  // namespace
}  // namespace parley::comfyui
