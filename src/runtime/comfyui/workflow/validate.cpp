// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/validate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/near_names.h"
#include "base/core/number_text.h"
#include "runtime/comfyui/workflow/convert.h"
#include "runtime/comfyui/workflow/edit_check.h"
#include "runtime/comfyui/workflow/graph_facts.h"
#include "runtime/comfyui/workflow/widget_slots.h"
#include "runtime/comfyui/workflow/workflow_tree.h"

namespace parley::comfyui {
namespace {

// Python's int() and float() of a value; std::nullopt if they fail.
std::optional<long double> python_number(const json::value& value, bool is_integer) {
  if (value.is_bool()) return value.get_bool() ? 1 : 0;
  if (value.is_int64()) return static_cast<long double>(value.get_int64());
  if (value.is_uint64()) return static_cast<long double>(value.get_uint64());
  if (value.is_double()) {
    const auto number = static_cast<long double>(value.get_double());
    return is_integer ? std::trunc(number) : number;
  }
  if (!value.is_string()) return std::nullopt;
  std::string_view text = core::trimmed(text_view(value.get_string()));
  if (text.starts_with('+')) text.remove_prefix(1);
  if (is_integer) return core::parse_number<std::int64_t>(text);
  return core::parse_number<double>(text);
}

class Validator {
 public:
  Validator(const json::object& root, const NodeSchemas& schemas)
      : root_(root), schemas_(schemas) {}

  Validation run() {
    find_classes();
    if (!findings_.empty()) return {std::move(findings_), {}};
    const std::vector<std::string> outputs = output_nodes();
    const std::vector<std::string> needed = needed_by(outputs);
    if (needed.empty()) {
      add("prompt_no_outputs", "", "", "",
          "The workflow has no output node, such as SaveImage or PreviewImage.");
      return {std::move(findings_), {}};
    }
    for (const std::string& id : needed) check_node(id);
    find_cycle(needed);
    std::vector<std::string> good = without_fault(outputs, needed);
    return {std::move(findings_), std::move(good)};
  }

 private:
  void add(std::string type, std::string node, std::string node_class, std::string input,
           std::string message) {
    faulty_.emplace(node, true);
    if (findings_.size() == kMaxFindings) return;
    findings_.push_back({std::move(type), std::move(node), std::move(node_class), std::move(input),
                         std::move(message)});
  }

  void find_classes() {
    for (const json::key_value_pair& member : root_) {
      const std::string type(api_type(member.value().get_object()));
      if (schemas_.find(type) != nullptr) continue;
      if (findings_.size() == kMaxFindings) return;
      const std::string id(member.key());
      add("missing_node_type", id, type, "",
          "Node " + node_name(id, type) + ": " + no_such_class(type, schemas_).message);
    }
  }

  const NodeSchema& schema_of(std::string_view id) const {
    return *schemas_.find(api_type(root_.at(id).get_object()));
  }

  template <typename Visit>
  void for_links(std::string_view id, Visit visit) const {
    const json::object* inputs = object_member(root_.at(id).get_object(), "inputs");
    if (inputs == nullptr) return;
    const NodeSchema& schema = schema_of(id);
    for (const json::key_value_pair& member : *inputs) {
      if (schema.input(member.key()) == nullptr) continue;
      const auto link = api_link(member.value());
      if (link && root_.contains(link->from)) visit(link->from);
    }
  }

  std::vector<std::string> output_nodes() const {
    std::vector<std::string> out;
    for (const json::key_value_pair& member : root_) {
      if (schema_of(member.key()).output_node) out.emplace_back(member.key());
    }
    return out;
  }

  // The outputs that need no faulty node.
  std::vector<std::string> without_fault(std::vector<std::string> outputs,
                                         const std::vector<std::string>& needed) {
    core::StringMap<std::vector<std::string>> feeds;
    for (const std::string& id : needed) {
      for_links(id, [&](const std::string& from) { feeds[from].push_back(id); });
    }
    std::vector<std::string> waiting;
    for (const auto& [id, there] : faulty_) waiting.push_back(id);
    while (!waiting.empty()) {
      const auto found = feeds.find(waiting.back());
      waiting.pop_back();
      if (found == feeds.end()) continue;
      for (const std::string& id : found->second) {
        if (faulty_.emplace(id, true).second) waiting.push_back(id);
      }
    }
    std::erase_if(outputs, [this](const std::string& id) { return faulty_.contains(id); });
    return outputs;
  }

