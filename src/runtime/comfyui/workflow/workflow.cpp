// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/workflow.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/core/near_names.h"
#include "runtime/comfyui/workflow/graph_facts.h"
#include "runtime/comfyui/workflow/graph_index.h"
#include "runtime/comfyui/workflow/workflow_tree.h"

namespace parley::comfyui {
namespace {

core::Result<void> not_a_workflow(std::string message) {
  return core::fail(core::Code::invalid_argument, std::move(message), "workflow");
}

core::Result<void> too_many(const std::string& what, std::size_t limit) {
  return core::fail(core::Code::resource_exhausted,
                    "The workflow has more than " + std::to_string(limit) + " " + what + ".",
                    "workflow");
}

struct Counts {
  std::size_t nodes = 0;
  std::size_t links = 0;
};

core::Result<void> check_nodes(const json::array& nodes, const std::string& where) {
  core::StringMap<bool> ids;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string place = where + "nodes[" + std::to_string(i) + "]";
    const json::object* node = nodes[i].if_object();
    if (node == nullptr) return not_a_workflow(place + " is not an object.");
    auto id = id_text(node->if_contains("id"));
    if (!id) return not_a_workflow(place + ".id is missing; expected a number or a text.");
    if (node_type(*node).empty()) {
      return not_a_workflow(place + ".type is missing; expected the name of a node class.");
    }
    for (const std::string_view side : {"inputs", "outputs"}) {
      const json::value* slots = node->if_contains(side);
      if (slots == nullptr || slots->is_null()) continue;
      const json::array* list = slots->if_array();
      if (list == nullptr || !std::all_of(list->begin(), list->end(),
                                          [](const json::value& one) { return one.is_object(); })) {
        return not_a_workflow(place + "." + std::string(side) + " is not a list of objects.");
      }
    }
    if (!ids.emplace(*id, true).second) {
      return not_a_workflow("Two nodes have the id " + core::in_quotes(*id) + " (" + place +
                            "); ids must be unique.");
    }
  }
  return {};
}

core::Result<void> check_links(const json::array& links, const std::string& where) {
  core::StringMap<bool> ids;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].is_null()) continue;
    const std::string place = where + "links[" + std::to_string(i) + "]";
    const auto link = read_link(links[i]);
    if (!link) {
      return not_a_workflow(
          place +
          " is not a link; expected [id, from node, output, to node, input, type] or an object "
          "with id, origin_id, origin_slot, target_id, target_slot.");
    }
    if (!ids.emplace(link->id, true).second) {
      return not_a_workflow("Two links have the id " + core::in_quotes(link->id) + " (" + place +
                            "); ids must be unique.");
    }
  }
  return {};
}

core::Result<void> check_level(const json::object& graph, const std::string& where,
                               Counts& counts) {
  const json::array* nodes = array_member(graph, "nodes");
  if (nodes == nullptr) return not_a_workflow(where + "nodes is not a list.");
  counts.nodes += nodes->size();
  if (counts.nodes > kMaxNodes) return too_many("nodes", kMaxNodes);
  if (auto ok = check_nodes(*nodes, where); !ok) return ok;
  const json::value* found = graph.if_contains("links");
  if (found == nullptr || found->is_null()) return {};
  const json::array* links = found->if_array();
  if (links == nullptr) return not_a_workflow(where + "links is not a list.");
  counts.links += links->size();
  if (counts.links > kMaxLinks) return too_many("links", kMaxLinks);
  return check_links(*links, where);
}

core::Result<void> check_ui(const json::object& root) {
  Counts counts;
  if (auto ok = check_level(root, "", counts); !ok) return ok;
  const json::object* definitions = object_member(root, "definitions");
  const json::array* subgraphs =
      definitions == nullptr ? nullptr : array_member(*definitions, "subgraphs");
  if (subgraphs == nullptr) return {};
  if (subgraphs->size() > kMaxSubgraphs) return too_many("subgraphs", kMaxSubgraphs);
  core::StringMap<bool> ids;
  for (std::size_t i = 0; i < subgraphs->size(); ++i) {
    const std::string where = "definitions.subgraphs[" + std::to_string(i) + "].";
    const json::object* graph = (*subgraphs)[i].if_object();
    const auto id = graph == nullptr ? std::nullopt : id_text(graph->if_contains("id"));
    if (!id) return not_a_workflow(where + "id is missing.");
    if (!ids.emplace(*id, true).second) {
      return not_a_workflow("Two subgraphs have the id " + core::in_quotes(*id) +
                            "; ids must be unique.");
    }
    if (auto ok = check_level(*graph, where, counts); !ok) return ok;
  }
  return {};
}

