// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "runtime/comfyui/workflow/node_schema.h"

// ComfyUI workflows as documents: reading, views for agents, edits. No I/O. docs/workflows.md has
// the rules.
namespace parley::comfyui {

inline constexpr std::size_t kMaxWorkflowBytes = 8U << 20U;
inline constexpr std::size_t kMaxWorkflowDepth = 64;
inline constexpr std::size_t kMaxWorkflowValues = 1'000'000;
inline constexpr std::size_t kMaxNodes = 10'000;      // including those inside subgraph definitions
inline constexpr std::size_t kMaxLinks = 50'000;      // the same
inline constexpr std::size_t kMaxSubgraphs = 1'000;   // definitions
inline constexpr std::size_t kMaxSubgraphDepth = 16;  // nesting of subgraphs
inline constexpr std::size_t kMaxTitleBytes = 512;
inline constexpr std::size_t kMaxValueBytes = 1U << 20U;  // JSON text of one value
inline constexpr std::size_t kMaxValueDepth = 16;
inline constexpr std::size_t kMaxValueParts = 100'000;
inline constexpr std::size_t kMaxOutlineBytes = 48U << 10U;
inline constexpr std::size_t kMaxNodeViewBytes = 64U << 10U;

enum class Form : std::uint8_t {
  ui,   // LiteGraph: nodes, links, groups, extra
  api,  // body of POST /prompt: {id: {class_type, inputs, _meta}}
};

struct WorkflowTree;

// One workflow. Unknown members are kept and written back in their order. Not thread-safe.
//
// Node ids are text. A node inside a subgraph is "12:3": node 3 of the definition that node 12
// instantiates; an edit there changes all instances.
//
// Schemas may lack the class of a node, or be empty: operations that need no schema still work,
// unchecked. An edit is atomic and returns a sentence that describes the change. Errors are
// sentences that name the node, the input, the expected value and similar names; `field` is the
// argument at fault.
class Workflow {
 public:
  // Errors: `resource_exhausted` for a limit, `invalid_argument` for text that is no workflow.
  static core::Result<Workflow> parse(std::string_view text);

  Workflow(const Workflow& other);
  Workflow& operator=(const Workflow& other);
  Workflow(Workflow&& other) noexcept;
  Workflow& operator=(Workflow&& other) noexcept;
  ~Workflow();

  Form form() const;
  std::size_t node_count() const;  // on the top level
  // The node classes that the server must have, each once, sorted, including those inside
  // subgraphs. Nodes of the front end only are left out.
  std::vector<std::string> classes() const;
  std::string text() const;  // in its original form
  // Equal content: 1 equals 1.0, and the order of members is ignored.
  bool operator==(const Workflow& other) const;

  // One line per node: id, class, title, mode, inputs with their values or links, outputs. Long
  // values are cut. Nodes beyond `max_bytes` are left out and counted in the last line.
  std::string outline(const NodeSchemas& schemas, std::size_t max_bytes = kMaxOutlineBytes) const;

  // One node as JSON: every input with value or link and its constraints from the schema, every
  // output with its links. At most about kMaxNodeViewBytes; values cut for that are marked.
  core::Result<std::string> node(std::string_view id, const NodeSchemas& schemas) const;

  // `value` is JSON text. In UI form `input` may also be the front end's "control_after_generate".
  core::Result<std::string> set_input(std::string_view id, std::string_view input,
                                      std::string_view value, const NodeSchemas& schemas);
  // `output` is a name or a number from 0. Replaces the input's old link. Refuses a loop.
  core::Result<std::string> connect(std::string_view from, std::string_view output,
                                    std::string_view to, std::string_view input,
                                    const NodeSchemas& schemas);
  core::Result<std::string> disconnect(std::string_view id, std::string_view input);
  struct Added {
    std::string id;
    std::string summary;
  };
  // `inputs` is empty or a JSON object of values by input; the others get the defaults of the
  // class. The node is placed to the right of all other nodes.
  core::Result<Added> add_node(std::string_view type, std::string_view title,
                               std::string_view inputs, const NodeSchemas& schemas);
  // Removes the node and all its links.
  core::Result<std::string> remove_node(std::string_view id);
  core::Result<std::string> set_title(std::string_view id, std::string_view title);
  // "always", "mute" or "bypass"; only in UI form.
  core::Result<std::string> set_mode(std::string_view id, std::string_view mode);

  // For the other files of this folder.
  explicit Workflow(WorkflowTree tree);
  const WorkflowTree& tree() const { return *tree_; }

 private:
  std::unique_ptr<WorkflowTree> tree_;
};

}  // namespace parley::comfyui
