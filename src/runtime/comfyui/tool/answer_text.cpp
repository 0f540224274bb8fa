// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/tool/answer_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/core/json_member.h"
#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "runtime/comfyui/json_access.h"
#include "runtime/comfyui/tool/server_tools.h"

namespace parley::comfyui {
namespace {

// Limit (ComfyUI servers and their tools): one text of a node in a result. Reached: cut.
constexpr std::size_t kMaxOutputTextBytes = 1'000;  // of one text in a node's output
// Limit (ComfyUI servers and their tools): texts of nodes in a result. Reached: left out.
constexpr std::size_t kMaxTexts = 4;
constexpr std::size_t kMaxListedOutputs = 20;
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

std::string gib(double bytes) {
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.1f", bytes / kGiB);
  return {text.data(), static_cast<std::size_t>(std::max(size, 0))};
}

std::string choices_text(const InputSchema& input) {
  std::string out = " one of ";
  const std::size_t shown = std::min(input.choices.size(), kMaxListedChoices);
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + input.choices[i];
  if (shown < input.choices.size()) {
    out += " and " + std::to_string(input.choices.size() - shown) + " more";
  }
  return out;
}

std::string input_text(const InputSchema& input) {
  std::string out = "- " + input.name + (input.required ? "" : " (optional)") + ": ";
  out += input.choices.empty() ? one_line(input.type) : choices_text(input).substr(1);
  if (input.min) out += ", from " + bound_text(*input.min);
  if (input.max) out += (input.min ? " to " : ", up to ") + bound_text(*input.max);
  if (!input.default_value.empty()) out += ", default " + one_line(input.default_value);
  if (input.widget == WidgetKind::none || input.force_input) out += ", comes over a link";
  if (!input.tooltip.empty()) out += ". " + one_line(input.tooltip);
  return out + "\n";
}

// Videos and pictures may have the same key in a node's output.
std::string_view list_of(const OutputFile& file) {
  if (file.kind == "audio") return "audio";
  for (const std::string_view end : {".mp4", ".webm", ".mov", ".mkv"}) {
    if (file.filename.ends_with(end)) return "videos";
  }
  return "images";
}

// Writes files until the answer is full; returns the number of those left out.
std::size_t write_files(core::JsonWriter& json, const std::string& out, std::string_view list,
                        const RunFacts& facts, const ServerLink& link) {
  std::size_t count = 0;
  std::size_t left_out = 0;
  for (const NodeOutput& output : facts.outputs) {
    for (const OutputFile& file : output.files) {
      if (list_of(file) != list) continue;
      if (out.size() >= kMaxRunAnswerBytes) {
        ++left_out;
        continue;
      }
      if (count++ == 0) json.key(list).begin_array();
      json.begin_object().key("url").string(link.view_url(file));
      json.key("filename").string(file.filename).key("subfolder").string(file.subfolder);
      json.key("type").string(file.type).key("node").string(output.node_id).end_object();
    }
  }
  if (count > 0) json.end_array();
  return left_out;
}

void write_texts(core::JsonWriter& json, const std::vector<NodeOutput>& outputs) {
  std::vector<std::string_view> texts;
  for (const NodeOutput& output : outputs) {
    const boost::json::array* list = array_member(output.raw, "text");
    if (list == nullptr) continue;
    for (const boost::json::value& text : *list) {
      if (text.is_string() && texts.size() < kMaxTexts) texts.emplace_back(text.get_string());
    }
  }
  if (texts.empty()) return;
  json.key("texts").begin_array();
  for (const std::string_view text : texts)
    json.string(core::utf8_truncate(text, kMaxOutputTextBytes));
  json.end_array();
}

}  // namespace

std::string one_line(std::string_view text, std::size_t limit) {
  std::string out(core::utf8_truncate(text, limit));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  if (out.size() < text.size()) out += "...";
  return out;
}

std::string class_line(const NodeSummary& node) {
  std::string out = one_line(node.name);
  if (!node.display_name.empty() && node.display_name != node.name) {
    out += " - " + one_line(node.display_name);
  }
  if (!node.category.empty()) out += " [" + one_line(node.category) + "]";
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    out += (i == 0 ? " gives " : ", ") + one_line(node.outputs[i]);
  }
  if (node.output_node) out += " (an output node)";
  if (node.deprecated) out += " (deprecated)";
  if (node.experimental) out += " (experimental)";
  return out + "\n";
}