core::Result<void> check_api(const json::object& root) {
  if (root.size() > kMaxNodes) return too_many("nodes", kMaxNodes);
  std::size_t links = 0;
  for (const json::key_value_pair& member : root) {
    const std::string name = "Node " + core::in_quotes(member.key());
    const json::object* node = member.value().if_object();
    if (node == nullptr || api_type(*node).empty()) {
      return not_a_workflow(
          "This is not a workflow: expected the UI form (an object with a list \"nodes\") or the "
          "API form (nodes by id, each with \"class_type\" and \"inputs\"), but member " +
          core::in_quotes(member.key()) + " is neither.");
    }
    const json::value* inputs = node->if_contains("inputs");
    if (inputs == nullptr) continue;
    if (!inputs->is_object()) return not_a_workflow(name + ": \"inputs\" is not an object.");
    for (const json::key_value_pair& input : inputs->get_object()) {
      if (api_link(input.value())) ++links;
    }
    if (links > kMaxLinks) return too_many("links", kMaxLinks);
  }
  return {};
}

}  // namespace

std::string_view api_type(const json::object& node) {
  const json::value* found = node.if_contains("class_type");
  if (found == nullptr || !found->is_string()) return {};
  return text_view(found->get_string());
}

std::string_view api_title(const json::object& node) {
  const json::object* meta = object_member(node, "_meta");
  const json::value* found = meta == nullptr ? nullptr : meta->if_contains("title");
  if (found == nullptr || !found->is_string()) return {};
  return text_view(found->get_string());
}

std::optional<ApiLink> api_link(const json::value& value) {
  const json::array* pair = value.if_array();
  if (pair == nullptr || pair->size() != 2) return std::nullopt;
  auto from = id_text(&(*pair)[0]);
  const auto slot = integer_of(&(*pair)[1]);
  if (!from || !slot) return std::nullopt;
  return ApiLink{std::move(*from), *slot};
}

core::Result<Workflow> Workflow::parse(std::string_view text) {
  auto value =
      parse_tree(text, {kMaxWorkflowBytes, kMaxWorkflowDepth, kMaxWorkflowValues}, "The workflow");
  if (!value) {
    value.error().field = "workflow";
    return core::fail(std::move(value.error()));
  }
  json::object* root = value->if_object();
  if (root == nullptr) {
    return core::fail(core::Code::invalid_argument,
                      "The workflow is not a JSON object; expected the UI form or the API form.",
                      "workflow");
  }
  WorkflowTree tree;
  const json::value* nodes = root->if_contains("nodes");
  tree.form = nodes != nullptr && !(nodes->is_object() && !api_type(nodes->get_object()).empty())
                  ? Form::ui
                  : Form::api;
  tree.root = std::move(*root);
  auto ok = tree.form == Form::ui ? check_ui(tree.root) : check_api(tree.root);
  if (!ok) return core::fail(std::move(ok.error()));
  return Workflow(std::move(tree));
}

Workflow::Workflow(WorkflowTree tree) : tree_(std::make_unique<WorkflowTree>(std::move(tree))) {}
Workflow::Workflow(const Workflow& other) : tree_(std::make_unique<WorkflowTree>(*other.tree_)) {}
Workflow& Workflow::operator=(const Workflow& other) {
  if (this != &other) tree_ = std::make_unique<WorkflowTree>(*other.tree_);
  return *this;
}
Workflow::Workflow(Workflow&& other) noexcept = default;
Workflow& Workflow::operator=(Workflow&& other) noexcept = default;
Workflow::~Workflow() = default;

Form Workflow::form() const { return tree_->form; }

std::vector<std::string> Workflow::classes() const {
  std::set<std::string> names;
  for (NodeFact& fact : graph_facts(*tree_, {})) {
    if (fact.subgraph.empty() && !is_virtual(fact.type)) names.insert(std::move(fact.type));
  }
  return {names.begin(), names.end()};
}

std::size_t Workflow::node_count() const {
  if (tree_->form == Form::api) return tree_->root.size();
  const json::array* nodes = array_member(tree_->root, "nodes");
  return nodes == nullptr ? 0 : nodes->size();
}

std::string Workflow::text() const {
  std::string out;
  append_tree(out, tree_->root);
  return out;
}

bool Workflow::operator==(const Workflow& other) const {
  return tree_->form == other.tree_->form && same_value(tree_->root, other.tree_->root);
}

}  // namespace parley::comfyui
