// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/convert.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/core/near_names.h"
#include "base/core/result.h"
#include "runtime/comfyui/workflow/edit_check.h"
#include "runtime/comfyui/workflow/graph_index.h"
#include "runtime/comfyui/workflow/widget_slots.h"
#include "runtime/comfyui/workflow/workflow_tree.h"

namespace parley::comfyui {
namespace {

// One instance of a level: the workflow itself, or a subgraph at one of its nodes.
struct Frame {
  const LevelIndex* level = nullptr;
  std::string prefix;  // "12:"
  const Frame* parent = nullptr;
  const json::object* instance = nullptr;  // the node on the parent's level
  std::size_t depth = 0;
};

// Source of an input's value.
struct Origin {
  std::optional<ApiLink> link;         // of the API form
  const json::value* value = nullptr;  // of a PrimitiveNode or a subgraph's widget
};

// One step from an input to its origin: an input slot, or a link.
struct Hop {
  const Frame* frame = nullptr;
  const json::object* slot = nullptr;
  const LinkRecord* link = nullptr;
};

const json::object* input_named(const json::object& node, std::string_view name) {
  const json::array* inputs = array_member(node, "inputs");
  if (inputs == nullptr) return nullptr;
  for (const json::value& one : *inputs) {
    if (slot_name(one.get_object()) == name) return one.if_object();
  }
  return nullptr;
}

// The input that a bypassed node forwards to an output, by type; nullptr if none. The preference is
// that of the front end: the same position if it fits the output, the exact type, any type that
// fits.
const json::object* bridged_input(const json::object& node, std::int64_t output,
                                  const std::string& wanted) {
  const json::array* inputs = array_member(node, "inputs");
  if (inputs == nullptr || inputs->empty()) return nullptr;
  const json::object* out = slot_at(node, "outputs", output);
  const std::string own = out == nullptr ? wanted : slot_type(*out);
  const json::object* same = slot_at(node, "inputs", output);
  if (wanted == "*") return same != nullptr ? same : inputs->front().if_object();
  if (same != nullptr && types_fit(slot_type(*same), own)) return same;
  for (const json::value& one : *inputs) {
    if (slot_type(one.get_object()) == wanted) return one.if_object();
  }
  for (const json::value& one : *inputs) {
    if (types_fit(slot_type(one.get_object()), own)) return one.if_object();
  }
  return nullptr;
}

class Converter {
 public:
  Converter(const json::object& root, const NodeSchemas& schemas)
      : index_(index_graph(root)), schemas_(schemas) {}

  core::Result<WorkflowTree> run() {
    PARLEY_TRY_VOID(expand());
    WorkflowTree out;
    out.form = Form::api;
    for (const Sent& sent : sent_) {
      PARLEY_TRY(auto node, api_node_of(sent));
      bytes_ += tree_text(json::value(node)).size() + sent.id.size();
      if (bytes_ > kMaxWorkflowBytes) {
        return core::fail(core::Code::resource_exhausted,
                          "The workflow with its subgraphs expanded has more than " +
                              std::to_string(kMaxWorkflowBytes) + " bytes.",
                          "workflow");
      }
      out.root.emplace(sent.id, std::move(node));
    }
    return out;
  }

 private:
  struct Sent {
    const Frame* frame;
    const json::object* node;
    std::string id;
    std::string name;
  };

  // Lists the nodes to send, and the frames of all subgraphs.
  core::Result<void> expand() {
    frames_.push_back(std::make_unique<Frame>());
    frames_.front()->level = &index_.top;
    std::size_t next = 0;
    while (next < frames_.size()) {  // take_node() appends frames
      const Frame& frame = *frames_[next++];
      const json::array* nodes = array_member(*frame.level->graph, "nodes");
      if (nodes == nullptr) continue;
      for (const json::value& one : *nodes) {
        if (auto ok = take_node(frame, one.get_object()); !ok) return ok;
        if (sent_.size() + frames_.size() > kMaxNodes) {
          return core::fail(core::Code::resource_exhausted,
                            "The workflow with its subgraphs expanded has more than " +
                                std::to_string(kMaxNodes) + " nodes.",
                            "workflow");
        }
      }
    }
    return {};
  }

  core::Result<void> take_node(const Frame& frame, const json::object& node) {
    const std::string_view type = node_type(node);
    const std::int64_t mode = node_mode(node);
    if (is_virtual(type) || mode == kModeMuted || mode == kModeBypassed) return {};
    const std::string id = frame.prefix + *id_text(node.if_contains("id"));
    const std::string name = node_name(id, type);
    const LevelIndex* inner = index_.definition_of(node);
    if (inner == nullptr) {
      if (schemas_.find(type) == nullptr) {
        core::Error error = no_such_class(type, schemas_);
        error.message = "Node " + name + ": " + error.message;
        error.field = "workflow";
        return core::fail(std::move(error));
      }
      ids_.emplace(id, true);
      sent_.push_back({&frame, &node, id, name});
      return {};
    }
    if (frame.depth >= kMaxSubgraphDepth) {
      return core::fail(core::Code::resource_exhausted,
                        "Node " + name + ": subgraphs are nested deeper than " +
                            std::to_string(kMaxSubgraphDepth) + " levels, or one contains itself.",
                        "workflow");
    }
    auto created = std::make_unique<Frame>(Frame{inner, id + ":", &frame, &node, frame.depth + 1});
    by_prefix_.emplace(created->prefix, created.get());
    frames_.push_back(std::move(created));
    return {};
  }

