// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/ui_edit.h"

#include <algorithm>
#include <utility>

#include "base/core/near_names.h"
#include "base/core/result.h"
#include "runtime/comfyui/workflow/edit_check.h"
#include "runtime/comfyui/workflow/widget_slots.h"

namespace parley::comfyui {
namespace {

json::object* find_node(json::object& graph, std::string_view id) {
  json::array* nodes = array_member(graph, "nodes");
  if (nodes == nullptr) return nullptr;
  for (json::value& one : *nodes) {
    json::object& node = one.get_object();
    if (id_text(node.if_contains("id")) == id) return &node;
  }
  return nullptr;
}

json::object* find_definition(json::object& root, std::string_view type) {
  json::value* definitions = root.if_contains("definitions");
  if (definitions == nullptr || !definitions->is_object()) return nullptr;
  json::array* subgraphs = array_member(definitions->get_object(), "subgraphs");
  if (subgraphs == nullptr) return nullptr;
  for (json::value& one : *subgraphs) {
    json::object& graph = one.get_object();
    if (id_text(graph.if_contains("id")) == type) return &graph;
  }
  return nullptr;
}

// Limit of the reroutes that are followed to find a type.
constexpr std::size_t kMaxReroutes = 64;

std::vector<std::string> ids_of(const json::object& graph) {
  std::vector<std::string> out;
  const json::array* nodes = array_member(graph, "nodes");
  if (nodes == nullptr) return out;
  for (const json::value& one : *nodes) out.push_back(*id_text(one.get_object().if_contains("id")));
  return out;
}

std::vector<std::string> names_of_slots(const json::object& node, std::string_view side) {
  std::vector<std::string> out;
  if (const json::array* slots = array_member(node, side)) {
    for (const json::value& one : *slots) out.push_back(slot_name(one.get_object()));
  }
  return out;
}

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

const json::value* linked(const json::object& node, std::string_view input) {
  const json::array* slots = array_member(node, "inputs");
  if (slots == nullptr) return nullptr;
  for (const json::value& one : *slots) {
    const json::object& slot = one.get_object();
    if (slot_name(slot) != input) continue;
    const json::value* link = slot.if_contains("link");
    return link == nullptr || link->is_null() ? nullptr : link;
  }
  return nullptr;
}

// True if a link comes from an input of the subgraph; the node's own value is then the fallback.
bool comes_from_frame(const json::object& graph, const json::value& link) {
  const LevelIndex level = index_level(graph);
  const auto id = id_text(&link);
  const auto found = id ? level.links.find(*id) : level.links.end();
  return found != level.links.end() && found->second.from == kSubgraphInput;
}

core::Result<WidgetSlots> slots_of(json::object& root, const NodePlace& place,
                                   const NodeSchemas& schemas) {
  const std::string_view type = node_type(*place.node);
  if (const json::object* inner = find_definition(root, type)) {
    return subgraph_slots(*place.node, index_level(*inner));
  }
  const NodeSchema* schema = schemas.find(type);
  if (schema == nullptr) return unnamed_slots(type, *place.node);
  auto slots = widget_slots(*schema, *place.node);
  if (slots) return slots;
  core::Error error = std::move(slots.error());
  error.message = "Node " + place.name + ": " + error.message;
  return core::fail(std::move(error));
}

core::Error no_such_widget(const NodePlace& place, std::string_view input, const WidgetSlots& slots,
                           const NodeSchemas& schemas) {
  const NodeSchema* schema = schemas.find(node_type(*place.node));
  const InputSchema* socket = schema == nullptr ? nullptr : schema->input(input);
  const std::vector<std::string> sockets = names_of_slots(*place.node, "inputs");
  if (socket != nullptr || std::find(sockets.begin(), sockets.end(), input) != sockets.end()) {
    return {core::Code::invalid_argument,
            "Node " + place.name + ": input " + core::in_quotes(input) + " takes a link" +
                (socket == nullptr ? "" : " of type " + socket->type) +
                ", not a value. Connect it.",
            "input"};
  }
  std::vector<std::string_view> names;
  for (const WidgetSlot& slot : slots) names.emplace_back(slot.name);
  return no_such_slot(place.name, "input", input, names);
}

core::Result<json::value> checked_slot_value(const WidgetSlot& slot, json::value value) {
  if (slot.schema != nullptr) return checked_value(*slot.schema, std::move(value));
  if (slot.name != kControlName) return value;
  static const json::array kControls = {"fixed", "increment", "decrement", "randomize"};
  for (const json::value& one : kControls) {
    if (one == value) return value;
  }
  return core::fail(core::Code::invalid_argument, "expected one of " +
                                                      tree_text(json::value(kControls)) +
                                                      ", found " + value_for_message(value) + ".");
}

// Index of the input in `inputs`; a missing input that the class knows is appended, with its widget
// if it has one.
core::Result<std::size_t> input_place(NodePlace& place, std::string_view input,
                                      const NodeSchemas& schemas) {
  const std::vector<std::string> names = names_of_slots(*place.node, "inputs");
  if (const auto found = place_of(input, views_of(names))) return *found;
  const NodeSchema* schema = schemas.find(node_type(*place.node));
  const InputSchema* known = schema == nullptr ? nullptr : schema->input(input);
  if (known != nullptr) return names.size();
  std::vector<std::string_view> all = views_of(names);
  if (schema != nullptr) {
    for (const std::string_view name : schema->input_names()) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
  }
  return core::fail(no_such_slot(place.name, "input", input, all));
}

void append_slot(json::object& node, const InputSchema& known) {
  json::object slot = {{"name", known.name}, {"type", known.type}, {"link", nullptr}};
  if (known.widget != WidgetKind::none) slot["widget"] = json::object{{"name", known.name}};
  json::value& inputs = node["inputs"];
  if (!inputs.is_array()) inputs = json::array();
  inputs.get_array().push_back(std::move(slot));
}

// True if node `target` is `start` or feeds it.
bool feeds(const json::object& graph, const std::string& target, const std::string& start) {
  const LevelIndex level = index_level(graph);
  std::vector<std::string> waiting = {start};
  core::StringMap<bool> seen;
  while (!waiting.empty()) {
    const std::string id = std::move(waiting.back());
    waiting.pop_back();
    if (id == target) return true;
    if (!seen.emplace(id, true).second) continue;
    const auto node = level.nodes.find(id);
    const json::array* inputs =
        node == level.nodes.end() ? nullptr : array_member(*node->second, "inputs");
    if (inputs == nullptr) continue;
    for (const json::value& one : *inputs) {
      const auto held = id_text(one.get_object().if_contains("link"));
      const auto link = held ? level.links.find(*held) : level.links.end();
      if (link != level.links.end()) waiting.push_back(link->second.from);
    }
  }
  return false;
}

// Type of an output; for a Reroute, of the output that feeds it.
std::string origin_type(const LevelIndex& level, const json::object& start, std::size_t output) {
  const json::object* node = &start;
  auto slot = static_cast<std::int64_t>(output);
  for (std::size_t hops = 0; hops < kMaxReroutes && node_type(*node) == "Reroute"; ++hops) {
    const json::object* in = slot_at(*node, "inputs", 0);
    const auto id = in == nullptr ? std::nullopt : id_text(in->if_contains("link"));
    const auto link = id ? level.links.find(*id) : level.links.end();
    const auto from =
        link == level.links.end() ? level.nodes.end() : level.nodes.find(link->second.from);
    if (from == level.nodes.end()) return "*";
    node = from->second;
    slot = link->second.from_slot;
  }
  const json::object* out = slot_at(*node, "outputs", slot);
  return out == nullptr ? "*" : slot_type(*out);
}

// The types that the inputs after a Reroute expect.
std::vector<std::string> types_behind(const LevelIndex& level, const std::string& reroute) {
  std::vector<std::string> out;
  std::vector<std::string> waiting = {reroute};
  for (std::size_t next = 0; next < waiting.size() && next < kMaxReroutes; ++next) {
    const std::string id = waiting[next];
    for (const auto& [name, link] : level.links) {
      const auto to = link.from == id ? level.nodes.find(link.to) : level.nodes.end();
      if (to == level.nodes.end()) continue;
      const json::object* slot = slot_at(*to->second, "inputs", link.to_slot);
      if (node_type(*to->second) == "Reroute") {
        waiting.push_back(link.to);
      } else if (slot != nullptr) {
        out.push_back(slot_type(*slot));
      }
    }
  }
  return out;
}

// True for "3:seed", the widget of an inner node, if the instance has no value for it.
bool is_inner_widget(const NodePlace& place, const WidgetSlots& slots, std::size_t index) {
  return slots[index].name.find(':') != std::string::npos &&
         widget_value(*place.node, slots, index) == nullptr;
}

}  // namespace

core::Result<NodePlace> locate(json::object& root, std::string_view path, std::string_view field) {
  json::object* graph = &root;
  std::string_view rest = path;
  for (std::size_t depth = 0; depth <= kMaxSubgraphDepth; ++depth) {
    if (json::object* node = find_node(*graph, rest)) {
      return NodePlace{graph, node, std::string(rest), node_name(path, node_type(*node))};
    }
    const std::size_t colon = rest.find(':');
    json::object* outer =
        colon == std::string_view::npos ? nullptr : find_node(*graph, rest.substr(0, colon));
    json::object* inner = outer == nullptr ? nullptr : find_definition(root, node_type(*outer));
    if (inner == nullptr) break;
    graph = inner;
    rest.remove_prefix(colon + 1);
  }
  std::vector<std::string> ids = ids_of(*graph);
  const std::string prefix(path.substr(0, path.size() - rest.size()));
  for (std::string& id : ids) id.insert(0, prefix);
  return core::fail(no_such_node(path, views_of(ids), field));
}

core::Result<std::string> ui_set_input(json::object& root, std::string_view id,
                                       std::string_view input, json::value value,
                                       const NodeSchemas& schemas) {
  PARLEY_TRY(auto place, locate(root, id, "node"));
  PARLEY_TRY(auto slots, slots_of(root, place, schemas));
  const auto slot = std::find_if(slots.begin(), slots.end(),
                                 [input](const WidgetSlot& one) { return one.name == input; });
  if (slot == slots.end()) {
    return core::fail(no_such_widget(place, input, slots, schemas));
  }
  const json::value* link = linked(*place.node, input);
  const bool framed = link != nullptr && comes_from_frame(*place.graph, *link);
  if (link != nullptr && !framed) {
    return core::fail(core::Code::failed_precondition,
                      "Node " + place.name + ": input " + core::in_quotes(input) +
                          " is connected (link " + tree_text(*link) +
                          "), so a value has no effect. Disconnect it first.",
                      "input");
  }
  const auto index = static_cast<std::size_t>(slot - slots.begin());
  if (is_inner_widget(place, slots, index)) {
    const std::size_t colon = slot->name.find(':');
    const std::string inner = std::string(id) + ":" + slot->name.substr(0, colon);
    if (locate(root, inner, "node")) {
      return ui_set_input(root, inner, slot->name.substr(colon + 1), std::move(value), schemas);
    }
  }
  auto checked = checked_slot_value(*slot, std::move(value));
  if (!checked) return core::fail(bad_value(place.name, input, std::move(checked.error())));
  const json::value* before = widget_value(*place.node, slots, index);
  std::string summary = changed_text(place.name, input, *checked, before);
  if (framed) {
    summary += " It is used only if the input of the subgraph has neither a link nor a value.";
  }
  put_widget_value(*place.node, slots, index, std::move(*checked));
  return summary;
}

core::Result<std::string> ui_connect(json::object& root, std::string_view from,
                                     std::string_view output, std::string_view to,
                                     std::string_view input, const NodeSchemas& schemas) {
  PARLEY_TRY(auto source, locate(root, from, "from"));
  PARLEY_TRY(auto target, locate(root, to, "to"));
  if (source.graph != target.graph) {
    return core::fail(core::Code::invalid_argument,
                      "Nodes " + source.name + " and " + target.name +
                          " are on different levels; a link cannot cross the border of a subgraph.",
                      "to");
  }
  const std::vector<std::string> outputs = names_of_slots(*source.node, "outputs");
  const auto out_place = place_of(output, views_of(outputs));
  if (!out_place) {
    return core::fail(no_such_slot(source.name, "output", output, views_of(outputs)));
  }
  PARLEY_TRY(const auto in_place, input_place(target, input, schemas));
  const json::object* in = slot_at(*target.node, "inputs", static_cast<std::int64_t>(in_place));
  const NodeSchema* schema = schemas.find(node_type(*target.node));
  const InputSchema* known = schema == nullptr ? nullptr : schema->input(input);
  const LevelIndex level = index_level(*source.graph);
  const std::string created = origin_type(level, *source.node, *out_place);
  std::vector<std::string> wanted = {known != nullptr ? known->type : slot_type(*in)};
  if (node_type(*target.node) == "Reroute") wanted = types_behind(level, target.id);
  for (const std::string& one : wanted) {
    if (types_fit(created, one)) continue;
    return core::fail(types_differ(source.name, output, created, target.name, input, one));
  }
  if (feeds(*source.graph, target.id, source.id)) {
    return core::fail(makes_a_loop(source.name, target.name));
  }
  if (in == nullptr) append_slot(*target.node, *known);
  std::string summary = "Output " + core::in_quotes(output) + " of node " + source.name +
                        " is connected to input " + core::in_quotes(input) + " of node " +
                        target.name;
  in = slot_at(*target.node, "inputs", static_cast<std::int64_t>(in_place));
  if (const auto old = id_text(in->if_contains("link"))) {
    remove_links(*target.graph, {{*old, true}});
    summary += "; its link before is removed";
  }
  add_link(root, source, *out_place, target, in_place);
  return summary + ".";
}

core::Result<std::string> ui_disconnect(json::object& root, std::string_view id,
                                        std::string_view input) {
  PARLEY_TRY(auto place, locate(root, id, "node"));
  const std::vector<std::string> names = names_of_slots(*place.node, "inputs");
  const auto at = place_of(input, views_of(names));
  if (!at) return core::fail(no_such_slot(place.name, "input", input, views_of(names)));
  const json::object* slot = slot_at(*place.node, "inputs", static_cast<std::int64_t>(*at));
  const auto link = id_text(slot->if_contains("link"));
  if (!link) {
    return core::fail(
        core::Code::failed_precondition,
        "Node " + place.name + ": input " + core::in_quotes(input) + " is not connected.", "input");
  }
  remove_links(*place.graph, {{*link, true}});
  // Also clears a link that is missing from the list.
  json::array& inputs = *array_member(*place.node, "inputs");
  inputs[*at].get_object()["link"] = nullptr;
  return "Input " + core::in_quotes(input) + " of node " + place.name + " is disconnected.";
}

core::Result<std::string> ui_remove_node(json::object& root, std::string_view id) {
  PARLEY_TRY(auto place, locate(root, id, "node"));
  LinkIds removed;
  const LevelIndex level = index_level(*place.graph);
  for (const auto& [link, record] : level.links) {
    if (record.from == place.id || record.to == place.id) removed.emplace(link, true);
  }
  remove_links(*place.graph, removed);
  json::array& nodes = *array_member(*place.graph, "nodes");
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&place](const json::value& one) {
    return id_text(one.get_object().if_contains("id")) == place.id;
  });
  nodes.erase(found);
  return "Node " + place.name + " is removed with " + std::to_string(removed.size()) +
         (removed.size() == 1 ? " link." : " links.");
}

}  // namespace parley::comfyui