  // The given nodes and all nodes that they need, in document order.
  std::vector<std::string> needed_by(std::vector<std::string> waiting) const {
    core::StringMap<bool> seen;
    while (!waiting.empty()) {
      const std::string id = std::move(waiting.back());
      waiting.pop_back();
      if (!seen.emplace(id, true).second) continue;
      for_links(id, [&waiting](const std::string& from) { waiting.push_back(from); });
    }
    std::vector<std::string> out;
    for (const json::key_value_pair& member : root_) {
      if (seen.contains(std::string_view(member.key()))) out.emplace_back(member.key());
    }
    return out;
  }

  void check_node(const std::string& id) {
    const NodeSchema& schema = schema_of(id);
    const json::object* inputs = object_member(root_.at(id).get_object(), "inputs");
    for (const InputSchema& input : schema.inputs) {
      const json::value* value = inputs == nullptr ? nullptr : inputs->if_contains(input.name);
      if (value != nullptr) {
        check_input(id, schema, input, *value);
      } else if (input.required && !is_composed(input)) {
        report("required_input_missing", id, schema, input, "this required input is missing.");
      }
    }
  }

  // True for an input that the server composes from several ("images.image0").
  static bool is_composed(const InputSchema& input) {
    return input.type.starts_with("COMFY_") && input.type.ends_with("_V3");
  }

  void report(std::string type, const std::string& id, const NodeSchema& schema,
              const InputSchema& input, const std::string& what) {
    add(std::move(type), id, schema.type, input.name,
        "Node " + node_name(id, schema.type) + ", input " + core::in_quotes(input.name) + ": " +
            what);
  }

  void check_input(const std::string& id, const NodeSchema& schema, const InputSchema& input,
                   const json::value& value) {
    if (value.is_array()) {
      check_link(id, schema, input, value);
      return;
    }
    const json::object* wrapper = value.if_object();
    const json::value* inner = wrapper == nullptr ? nullptr : wrapper->if_contains("__value__");
    check_value(id, schema, input, inner == nullptr ? value : *inner);
  }

  void check_link(const std::string& id, const NodeSchema& schema, const InputSchema& input,
                  const json::value& value) {
    const auto link = api_link(value);
    if (!link) {
      report("bad_linked_input", id, schema, input,
             "expected a link [node id, output], found " + value_for_message(value) + ".");
      return;
    }
    if (!root_.contains(link->from)) {
      report("bad_linked_input", id, schema, input,
             "it is linked to node " + core::in_quotes(link->from) + ", which does not exist.");
      return;
    }
    const NodeSchema& from = schema_of(link->from);
    if (link->slot < 0 || static_cast<std::uint64_t>(link->slot) >= from.outputs.size()) {
      report("bad_linked_input", id, schema, input,
             "it is linked to output " + std::to_string(link->slot) + " of node " +
                 node_name(link->from, from.type) + ", which has " +
                 std::to_string(from.outputs.size()) + ".");
      return;
    }
    const std::string& received = from.outputs[static_cast<std::size_t>(link->slot)].type;
    if (types_fit(received, input.type)) return;
    report("return_type_mismatch", id, schema, input,
           "expected " + input.type + ", but output " +
               core::in_quotes(output_label(&from, link->slot)) + " of node " +
               node_name(link->from, from.type) + " has type " + received + ".");
  }

