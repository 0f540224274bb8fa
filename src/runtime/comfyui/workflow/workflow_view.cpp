// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/core/json_writer.h"
#include "base/core/near_names.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "runtime/comfyui/workflow/graph_facts.h"
#include "runtime/comfyui/workflow/workflow.h"

namespace parley::comfyui {
namespace {

constexpr std::size_t kOutlineValueBytes = 160;
constexpr std::size_t kNodeValueBytes = 8U << 10U;
constexpr std::size_t kNodeChoices = 40;
constexpr std::size_t kNodeLinks = 100;
constexpr std::size_t kOutlineNameBytes = 100;

std::string short_value(const std::string& value) {
  const std::string_view cut = core::utf8_truncate(value, kOutlineValueBytes);
  if (cut.size() == value.size()) return value;
  return std::string(cut) + "…(" + std::to_string(value.size() - cut.size()) + " more bytes)";
}

std::string short_name(std::string_view name) {
  return core::visible_line(core::utf8_truncate(name, kOutlineNameBytes));
}

void append_node_line(std::string& out, const NodeFact& node) {
  out += short_name(node.id) + " " + short_name(node.subgraph.empty() ? node.type : node.subgraph);
  if (!node.subgraph.empty()) out += " [subgraph]";
  if (!node.title.empty() && node.title != node.type) out += " " + core::in_quotes(node.title);
  if (node.mode != "always") out += " [" + node.mode + "]";
  char before = ':';
  for (const InputFact& input : node.inputs) {
    if (!input.from && !input.dangling && input.value.empty()) continue;
    out += before;
    out += ' ';
    before = ',';
    out += short_name(input.name);
    if (input.dangling) {
      out += " <- a link that does not exist";
    } else if (input.from) {
      out += "<-" + short_name(input.from->node) + "." + short_name(input.from->name);
    } else {
      out += "=" + short_value(input.value);
    }
  }
  before = ' ';
  for (const OutputFact& output : node.outputs) {
    out += before == ' ' ? " -> " : ", ";
    before = ',';
    out += short_name(output.name.empty() ? output.type : output.name);
    if (output.to.empty()) out += " (unused)";
  }
}

void write_value(core::JsonWriter& out, const std::string& value) {
  if (value.size() <= kNodeValueBytes) {
    out.key("value").raw(value);
    return;
  }
  out.key("value").string(core::utf8_truncate(value, kNodeValueBytes));
  out.key("value_cut_bytes").number(static_cast<std::uint64_t>(value.size() - kNodeValueBytes));
}

void write_bound(core::JsonWriter& out, std::string_view name,
                 const std::optional<long double>& bound) {
  if (!bound) return;
  out.key(name);
  if (*bound >= 0 && *bound <= 18446744073709551615.0L &&
      static_cast<long double>(static_cast<std::uint64_t>(*bound)) == *bound) {
    out.number(static_cast<std::uint64_t>(*bound));
  } else {
    out.number(static_cast<double>(*bound));
  }
}

void write_schema(core::JsonWriter& out, const InputSchema& schema) {
  out.key("required").boolean(schema.required);
  if (schema.default_value.size() > kNodeValueBytes) {
    out.key("default_cut").boolean(true);
  } else if (!schema.default_value.empty()) {
    out.key("default").raw(schema.default_value);
  }
  write_bound(out, "min", schema.min);
  write_bound(out, "max", schema.max);
  write_bound(out, "step", schema.step);
  if (schema.widget == WidgetKind::choice) {
    out.key("choices").begin_array();
    std::size_t shown = 0;
    for (const std::string& choice : schema.choices) {
      if (shown == kNodeChoices) break;
      if (choice.size() > kOutlineValueBytes) continue;
      out.raw(choice);
      ++shown;
    }
    out.end_array();
    if (schema.choices.size() > shown) {
      out.key("more_choices").number(static_cast<std::uint64_t>(schema.choices.size() - shown));
    }
  }
  if (!schema.tooltip.empty()) out.key("tooltip").string(schema.tooltip);
}

void write_end(core::JsonWriter& out, const LinkEnd& end, std::string_view slot) {
  out.begin_object();
  out.key("node").string(end.node);
  out.key(slot).string(end.name);
  out.key("slot").number(end.slot);
  out.end_object();
}

void write_input(core::JsonWriter& out, const InputFact& input) {
  out.begin_object();
  out.key("name").string(input.name);
  out.key("type").string(input.type);
  if (input.from) {
    out.key("link");
    write_end(out, *input.from, "output");
  }
  if (input.dangling) out.key("error").string("the link does not exist");
  if (!input.value.empty()) write_value(out, input.value);
  if (!input.sent) out.key("front_end_only").boolean(true);
  if (input.schema != nullptr) write_schema(out, *input.schema);
  out.end_object();
}

void write_outputs(core::JsonWriter& out, const NodeFact& node) {
  out.key("outputs").begin_array();
  for (const OutputFact& output : node.outputs) {
    out.begin_object();
    out.key("name").string(output.name);
    out.key("type").string(output.type);
    out.key("links").begin_array();
    for (std::size_t i = 0; i < output.to.size() && i < kNodeLinks; ++i) {
      write_end(out, output.to[i], "input");
    }
    out.end_array();
    if (output.to.size() > kNodeLinks) {
      out.key("more_links").number(static_cast<std::uint64_t>(output.to.size() - kNodeLinks));
    }
    out.end_object();
  }
  out.end_array();
}

std::string node_json(const NodeFact& node) {
  std::string text;
  core::JsonWriter out(text);
  out.begin_object();
  out.key("id").string(node.id);
  out.key("class").string(node.type);
  if (!node.title.empty()) out.key("title").string(node.title);
  out.key("mode").string(node.mode);
  if (!node.subgraph.empty()) out.key("subgraph").string(node.subgraph);
  if (node.schema != nullptr) {
    if (!node.schema->description.empty()) out.key("description").string(node.schema->description);
    if (node.schema->deprecated) out.key("deprecated").boolean(true);
  }
  std::size_t left_out = 0;
  out.key("inputs").begin_array();
  for (const InputFact& input : node.inputs) {
    if (text.size() > kMaxNodeViewBytes) {
      ++left_out;
    } else {
      write_input(out, input);
    }
  }
  // Inputs of the class that are missing in the document.
  if (node.schema != nullptr) {
    for (const InputSchema& schema : node.schema->inputs) {
      const bool there =
          std::any_of(node.inputs.begin(), node.inputs.end(),
                      [&schema](const InputFact& one) { return one.name == schema.name; });
      if (there) continue;
      if (text.size() > kMaxNodeViewBytes) {
        ++left_out;
      } else {
        write_input(out, {schema.name, schema.type, {}, false, {}, true, &schema});
      }
    }
  }
  out.end_array();
  if (left_out > 0) out.key("more_inputs").number(static_cast<std::uint64_t>(left_out));
  write_outputs(out, node);
  out.end_object();
  return text;
}

}  // namespace

std::string Workflow::outline(const NodeSchemas& schemas, std::size_t max_bytes) const {
  const std::vector<NodeFact> nodes = graph_facts(*tree_, schemas);
  std::string out = "Workflow in ";
  out += form() == Form::ui ? "UI" : "API";
  out += " form, " + std::to_string(nodes.size()) + (nodes.size() == 1 ? " node.\n" : " nodes.\n");
  std::size_t shown = 0;
  for (const NodeFact& node : nodes) {
    std::string line;
    append_node_line(line, node);
    if (out.size() + line.size() + 1 > max_bytes) break;
    out += line + "\n";
    ++shown;
  }
  if (shown < nodes.size()) {
    out += std::to_string(nodes.size() - shown) + " more nodes, from " +
           short_name(nodes[shown].id) + ", are not shown.\n";
  }
  return out;
}

core::Result<std::string> Workflow::node(std::string_view id, const NodeSchemas& schemas) const {
  const std::vector<NodeFact> nodes = graph_facts(*tree_, schemas);
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [id](const NodeFact& one) { return one.id == id; });
  if (found != nodes.end()) return node_json(*found);
  std::vector<std::string_view> ids;
  ids.reserve(nodes.size());
  for (const NodeFact& one : nodes) ids.emplace_back(one.id);
  return core::fail(
      core::Code::not_found,
      "There is no node " + core::in_quotes(id) + ". Nodes: " + core::listed(ids) + ".", "node");
}

}  // namespace parley::comfyui
