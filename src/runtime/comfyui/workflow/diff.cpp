// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/diff.h"

#include <utility>

#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "runtime/comfyui/workflow/graph_facts.h"
#include "runtime/comfyui/workflow/graph_index.h"

namespace parley::comfyui {
namespace {

// A JSON string of a text.
std::string text_json(std::string_view text) {
  std::string out;
  core::append_json_string(out, text);
  return out;
}

bool same_text(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.empty() || b.empty()) return false;
  const TreeLimits limits{kMaxWorkflowBytes, kMaxWorkflowDepth, kMaxWorkflowValues};
  const auto left = parse_tree(a, limits, "");
  const auto right = parse_tree(b, limits, "");
  return left && right && same_value(*left, *right);
}

std::string cut_value(const std::string& value) {
  if (value.empty()) return "(none)";
  const std::string_view cut = core::utf8_truncate(value, kMaxDiffValueBytes);
  return cut.size() == value.size() ? value : std::string(cut) + "…";
}

bool same_end(const InputFact& a, const InputFact& b) {
  if (!a.from || !b.from) return !a.from && !b.from;
  return a.from->node == b.from->node && a.from->slot == b.from->slot;
}

// Keys for the inputs, unique even if a document gives two inputs the same name.
std::vector<std::string> keys_of(const std::vector<InputFact>& inputs) {
  std::vector<std::string> out;
  out.reserve(inputs.size());
  core::StringMap<std::size_t> seen;
  for (const InputFact& input : inputs) {
    out.push_back(input.name + '\n' + std::to_string(seen[input.name]++));
  }
  return out;
}

using FactMap = core::StringMap<const NodeFact*>;

class Comparison {
 public:
  Comparison(const Workflow& before, const Workflow& after, const NodeSchemas& schemas)
      : before_(graph_facts(before.tree(), schemas)),
        after_(graph_facts(after.tree(), schemas)),
        same_form_(before.form() == after.form()) {}

  WorkflowDiff run() {
    const FactMap old_nodes = by_id(before_);
    const FactMap new_nodes = by_id(after_);
    for (const NodeFact& node : before_) {
      const auto found = new_nodes.find(node.id);
      if (found == new_nodes.end()) {
        if (room()) out_.removed.push_back({node.id, node.type, node.title});
        for (const InputFact& input : node.inputs) link_removed(node, input);
      } else {
        compare(node, *found->second);
      }
    }
    for (const NodeFact& node : after_) {
      if (old_nodes.contains(node.id)) continue;
      if (room()) out_.added.push_back({node.id, node.type, node.title});
      for (const InputFact& input : node.inputs) link_new(node, input);
    }
    return std::move(out_);
  }

 private:
  static FactMap by_id(const std::vector<NodeFact>& nodes) {
    FactMap out;
    for (const NodeFact& node : nodes) out.emplace(node.id, &node);
    return out;
  }

  bool room() {
    if (entries_ == kMaxDiffEntries) {
      ++out_.more;
      return false;
    }
    ++entries_;
    return true;
  }

  void change(const NodeFact& node, std::string what, std::string before, std::string after) {
    if (!room()) return;
    out_.changed.push_back(
        {node.id, node.type, std::move(what), std::move(before), std::move(after)});
  }

  void link_removed(const NodeFact& node, const InputFact& input) {
    if (input.from && room()) {
      out_.links_removed.push_back({input.from->node, input.from->name, node.id, input.name});
    }
  }

  void link_new(const NodeFact& node, const InputFact& input) {
    if (input.from && room()) {
      out_.links_added.push_back({input.from->node, input.from->name, node.id, input.name});
    }
  }

  void compare(const NodeFact& before, const NodeFact& after) {
    if (before.type != after.type) {
      change(after, "class", text_json(before.type), text_json(after.type));
    }
    if (same_form_ && before.title != after.title) {
      change(after, "title", text_json(before.title), text_json(after.title));
    }
    if (same_form_ && before.mode != after.mode) {
      change(after, "mode", text_json(before.mode), text_json(after.mode));
    }
    core::StringMap<const InputFact*> inputs;
    const std::vector<std::string> new_keys = keys_of(after.inputs);
    for (std::size_t i = 0; i < new_keys.size(); ++i) inputs.emplace(new_keys[i], &after.inputs[i]);
    static const InputFact kNothing;
    const std::vector<std::string> old_keys = keys_of(before.inputs);
    for (std::size_t i = 0; i < old_keys.size(); ++i) {
      const auto found = inputs.find(old_keys[i]);
      const InputFact& now = found == inputs.end() ? kNothing : *found->second;
      compare_input(after, before.inputs[i], now, before.inputs[i].name);
      if (found != inputs.end()) inputs.erase(found);
    }
    for (std::size_t i = 0; i < new_keys.size(); ++i) {
      if (!inputs.contains(new_keys[i])) continue;
      compare_input(after, kNothing, after.inputs[i], after.inputs[i].name);
    }
  }