  void check_value(const std::string& id, const NodeSchema& schema, const InputSchema& input,
                   const json::value& value) {
    if (input.type == "INT" || input.type == "FLOAT") {
      const bool is_integer = input.type == "INT";
      const auto number = python_number(value, is_integer);
      if (!number) {
        report("invalid_input_type", id, schema, input,
               std::string("expected ") + (is_integer ? "a whole number" : "a number") +
                   ", found " + value_for_message(value) + ".");
      } else if (input.min && *number < *input.min) {
        report("value_smaller_than_min", id, schema, input,
               value_for_message(value) + " is smaller than the least value, " +
                   bound_text(*input.min) + ".");
      } else if (input.max && *number > *input.max) {
        report("value_bigger_than_max", id, schema, input,
               value_for_message(value) + " is bigger than the greatest value, " +
                   bound_text(*input.max) + ".");
      }
      return;
    }
    if (input.widget != WidgetKind::choice) return;
    const auto checked = checked_value(input, value);
    if (!checked) report("value_not_in_list", id, schema, input, checked.error().message);
  }

  // Reports the nodes on cycles and on paths between two cycles: those left after repeatedly
  // removing nodes without inputs, then nodes without outputs.
  void find_cycle(const std::vector<std::string>& needed) {
    core::StringMap<std::vector<std::string>> feeds;
    core::StringMap<std::vector<std::string>> needs;
    for (const std::string& id : needed) {
      for_links(id, [&](const std::string& from) {
        needs[id].push_back(from);
        feeds[from].push_back(id);
      });
    }
    core::StringMap<bool> left;
    for (const std::string& id : needed) left.emplace(id, true);
    peel(left, needs, feeds);
    peel(left, feeds, needs);
    if (left.empty()) return;
    for (const auto& [id, there] : left) faulty_.emplace(id, true);
    std::vector<std::string_view> names;
    for (const std::string& id : needed) {
      if (left.contains(id)) names.emplace_back(id);
    }
    add("dependency_cycle", std::string(names.front()), schema_of(names.front()).type, "",
        "The links go round in a loop, over the nodes " + core::listed(names) + ".");
  }

  using Edges = core::StringMap<std::vector<std::string>>;
  static void peel(core::StringMap<bool>& left, const Edges& in, const Edges& out) {
    core::StringMap<std::size_t> waits;
    std::vector<std::string> free;
    for (const auto& [id, there] : left) {
      std::size_t count = 0;
      if (const auto found = in.find(id); found != in.end()) {
        for (const std::string& one : found->second) count += left.contains(one) ? 1U : 0U;
      }
      waits[id] = count;
      if (count == 0) free.push_back(id);
    }
    while (!free.empty()) {
      const std::string id = std::move(free.back());
      free.pop_back();
      left.erase(id);
      const auto found = out.find(id);
      if (found == out.end()) continue;
      for (const std::string& one : found->second) {
        const auto waiting = waits.find(one);
        if (waiting != waits.end() && waiting->second > 0 && --waiting->second == 0) {
          free.push_back(one);
        }
      }
    }
  }

  const json::object& root_;
  const NodeSchemas& schemas_;
  std::vector<Finding> findings_;
  core::StringMap<bool> faulty_;  // nodes with a finding, on a cycle, or behind these
};

// All classes of a UI form that the schemas lack; a conversion would name only the first.
std::vector<Finding> missing_classes(const Workflow& workflow, const NodeSchemas& schemas) {
  std::vector<Finding> out;
  for (const NodeFact& node : graph_facts(workflow.tree(), schemas)) {
    if (node.schema != nullptr || !node.subgraph.empty() || is_virtual(node.type)) continue;
    if (node.mode == "mute" || node.mode == "bypass") continue;
    if (out.size() == kMaxFindings) break;
    out.push_back({"missing_node_type", node.id, node.type, "",
                   "Node " + node_name(node.id, node.type) + ": " +
                       no_such_class(node.type, schemas).message});
  }
  return out;
}

}  // namespace

core::Result<Validation> validate(const Workflow& workflow, const NodeSchemas& schemas) {
  if (workflow.form() == Form::api) return Validator(workflow.tree().root, schemas).run();
  std::vector<Finding> missing = missing_classes(workflow, schemas);
  if (!missing.empty()) return Validation{std::move(missing), {}};
  const auto api = to_api(workflow, schemas);
  if (!api) return core::fail(api.error());
  return Validator(api->tree().root, schemas).run();
}

}  // namespace parley::comfyui
