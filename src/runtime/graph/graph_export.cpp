// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// A graph as text for Graphviz and Mermaid. Both draw a subgraph as a box with its own start and
// end, and connect the lines of the outer graph to these.
#include <algorithm>
#include <string_view>
#include <utility>

#include "runtime/graph/compiled_graph.h"

namespace parley::graph {
namespace {

enum class LineKind : std::uint8_t { edge, condition, parallel };

struct Line {
  std::string from;
  std::string to;
  std::string label;
  LineKind kind = LineKind::edge;
};

struct Box {
  std::string id;
  std::string label;
  bool visited = false;
  std::vector<Box> inner;  // of a subgraph, with its start and end
  std::vector<Line> lines;
};

// Collects the shapes and lines of a graph. Ids are made of indices, so that no name can break the
// text.
class Picture {
 public:
  Picture(const Graph& graph, const std::vector<std::string>& visited, std::string id,
          std::string path)
      : graph_(graph), visited_(visited), id_(std::move(id)), path_(std::move(path)) {}

  Box draw(std::string label) {
    Box box{id_, std::move(label), false, {}, {}};
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Graph::Node& node = graph_.nodes()[i];
      const std::string path = path_ + node.name;
      Box shape{node_id(i), node.name, false, {}, {}};
      if (node.inner)
        shape = Picture(*node.inner, visited_, node_id(i), path + "/").draw(node.name);
      shape.visited = std::find(visited_.begin(), visited_.end(), path) != visited_.end();
      box.inner.push_back(std::move(shape));
    }
    draw_exit(box, graph_.start(), id_ + "_start");
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      draw_exit(box, graph_.nodes()[i].exit, way_out(i));
    }
    return box;
  }

 private:
  std::string node_id(std::size_t index) const { return id_ + "_" + std::to_string(index); }
  std::string way_in(GraphLocation location) const {
    if (location.kind == GraphLocation::Kind::end) return id_ + "_end";
    const bool within = graph_.nodes()[location.index].inner != nullptr;
    return node_id(location.index) + (within ? "_start" : "");
  }
  std::string way_out(std::size_t index) const {
    return node_id(index) + (graph_.nodes()[index].inner ? "_end" : "");
  }

  void draw_exit(Box& box, const Graph::Exit& exit, const std::string& from) const {
    switch (exit.kind) {
      case Graph::Exit::Kind::none:
        return;
      case Graph::Exit::Kind::edge:
        box.lines.push_back({from, way_in(exit.to), {}, LineKind::edge});
        return;
      case Graph::Exit::Kind::conditional:
        draw_condition(box, exit, from);
        return;
      case Graph::Exit::Kind::parallel:
        draw_parallel(box, graph_.parallels()[exit.to.index], from);
    }
  }

  void draw_condition(Box& box, const Graph::Exit& exit, const std::string& from) const {
    for (const auto& [answer, location] : exit.targets) {
      box.lines.push_back({from, way_in(location), answer, LineKind::condition});
    }
    if (!exit.targets.empty()) return;
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      if (graph_.nodes()[i].exit.kind == Graph::Exit::Kind::none) continue;
      box.lines.push_back({from, way_in({GraphLocation::Kind::node, i}), {}, LineKind::condition});
    }
    box.lines.push_back({from, way_in({}), {}, LineKind::condition});
  }

  void draw_parallel(Box& box, const Graph::Parallel& parallel, const std::string& from) const {
    for (const std::size_t branch : parallel.branches) {
      box.lines.push_back(
          {from, way_in({GraphLocation::Kind::node, branch}), {}, LineKind::parallel});
      box.lines.push_back({way_out(branch), way_in(parallel.join), {}, LineKind::parallel});
    }
  }

  const Graph& graph_;
  const std::vector<std::string>& visited_;
  std::string id_;
  std::string path_;
};

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out + '"';
}

void dot_box(std::string& out, const Box& box, const std::string& indent) {
  const auto point = [&](std::string_view which) {
    out += indent + box.id + "_" + std::string(which) + " [shape=circle, width=0.3, label=\"" +
           std::string(which) + "\"];\n";
  };
  point("start");
  for (const Box& shape : box.inner) {
    if (shape.inner.empty()) {
      out += indent + shape.id + " [label=" + dot_text(shape.label);
      out += shape.visited ? ", style=\"rounded,filled\", fillcolor=\"#cfe8d5\"];\n" : "];\n";
      continue;
    }
    out += indent + "subgraph cluster_" + shape.id + " {\n";
    out += indent + "  label=" + dot_text(shape.label) + ";\n";
    if (shape.visited) out += indent + "  bgcolor=\"#eef7f0\";\n";
    dot_box(out, shape, indent + "  ");
    out += indent + "}\n";
  }
  point("end");
  for (const Line& line : box.lines) {
    out += indent + line.from + " -> " + line.to;
    if (line.kind == LineKind::condition)
      out += " [style=dashed, label=" + dot_text(line.label) + "]";
    if (line.kind == LineKind::parallel) out += " [style=bold]";
    out += ";\n";
  }
}

std::string mermaid_text(std::string_view text) {
  static constexpr std::string_view kSpecial = "\"#<>&`";
  std::string out = "\"";
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) {
      out += "#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out + '"';
}

void mermaid_box(std::string& out, const Box& box, const std::string& indent) {
  out += indent + box.id + "_start((start))\n";
  for (const Box& shape : box.inner) {
    if (shape.inner.empty()) {
      out += indent + shape.id + "[" + mermaid_text(shape.label) + "]\n";
      continue;
    }
    out += indent + "subgraph " + shape.id + " [" + mermaid_text(shape.label) + "]\n";
    mermaid_box(out, shape, indent + "  ");
    out += indent + "end\n";
  }
  out += indent + box.id + "_end((end))\n";
  for (const Line& line : box.lines) {
    out += indent + line.from;
    if (line.kind == LineKind::condition) {
      out += line.label.empty() ? " -.-> " : " -. " + mermaid_text(line.label) + " .-> ";
    } else {
      out += line.kind == LineKind::parallel ? " ==> " : " --> ";
    }
    out += line.to + "\n";
  }
}

void visited_ids(std::string& out, const Box& box) {
  for (const Box& shape : box.inner) {
    if (shape.visited) out += (out.empty() ? "" : ",") + shape.id;
    visited_ids(out, shape);
  }
}

}  // namespace

std::string to_dot(const Graph& graph, const std::vector<std::string>& visited) {
  std::string out = "digraph g {\n  node [shape=box, style=rounded];\n";
  dot_box(out, Picture(graph, visited, "g", "").draw(""), "  ");
  return out + "}\n";
}

std::string to_mermaid(const Graph& graph, const std::vector<std::string>& visited) {
  std::string out = "flowchart TD\n";
  const Box box = Picture(graph, visited, "g", "").draw("");
  mermaid_box(out, box, "  ");
  std::string ids;
  visited_ids(ids, box);
  if (ids.empty()) return out;
  return out + "  classDef visited fill:#cfe8d5,stroke:#2e7d4f\n  class " + ids + " visited\n";
}

}  // namespace parley::graph