  core::Result<json::object> api_node_of(const Sent& sent) {
    const NodeSchema& schema = *schemas_.find(node_type(*sent.node));
    auto slots = widget_slots(schema, *sent.node);
    if (!slots) {
      core::Error error = std::move(slots.error());
      error.message = "Node " + sent.name + ": " + error.message;
      return core::fail(std::move(error));
    }
    json::object inputs;
    for (std::size_t i = 0; i < slots->size(); ++i) {
      if ((*slots)[i].sent) put_value(inputs, sent, *slots, i);
    }
    if (const json::array* sockets = array_member(*sent.node, "inputs")) {
      for (const json::value& one : *sockets) {
        PARLEY_TRY_VOID(put_link(inputs, sent, *slots, one.get_object()));
      }
    }
    const json::value* title = sent.node->if_contains("title");
    const bool titled = title != nullptr && title->is_string() && !title->get_string().empty();
    json::object out;
    out["inputs"] = std::move(inputs);
    out["class_type"] = schema.type;
    out["_meta"] = json::object{{"title", titled ? *title : json::value(schema.display_name)}};
    return out;
  }

  static void put_wrapped(json::object& inputs, std::string_view name, const json::value& value) {
    if (value.is_array()) {
      inputs[name] = json::object{{"__value__", value}};
    } else {
      inputs[name] = value;
    }
  }

  // The widget of an inner node may have its value in the node of the subgraph.
  const json::value* outer_value(const Sent& sent, const std::string& widget) const {
    if (sent.frame->instance == nullptr) return nullptr;
    const std::string id = sent.id.substr(sent.frame->prefix.size());
    return instance_value(*sent.frame, id + ":" + widget);
  }

