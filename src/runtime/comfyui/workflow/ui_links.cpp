// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "runtime/comfyui/workflow/edit_check.h"
#include "runtime/comfyui/workflow/ui_edit.h"

namespace parley::comfyui {
namespace {

// Greater ids are ignored when the next id is chosen, so that it never overflows.
constexpr std::int64_t kMaxCountedId = std::int64_t{1} << 50;

bool is_one_of(const json::value* id, const LinkIds& links) {
  const auto text = id_text(id);
  return text && links.contains(*text);
}

template <typename Gone>
void erase_where(json::array* list, Gone gone) {
  if (list == nullptr) return;
  list->erase(std::remove_if(list->begin(), list->end(), gone), list->end());
}

// Erases ids from the member `list` of the objects in `holders`.
void erase_ids_in(json::array* holders, std::string_view list, const LinkIds& links) {
  if (holders == nullptr) return;
  for (json::value& one : *holders) {
    if (json::object* holder = one.if_object()) {
      erase_where(array_member(*holder, list),
                  [&links](const json::value& id) { return is_one_of(&id, links); });
    }
  }
}

// Erases ids from the reroute points that the front end draws on links.
void erase_from_reroutes(json::object& graph, const LinkIds& links) {
  erase_ids_in(array_member(graph, "reroutes"), "linkIds", links);
  json::value* extra = graph.if_contains("extra");
  if (extra == nullptr || !extra->is_object()) return;
  erase_ids_in(array_member(extra->get_object(), "reroutes"), "linkIds", links);
  erase_where(array_member(extra->get_object(), "linkExtensions"),
              [&links](const json::value& one) {
                const json::object* extension = one.if_object();
                return extension != nullptr && is_one_of(extension->if_contains("id"), links);
              });
}

std::int64_t greatest_link(const json::object& graph) {
  std::int64_t greatest = integer_of(graph.if_contains("last_link_id")).value_or(0);
  if (const json::object* state = object_member(graph, "state")) {
    greatest = std::max(greatest, integer_of(state->if_contains("lastLinkId")).value_or(0));
  }
  if (greatest > kMaxCountedId) greatest = 0;
  if (const json::array* links = array_member(graph, "links")) {
    for (const json::value& one : *links) {
      const json::array* array = one.if_array();
      const json::object* object = one.if_object();
      const json::value* id = nullptr;
      if (array != nullptr && !array->empty()) id = &array->front();
      if (object != nullptr) id = object->if_contains("id");
      const std::int64_t number = integer_of(id).value_or(0);
      if (number <= kMaxCountedId) greatest = std::max(greatest, number);
    }
  }
  return greatest;
}

std::int64_t fresh_link(const json::object& root, const json::object& graph) {
  std::int64_t id = std::max(greatest_link(root), greatest_link(graph)) + 1;
  const LevelIndex level = index_level(graph);
  while (level.links.contains(std::to_string(id))) ++id;
  return id;
}

void count_link(json::object& graph, std::int64_t id) {
  json::value* state = graph.if_contains("state");
  if (state != nullptr && state->is_object()) {
    state->get_object()["lastLinkId"] = id;
  } else if (graph.contains("last_link_id")) {
    graph["last_link_id"] = id;
  }
}

// True if links are objects, as in definitions and newer workflows.
bool has_object_links(const json::object& root, const json::object& graph) {
  const json::array* links = array_member(graph, "links");
  if (links != nullptr) {
    for (const json::value& one : *links) {
      if (!one.is_null()) return one.is_object();
    }
  }
  return &root != &graph || object_member(root, "state") != nullptr;
}

json::array& list_of(json::object& from, std::string_view name) {
  json::value& list = from[name];
  if (!list.is_array()) list = json::array();
  return list.get_array();
}

}  // namespace

void remove_links(json::object& graph, const LinkIds& links) {
  erase_where(array_member(graph, "links"), [&links](const json::value& one) {
    const auto record = read_link(one);
    return record && links.contains(record->id);
  });
  if (json::array* nodes = array_member(graph, "nodes")) {
    for (json::value& one : *nodes) {
      json::object& node = one.get_object();
      if (json::array* inputs = array_member(node, "inputs")) {
        for (json::value& slot : *inputs) {
          json::value* held = slot.get_object().if_contains("link");
          if (is_one_of(held, links)) *held = nullptr;
        }
      }
      erase_ids_in(array_member(node, "outputs"), "links", links);
    }
  }
  erase_ids_in(array_member(graph, "inputs"), "linkIds", links);
  erase_ids_in(array_member(graph, "outputs"), "linkIds", links);
  erase_from_reroutes(graph, links);
}

void add_link(json::object& root, NodePlace& from, std::size_t output, NodePlace& to,
              std::size_t input) {
  json::object& graph = *from.graph;
  const std::int64_t id = fresh_link(root, graph);
  json::object& out = list_of(*from.node, "outputs")[output].get_object();
  json::object& in = list_of(*to.node, "inputs")[input].get_object();
  const std::string in_type = slot_type(in);
  const std::string type = in_type == "*" ? slot_type(out) : in_type;
  const json::value from_id = *from.node->if_contains("id");
  const json::value to_id = *to.node->if_contains("id");
  json::value link;
  if (has_object_links(root, graph)) {
    link = json::object{{"id", id},           {"origin_id", from_id}, {"origin_slot", output},
                        {"target_id", to_id}, {"target_slot", input}, {"type", type}};
  } else {
    link = json::array{id, from_id, output, to_id, input, json::value(type)};
  }
  list_of(out, "links").emplace_back(id);
  in["link"] = id;
  list_of(graph, "links").push_back(std::move(link));
  count_link(root, id);
  if (&root != &graph) count_link(graph, id);
}

}  // namespace parley::comfyui
