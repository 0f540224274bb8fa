// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/graph_facts.h"

#include <algorithm>
#include <utility>

#include "runtime/comfyui/workflow/graph_index.h"

namespace parley::comfyui {
namespace {

std::string mode_text(std::int64_t mode) {
  if (mode == kModeAlways) return "always";
  if (mode == kModeMuted) return "mute";
  if (mode == kModeBypassed) return "bypass";
  return std::to_string(mode);
}

InputFact* fact_named(std::vector<InputFact>& inputs, std::string_view name) {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [name](const InputFact& one) { return one.name == name; });
  return found == inputs.end() ? nullptr : &*found;
}

// Reads the UI form level by level.
class UiFacts {
 public:
  UiFacts(const json::object& root, const NodeSchemas& schemas)
      : index_(index_graph(root)), schemas_(schemas) {}

  std::vector<NodeFact> read() {
    struct Level {
      const LevelIndex* level;
      std::string prefix;
    };
    std::vector<Level> waiting = {{&index_.top, ""}};
    core::StringMap<bool> seen;
    for (std::size_t next = 0; next < waiting.size(); ++next) {
      const LevelIndex* level = waiting[next].level;
      const std::string prefix = waiting[next].prefix;
      const json::array* nodes = array_member(*level->graph, "nodes");
      if (nodes == nullptr) continue;
      read_level(*level, *nodes, prefix);
      for (const json::value& one : *nodes) {
        const json::object& node = one.get_object();
        const LevelIndex* inner = index_.definition_of(node);
        if (inner == nullptr || !seen.emplace(std::string(node_type(node)), true).second) continue;
        waiting.push_back({inner, prefix + *id_text(node.if_contains("id")) + ":"});
      }
    }
    return std::move(out_);
  }

 private:
  void read_level(const LevelIndex& level, const json::array& nodes, const std::string& prefix) {
    const std::size_t first = out_.size();
    core::StringMap<std::size_t> places;
    for (const json::value& one : nodes) {
      const json::object& node = one.get_object();
      NodeFact fact = read_node(level, node, prefix);
      places.emplace(fact.id.substr(prefix.size()), out_.size());
      out_.push_back(std::move(fact));
    }
    // Finds the targets of each output by the source that each input names.
    for (std::size_t i = first; i < out_.size(); ++i) {
      for (std::size_t slot = 0; slot < out_[i].inputs.size(); ++slot) {
        const InputFact& input = out_[i].inputs[slot];
        if (!input.from) continue;
        const auto place = places.find(std::string_view(input.from->node).substr(prefix.size()));
        if (place == places.end() || input.from->slot < 0) continue;
        auto& outputs = out_[place->second].outputs;
        const auto at = static_cast<std::size_t>(input.from->slot);
        if (at >= outputs.size()) continue;
        outputs[at].to.push_back({out_[i].id, static_cast<std::int64_t>(slot), input.name});
      }
    }
  }

  NodeFact read_node(const LevelIndex& level, const json::object& node, const std::string& prefix) {
    NodeFact fact;
    fact.id = prefix + *id_text(node.if_contains("id"));
    fact.type = std::string(node_type(node));
    fact.schema = schemas_.find(fact.type);
    fact.mode = mode_text(node_mode(node));
    const json::value* title = node.if_contains("title");
    if (title != nullptr && title->is_string()) fact.title = text_view(title->get_string());
    if (const LevelIndex* inner = index_.definition_of(node)) {
      fact.subgraph = id_text(inner->graph->if_contains("name")).value_or(fact.type);
    }
    read_sockets(fact, level, node, prefix);
    read_widgets(fact, node);
    return fact;
  }

  void read_sockets(NodeFact& fact, const LevelIndex& level, const json::object& node,
                    const std::string& prefix) {
    if (const json::array* inputs = array_member(node, "inputs")) {
      for (const json::value& one : *inputs) {
        const json::object& input = one.get_object();
        InputFact in;
        in.name = slot_name(input);
        in.type = slot_type(input);
        if (fact.schema != nullptr) in.schema = fact.schema->input(in.name);
        if (const auto link = id_text(input.if_contains("link"))) {
          const auto record = level.links.find(*link);
          in.dangling = record == level.links.end();
          if (!in.dangling) in.from = link_end(level, record->second, prefix, in.dangling);
        }
        fact.inputs.push_back(std::move(in));
      }
    }
    if (const json::array* outputs = array_member(node, "outputs")) {
      for (const json::value& one : *outputs) {
        fact.outputs.push_back({slot_name(one.get_object()), slot_type(one.get_object()), {}});
      }
    }
  }