std::string class_text(const NodeSchema& schema) {
  std::string out = schema.type;
  if (!schema.display_name.empty()) out += " - " + one_line(schema.display_name);
  out += " [" + one_line(schema.category) + "]\n";
  if (!schema.description.empty()) out += one_line(schema.description, 1'000) + "\n";
  out += "inputs:\n";
  for (const InputSchema& input : schema.inputs) out += input_text(input);
  out += "outputs:\n";
  for (std::size_t i = 0; i < schema.outputs.size(); ++i) {
    const OutputSchema& output = schema.outputs[i];
    out += "- " + std::to_string(i) + ": " + one_line(output.name) + ", " + one_line(output.type) +
           "\n";
  }
  if (schema.output_node) out += "It is an output node: a workflow needs one.\n";
  return out;
}

std::string status_text(const boost::json::object& system_stats) {
  std::string out = "ComfyUI";
  if (const boost::json::object* system = object_member(system_stats, "system")) {
    const std::string version = core::string_member(*system, "comfyui_version");
    if (!version.empty()) out += " " + one_line(version);
    const std::string python = core::string_member(*system, "python_version");
    if (!python.empty()) out += ", Python " + one_line(python, 32);
  }
  const boost::json::array* devices = array_member(system_stats, "devices");
  if (devices == nullptr) return out;
  for (const boost::json::value& value : *devices) {
    const boost::json::object* device = value.if_object();
    if (device == nullptr) continue;
    out += "\n" + one_line(core::string_member(*device, "name"));
    const auto total = number_member(*device, "vram_total");
    const auto free = number_member(*device, "vram_free");
    if (total && free) out += ": " + gib(*free) + " of " + gib(*total) + " GiB free";
  }
  return out;
}

std::string queue_text(const QueueState& queue) {
  const auto ids = [](const std::vector<QueueEntry>& entries) {
    if (entries.empty()) return std::string("none");
    std::string out = std::to_string(entries.size()) + ": ";
    for (std::size_t i = 0; i < std::min(entries.size(), kMaxListedPrompts); ++i) {
      out += (i == 0 ? "" : ", ") + one_line(entries[i].prompt_id);
    }
    return entries.size() > kMaxListedPrompts ? out + ", ..." : out;
  };
  return "running: " + ids(queue.running) + "\nwaiting: " + ids(queue.pending);
}

std::string findings_text(const Validation& validation, std::size_t nodes) {
  if (validation.findings.empty()) {
    return "The workflow is valid: the ComfyUI server should take its " + std::to_string(nodes) +
           (nodes == 1 ? " node." : " nodes.");
  }
  std::string out = "The ComfyUI server would refuse the workflow:";
  const std::vector<std::string>& good = validation.good_outputs;
  if (!good.empty()) {
    out = "The ComfyUI server would run only ";
    for (std::size_t i = 0; i < std::min(good.size(), kMaxListedOutputs); ++i) {
      out += (i == 0 ? "output node " : ", ") + one_line(good[i]);
    }
    if (good.size() > kMaxListedOutputs) out += ", ...";
    out += ", and leave out the outputs that need these nodes:";
  }
  for (const Finding& finding : validation.findings) {
    out += "\n- ";
    if (!finding.node.empty()) {
      out += "node " + finding.node;
      if (!finding.node_class.empty()) out += " (" + finding.node_class + ")";
      if (!finding.input.empty()) out += ", input " + finding.input;
      out += ": ";
    }
    out += finding.type + ": " + finding.message;
  }
  return out;
}

std::string fault_text(const ExecutionFault& fault) {
  std::string out = "The workflow failed";
  if (!fault.node_id.empty()) out += " in node " + fault.node_id;
  if (!fault.node_type.empty()) out += " (" + fault.node_type + ")";
  out += ": ";
  if (!fault.exception_type.empty()) out += fault.exception_type + ": ";
  out += one_line(fault.message, 1'000);
  if (!fault.traceback.empty()) out += "\n" + fault.traceback;
  return out;
}

std::string run_json(const RunFacts& facts, const ServerLink& link) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("status").string(facts.status);
  json.key("prompt_id").string(facts.prompt_id);
  std::size_t left_out = 0;
  for (const std::string_view list : {"images", "videos", "audio"}) {
    left_out += write_files(json, out, list, facts, link);
  }
  if (left_out > 0) json.key("more_files").number(static_cast<std::uint64_t>(left_out));
  write_texts(json, facts.outputs);
  if (!facts.error.empty()) json.key("error").string(facts.error);
  if (!facts.left_out.empty()) json.key("left_out").string(facts.left_out);
  json.end_object();
  return out;
}

}  // namespace parley::comfyui