  void compare_input(const NodeFact& node, const InputFact& before, const InputFact& after,
                     const std::string& name) {
    if (!same_form_ && (!before.sent || !after.sent)) return;
    if (!same_end(before, after)) {
      link_removed(node, before);
      link_new(node, after);
    }
    // The API form has no value for a connected input.
    if (!same_form_ && (before.from || after.from)) return;
    if (!same_text(before.value, after.value)) {
      change(node, "input " + name, before.value, after.value);
    }
  }

  std::vector<NodeFact> before_;
  std::vector<NodeFact> after_;
  bool same_form_;
  WorkflowDiff out_;
  std::size_t entries_ = 0;
};

std::string node_line(char sign, const DiffNode& node) {
  std::string out = std::string(1, sign) + " node " + node_name(node.id, node.type);
  if (!node.title.empty()) out += " " + cut_value(text_json(node.title));
  return out;
}

std::string link_line(char sign, const DiffLink& link) {
  return std::string(1, sign) + " link " + core::visible_line(link.from + "." + link.output) +
         " -> " + core::visible_line(link.to + "." + link.input);
}

void write_links(core::JsonWriter& out, std::string_view name, const std::vector<DiffLink>& links,
                 const std::string& text, std::size_t max_bytes, std::size_t& more) {
  out.key(name).begin_array();
  for (const DiffLink& link : links) {
    if (text.size() > max_bytes) {
      ++more;
      continue;
    }
    out.begin_object();
    out.key("from").string(link.from);
    out.key("output").string(link.output);
    out.key("to").string(link.to);
    out.key("input").string(link.input);
    out.end_object();
  }
  out.end_array();
}

void write_nodes(core::JsonWriter& out, std::string_view name, const std::vector<DiffNode>& nodes,
                 const std::string& text, std::size_t max_bytes, std::size_t& more) {
  out.key(name).begin_array();
  for (const DiffNode& node : nodes) {
    if (text.size() > max_bytes) {
      ++more;
      continue;
    }
    out.begin_object();
    out.key("id").string(node.id);
    out.key("class").string(node.type);
    if (!node.title.empty()) out.key("title").string(node.title);
    out.end_object();
  }
  out.end_array();
}

// Writes the value itself, or its beginning as text under another name.
void write_side(core::JsonWriter& out, const std::string& name, const std::string& value) {
  if (value.empty()) {
    out.key(name).null();
  } else if (value.size() <= kMaxDiffValueBytes) {
    out.key(name).raw(value);
  } else {
    out.key(name + "_cut").string(core::utf8_truncate(value, kMaxDiffValueBytes));
  }
}

}  // namespace

bool WorkflowDiff::empty() const {
  return added.empty() && removed.empty() && changed.empty() && links_added.empty() &&
         links_removed.empty();
}

std::string WorkflowDiff::lines(std::size_t max_bytes) const {
  if (empty()) return "No changes.\n";
  std::vector<std::string> all;
  for (const DiffNode& node : added) all.push_back(node_line('+', node));
  for (const DiffNode& node : removed) all.push_back(node_line('-', node));
  for (const DiffChange& one : changed) {
    all.push_back("~ " + node_name(one.id, one.type) + " " + core::visible_line(one.what) + ": " +
                  cut_value(one.before) + " -> " + cut_value(one.after));
  }
  for (const DiffLink& link : links_added) all.push_back(link_line('+', link));
  for (const DiffLink& link : links_removed) all.push_back(link_line('-', link));
  std::string out;
  std::size_t left_out = more;
  for (const std::string& line : all) {
    if (out.size() + line.size() + 1 > max_bytes) {
      ++left_out;
    } else {
      out += line + "\n";
    }
  }
  if (left_out > 0) out += std::to_string(left_out) + " more changes are not shown.\n";
  return out;
}

std::string WorkflowDiff::json(std::size_t max_bytes) const {
  std::string text;
  core::JsonWriter out(text);
  std::size_t left_out = more;
  out.begin_object();
  write_nodes(out, "added", added, text, max_bytes, left_out);
  write_nodes(out, "removed", removed, text, max_bytes, left_out);
  out.key("changed").begin_array();
  for (const DiffChange& one : changed) {
    if (text.size() > max_bytes) {
      ++left_out;
      continue;
    }
    out.begin_object();
    out.key("id").string(one.id);
    out.key("class").string(one.type);
    out.key("what").string(one.what);
    write_side(out, "before", one.before);
    write_side(out, "after", one.after);
    out.end_object();
  }
  out.end_array();
  write_links(out, "links_added", links_added, text, max_bytes, left_out);
  write_links(out, "links_removed", links_removed, text, max_bytes, left_out);
  out.key("more").number(static_cast<std::uint64_t>(left_out));
  out.end_object();
  return text;
}

WorkflowDiff diff(const Workflow& before, const Workflow& after, const NodeSchemas& schemas) {
  return Comparison(before, after, schemas).run();
}

}  // namespace parley::comfyui