  static const json::value* instance_value(const Frame& frame, std::string_view name) {
    const WidgetSlots slots = subgraph_slots(*frame.instance, *frame.level);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].name != name) continue;
      const json::value* value = widget_value(*frame.instance, slots, i);
      return value == nullptr || value->is_null() ? nullptr : value;
    }
    return nullptr;
  }

  void put_value(json::object& inputs, const Sent& sent, const WidgetSlots& slots,
                 std::size_t index) const {
    const json::value* value = outer_value(sent, slots[index].name);
    if (value == nullptr) value = widget_value(*sent.node, slots, index);
    if (value != nullptr) {
      put_wrapped(inputs, slots[index].name, *value);
      return;
    }
    const json::value fallback = default_of(slots[index]);
    if (!fallback.is_null()) put_wrapped(inputs, slots[index].name, fallback);
  }

  core::Result<void> put_link(json::object& inputs, const Sent& sent, const WidgetSlots& slots,
                              const json::object& slot) {
    const std::string name = slot_name(slot);
    auto origin = origin_of(sent, slot);
    if (!origin) {
      core::Error error = std::move(origin.error());
      error.message =
          "Node " + sent.name + ", input " + core::in_quotes(name) + ": " + error.message;
      error.field = "workflow";
      return core::fail(std::move(error));
    }
    const bool widget = std::any_of(slots.begin(), slots.end(), [&name](const WidgetSlot& one) {
      return one.sent && one.name == name;
    });
    if (origin->value != nullptr && widget) put_wrapped(inputs, name, *origin->value);
    if (!origin->link) return {};
    if (ids_.contains(origin->link->from)) {
      inputs[name] = json::array{json::value(origin->link->from), json::value(origin->link->slot)};
    } else {
      inputs.stable_erase(name);  // from a muted node
    }
    return {};
  }

  core::Result<Origin> origin_of(const Sent& sent, const json::object& slot) {
    Hop at{sent.frame, &slot, nullptr};
    const std::string wanted = slot_type(slot);
    for (std::size_t hops = 0; hops < kMaxHops; ++hops) {
      Origin found;
      auto next = at.link == nullptr ? behind_input(at, found) : behind_link(at, wanted, found);
      if (!next) return core::fail(std::move(next.error()));
      if (next->frame == nullptr) return found;
      at = *next;
    }
    return core::fail(core::Code::failed_precondition,
                      "its link passes more than " + std::to_string(kMaxHops) +
                          " reroutes and bypassed nodes, or goes round in a loop.");
  }

  // Steps from an input slot to its link.
  static core::Result<Hop> behind_input(const Hop& at, Origin& /*found*/) {
    const auto id = id_text(at.slot->if_contains("link"));
    if (!id) return Hop{};
    const auto link = at.frame->level->links.find(*id);
    if (link == at.frame->level->links.end()) {
      return core::fail(core::Code::failed_precondition,
                        "its link " + core::in_quotes(*id) + " does not exist.");
    }
    return Hop{at.frame, nullptr, &link->second};
  }

  // Steps from a link to its origin, or to the next input slot.
  core::Result<Hop> behind_link(const Hop& at, const std::string& wanted, Origin& found) const {
    const LinkRecord& link = *at.link;
    if (link.from == kSubgraphInput) return out_of_subgraph(at, found);
    const auto origin = at.frame->level->nodes.find(link.from);
    if (origin == at.frame->level->nodes.end()) {
      return core::fail(core::Code::failed_precondition,
                        "its link " + core::in_quotes(link.id) + " comes from node " +
                            core::in_quotes(at.frame->prefix + link.from) +
                            ", which does not exist.");
    }
    const json::object& node = *origin->second;
    const std::string_view type = node_type(node);
    if (type == "PrimitiveNode") {
      const json::array* values = array_member(node, "widgets_values");
      const bool holds = values != nullptr && !values->empty() && !values->front().is_null();
      if (holds) found.value = &values->front();
      return Hop{};
    }
    if (node_mode(node) == kModeBypassed) {
      const json::object* slot = bridged_input(node, link.from_slot, wanted);
      return slot == nullptr ? Hop{} : Hop{at.frame, slot, nullptr};
    }
    if (is_virtual(type)) {
      const json::object* slot = slot_at(node, "inputs", 0);
      return slot == nullptr ? Hop{} : Hop{at.frame, slot, nullptr};
    }
    if (node_mode(node) != kModeMuted && index_.definition_of(node) != nullptr) {
      return into_subgraph(at);
    }
    const NodeSchema* schema = schemas_.find(type);
    if (link.from_slot < 0 || (schema != nullptr && static_cast<std::uint64_t>(link.from_slot) >=
                                                        schema->outputs.size())) {
      return core::fail(core::Code::failed_precondition,
                        "its link " + core::in_quotes(link.id) + " comes from output " +
                            std::to_string(link.from_slot) + " of node " +
                            node_name(at.frame->prefix + link.from, type) + ", which has " +
                            std::to_string(schema == nullptr ? 0 : schema->outputs.size()) + ".");
    }
    found.link = ApiLink{at.frame->prefix + link.from, link.from_slot};
    return Hop{};
  }

  static core::Result<Hop> out_of_subgraph(const Hop& at, Origin& found) {
    const json::object* input = slot_at(*at.frame->level->graph, "inputs", at.link->from_slot);
    if (input == nullptr || at.frame->parent == nullptr) {
      return core::fail(core::Code::failed_precondition,
                        "its link " + core::in_quotes(at.link->id) + " comes from input " +
                            std::to_string(at.link->from_slot) +
                            " of the subgraph, which does not exist.");
    }
    const std::string name = slot_name(*input);
    const json::object* outer = input_named(*at.frame->instance, name);
    const json::value* link = outer == nullptr ? nullptr : outer->if_contains("link");
    if (link != nullptr && !link->is_null()) return Hop{at.frame->parent, outer, nullptr};
    found.value = instance_value(*at.frame, name);
    return Hop{};
  }

  core::Result<Hop> into_subgraph(const Hop& at) const {
    const auto frame = by_prefix_.find(at.frame->prefix + at.link->from + ":");
    if (frame == by_prefix_.end()) return Hop{};
    const LevelIndex& level = *frame->second->level;
    const json::object* output = slot_at(*level.graph, "outputs", at.link->from_slot);
    if (output == nullptr) {
      return core::fail(core::Code::failed_precondition,
                        "its link " + core::in_quotes(at.link->id) + " comes from output " +
                            std::to_string(at.link->from_slot) +
                            " of the subgraph, which does not exist.");
    }
    const json::array* ids = array_member(*output, "linkIds");
    const auto id = ids == nullptr || ids->empty() ? std::nullopt : id_text(&ids->front());
    const auto link = id ? level.links.find(*id) : level.links.end();
    if (link == level.links.end()) return Hop{};
    return Hop{frame->second, nullptr, &link->second};
  }

  GraphIndex index_;
  const NodeSchemas& schemas_;
  std::vector<std::unique_ptr<Frame>> frames_;
  core::StringMap<const Frame*> by_prefix_;
  std::vector<Sent> sent_;
  core::StringMap<bool> ids_;
  std::size_t bytes_ = 0;
};

}  // namespace

core::Result<Workflow> to_api(const Workflow& workflow, const NodeSchemas& schemas) {
  if (workflow.form() == Form::api) return workflow;
  PARLEY_TRY(auto tree, Converter(workflow.tree().root, schemas).run());
  return Workflow(std::move(tree));
}

}  // namespace parley::comfyui