  static LinkEnd link_end(const LevelIndex& level, const LinkRecord& link,
                          const std::string& prefix, bool& dangling) {
    LinkEnd end{prefix + link.from, link.from_slot, std::to_string(link.from_slot)};
    if (link.from == kSubgraphInput) {
      const json::object* slot = slot_at(*level.graph, "inputs", link.from_slot);
      dangling = slot == nullptr;
      end.node = prefix + "input";
      if (slot != nullptr) end.name = slot_name(*slot);
      return end;
    }
    const auto node = level.nodes.find(link.from);
    dangling = node == level.nodes.end();
    if (dangling) return end;
    const json::object* slot = slot_at(*node->second, "outputs", link.from_slot);
    if (slot != nullptr && !slot_name(*slot).empty()) end.name = slot_name(*slot);
    return end;
  }

  void read_widgets(NodeFact& fact, const json::object& node) {
    WidgetSlots slots;
    if (const LevelIndex* inner = index_.definition_of(node)) {
      slots = subgraph_slots(node, *inner);
    } else if (fact.schema != nullptr) {
      auto known = widget_slots(*fact.schema, node);
      slots = known ? std::move(*known) : unnamed_slots(fact.type, node);
    } else {
      slots = unnamed_slots(fact.type, node);
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const json::value* value = widget_value(node, slots, i);
      InputFact* same = slots[i].sent ? fact_named(fact.inputs, slots[i].name) : nullptr;
      if (same == nullptr) {
        if (value == nullptr && slots[i].schema == nullptr) continue;
        fact.inputs.push_back({slots[i].name, "*", {}, false, {}, slots[i].sent, slots[i].schema});
        same = &fact.inputs.back();
        if (slots[i].schema != nullptr) same->type = slots[i].schema->type;
      }
      if (value != nullptr) same->value = tree_text(*value);
    }
  }

  GraphIndex index_;
  const NodeSchemas& schemas_;
  std::vector<NodeFact> out_;
};

std::vector<NodeFact> api_facts(const json::object& root, const NodeSchemas& schemas) {
  std::vector<NodeFact> out;
  core::StringMap<std::size_t> places;
  for (const json::key_value_pair& member : root) {
    const json::object& node = member.value().get_object();
    NodeFact fact;
    fact.id = std::string(member.key());
    fact.type = std::string(api_type(node));
    fact.title = std::string(api_title(node));
    fact.mode = "always";
    fact.schema = schemas.find(fact.type);
    if (fact.schema != nullptr) {
      for (const OutputSchema& one : fact.schema->outputs) {
        fact.outputs.push_back({one.name, one.type, {}});
      }
    }
    places.emplace(fact.id, out.size());
    out.push_back(std::move(fact));
  }
  for (NodeFact& fact : out) {
    const json::object* inputs = object_member(root.at(fact.id).get_object(), "inputs");
    if (inputs == nullptr) continue;
    for (const json::key_value_pair& member : *inputs) {
      InputFact in;
      in.name = std::string(member.key());
      in.schema = fact.schema == nullptr ? nullptr : fact.schema->input(in.name);
      in.type = in.schema == nullptr ? "*" : in.schema->type;
      if (const auto link = api_link(member.value())) {
        const auto from = places.find(link->from);
        in.dangling = from == places.end();
        const NodeSchema* schema = in.dangling ? nullptr : out[from->second].schema;
        in.from = LinkEnd{link->from, link->slot, output_label(schema, link->slot)};
        if (!in.dangling && link->slot >= 0 && link->slot < 64) {
          auto& outputs = out[from->second].outputs;
          const auto at = static_cast<std::size_t>(link->slot);
          if (schema == nullptr && outputs.size() <= at) outputs.resize(at + 1);
          if (at < outputs.size()) {
            outputs[at].to.push_back(
                {fact.id, static_cast<std::int64_t>(fact.inputs.size()), in.name});
          }
        }
      } else {
        in.value = tree_text(member.value());
      }
      fact.inputs.push_back(std::move(in));
    }
  }
  return out;
}

}  // namespace

std::vector<NodeFact> graph_facts(const WorkflowTree& tree, const NodeSchemas& schemas) {
  if (tree.form == Form::api) return api_facts(tree.root, schemas);
  return UiFacts(tree.root, schemas).read();
}

std::string output_label(const NodeSchema* schema, std::int64_t slot) {
  if (schema != nullptr && slot >= 0 && static_cast<std::uint64_t>(slot) < schema->outputs.size()) {
    const std::string& name = schema->outputs[static_cast<std::size_t>(slot)].name;
    if (!name.empty()) return name;
  }
  return std::to_string(slot);
}

}  // namespace parley::comfyui
