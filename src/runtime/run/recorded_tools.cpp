// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/recorded_tools.h"

#include <simdjson.h>

#include "base/core/json_member.h"
#include "base/core/json_writer.h"

namespace parley::run {
namespace {

std::size_t spec_bytes(const std::vector<model::ToolSpec>& specs) {
  std::size_t bytes = 0;
  for (const model::ToolSpec& spec : specs) {
    bytes += spec.name.size() + spec.description.size() + spec.parameters.size();
  }
  return bytes;
}

template <typename Use>
void each_of(const simdjson::dom::object& object, std::string_view name, Use use) {
  simdjson::dom::array all;
  if (object[name].get(all) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element one : all) use(one);
}

}  // namespace

std::string write_recorded_tools(const RecordedTools& tools) {
  const bool fit = spec_bytes(tools.client_tools) <= kMaxKeptToolBytes;
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("allowed").begin_array();
  for (const ToolOrigin& tool : tools.allowed) {
    json.begin_object().key("name").string(tool.name).key("source").string(tool.source);
    json.end_object();
  }
  json.end_array().key("client_tools").begin_array();
  for (const model::ToolSpec& spec : tools.client_tools) {
    if (!fit) continue;
    json.begin_object().key("name").string(spec.name).key("description").string(spec.description);
    json.key("parameters").string(spec.parameters).end_object();
  }
  json.end_array().key("gone").begin_array();
  for (const std::string& name : tools.gone) json.string(name);
  for (const model::ToolSpec& spec : tools.client_tools) {
    if (!fit) json.string(spec.name);
  }
  json.end_array().end_object();
  return out;
}

RecordedTools read_recorded_tools(std::string_view json) {
  RecordedTools out;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const simdjson::padded_string padded(json);
  if (parser.parse(padded).get(object) != simdjson::SUCCESS) return out;
  each_of(object, "allowed", [&out](const simdjson::dom::element& one) {
    simdjson::dom::object tool;
    if (one.get(tool) != simdjson::SUCCESS) return;
    out.allowed.insert({core::string_member(tool, "name"), core::string_member(tool, "source")});
  });
  each_of(object, "client_tools", [&out](const simdjson::dom::element& one) {
    simdjson::dom::object spec;
    if (one.get(spec) != simdjson::SUCCESS) return;
    out.client_tools.push_back({core::string_member(spec, "name"),
                                core::string_member(spec, "description"),
                                core::string_member(spec, "parameters")});
  });
  each_of(object, "gone", [&out](const simdjson::dom::element& one) {
    std::string_view name;
    if (one.get(name) == simdjson::SUCCESS) out.gone.emplace(name);
  });
  return out;
}

}  // namespace parley::run
