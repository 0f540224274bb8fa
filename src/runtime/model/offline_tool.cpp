// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_tool.h"

#include <algorithm>
#include <boost/json.hpp>
#include <string_view>
#include <utility>

#include "runtime/model/offline_fill.h"

namespace parley::model::offline {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxCalls = 8;

std::vector<std::string> absent(const json::object& schema, const json::object& arguments) {
  std::vector<std::string> out;
  const json::value* required = schema.if_contains("required");
  if (required == nullptr || !required->is_array()) return out;
  for (const json::value& name : required->get_array()) {
    if (name.is_string() && !arguments.contains(name.get_string()))
      out.emplace_back(std::string_view(name.get_string()));
  }
  return out;
}

// Calls of other tools as the arguments of one: {"calls":[{"tool":..,"parameters":{..}}]}.
std::optional<json::object> batched(const Step& step, const json::object& schema,
                                    const ToolSpec& batch, const std::vector<ToolSpec>& tools) {
  const json::value* properties = schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object() || properties->get_object().empty())
    return std::nullopt;
  const std::string list(properties->get_object().begin()->key());
  const std::size_t colon = step.text.text.find(':');
  const std::size_t wide = step.text.text.find("：");
  std::size_t from = colon != std::string::npos  ? colon + 1
                     : wide != std::string::npos ? wide + 3
                                                 : 0;
  if (from == 0) {
    const Hit word = find_any(step.text.plain, {"batch", "批量"});
    from = word ? word.end : 0;
  }
  json::array calls;
  for (const Step& part : read_request(std::string_view(step.text.text).substr(from)).steps) {
    const ToolSpec* tool = tool_for(part, tools);
    if (tool == nullptr || tool->name == batch.name) return std::nullopt;
    const ToolPlan plan = plan_calls(part, *tool, tools, {});
    for (const ToolCall& call : plan.calls) {
      json::object one;
      one["tool"] = call.name;
      one["parameters"] = parsed_object(call.arguments);
      calls.emplace_back(std::move(one));
    }
    if (plan.calls.empty()) return std::nullopt;
  }
  if (calls.empty()) return std::nullopt;
  json::object out;
  out[list] = std::move(calls);
  return out;
}

}  // namespace

ToolPlan plan_calls(const Step& step, const ToolSpec& tool, const std::vector<ToolSpec>& tools,
                    const Before& before) {
  ToolPlan plan;
  const json::object schema = parsed_object(tool.parameters);
  if (step.intent == Intent::batch) {
    if (const auto arguments = batched(step, schema, tool, tools)) {
      plan.calls.push_back({"", tool.name, json::serialize(*arguments)});
    } else {
      plan.missing.emplace_back("calls");
    }
    return plan;
  }
  // Arguments that the request has as they are: call x with {"a": 1}.
  for (const Value& value : step.text.values) {
    if (value.kind != Value::Kind::json || step.intent == Intent::write) continue;
    const json::object arguments = parsed_object(value.text);
    if (!absent(schema, arguments).empty()) continue;
    plan.calls.push_back({"", tool.name, json::serialize(arguments)});
    return plan;
  }
  const std::size_t count = std::min(std::max<std::size_t>(step.slots.paths.size(), 1), kMaxCalls);
  for (std::size_t i = 0; i < count; ++i) {
    Filled filled = fill(step, schema, before, i);
    if (!filled.missing.empty()) return {{}, std::move(filled.missing)};
    plan.calls.push_back({"", tool.name, json::serialize(filled.arguments)});
    const bool each = step.intent == Intent::read || step.intent == Intent::remove ||
                      step.intent == Intent::make_folder;
    if (!each || !filled.took_one_path) break;
  }
  return plan;
}

}  // namespace parley::model::offline
