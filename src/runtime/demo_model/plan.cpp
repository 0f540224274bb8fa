// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Maps the slots of a step to the parameters of a tool, by name.
#include <re2/re2.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "absl/strings/str_replace.h"
#include "base/core/ascii.h"
#include "base/core/json_writer.h"
#include "runtime/demo_model/request.h"

namespace parley::demo_model {
namespace {

namespace json = boost::json;
using re2::RE2;

// Slots, and patterns of parameter names in snake case that take them.
constexpr std::pair<std::string_view, const char*> kNames[] = {
    {"path", "(?:file|full|folder|dir)?_?(?:path|name)s?|files?|dir|directory|folder|root|uri"},
    {"content", "contents?|text|body|data"},
    {"pattern", "pattern|query|regex|text"},
    {"command", "command|cmd|script"},
    {"items", "todos?|items|tasks|plan"},
    {"question", "question|prompt|message|text"},
    {"options", "options|choices|answers"},
    {"node", "node(?:_id)?|id"},
    {"input", "input(?:_name)?|field|widget|name"},
    {"value", "(?:new_)?value"}};

// "readFile" and "read-file" become "read_file".
std::string snake_case(std::string_view name) {
  static const RE2 kBorder("([a-z0-9])([A-Z])");
  std::string out = absl::StrReplaceAll(std::string(name), {{"-", "_"}, {".", "_"}});
  RE2::GlobalReplace(&out, kBorder, R"(\1_\2)");
  return core::lowered(out);
}

json::object object_at(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  return found != nullptr && found->is_object() ? found->get_object() : json::object();
}

// True if the member `name`, a text or a list of texts, contains `text`.
bool lists(const json::object& from, std::string_view name, const json::string& text) {
  const json::value* found = from.if_contains(name);
  return found != nullptr &&
         json::serialize(*found).find(json::serialize(text)) != std::string::npos;
}

// A list of texts, or of objects with the text in the first suitable member.
std::string list_of(const json::object& property, const std::vector<std::string>& values) {
  static const RE2 kLabel("content|text|title|label|name|task");
  std::string label;
  for (const auto& [name, type] : object_at(object_at(property, "items"), "properties")) {
    if (label.empty() && RE2::FullMatch(std::string_view(name), kLabel)) label = name;
  }
  json::array out;
  for (const std::string& value : values) {
    out.push_back(label.empty() ? json::value(value) : json::object{{label, value}});
  }
  return json::serialize(out);
}

// A value as JSON: a number or a boolean keeps its type unless the parameter is text.
std::string scalar(const json::object& property, const std::string& text) {
  static const RE2 kBare(R"(-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)");
  const bool is_bare = !lists(property, "type", "string") && RE2::FullMatch(text, kBare);
  return is_bare ? text : json::serialize(json::value(text));
}

// The arguments of a call; `index` selects the file if the tool takes one at a time. Empty if a
// required parameter is missing in the step.
std::string arguments_for(const Step& step, const json::object& schema, std::size_t index) {
  std::string out;
  core::JsonWriter writer(out);
  writer.begin_object();
  for (const auto& [name, value] : object_at(schema, "properties")) {
    const json::object property = value.is_object() ? value.get_object() : json::object();
    const std::string plain = snake_case(name);
    const auto found = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& names) {
      return step.slots.contains(names.first) && RE2::FullMatch(plain, names.second);
    });
    if (found != std::end(kNames)) {
      const std::vector<std::string>& values = step.slots.find(found->first)->second;
      writer.key(name).raw(lists(property, "type", "array")
                               ? list_of(property, values)
                               : scalar(property, values[std::min(index, values.size() - 1)]));
    } else if (lists(schema, "required", name)) {
      if (!RE2::FullMatch(plain, "path|dir|directory|folder")) return {};
      writer.key(name).string(".");
    }
  }
  writer.end_object();
  return out;
}

}  // namespace

std::vector<model::ToolCall> calls_for(Step step, const std::vector<model::ToolSpec>& tools,
                                       const std::string& before) {
  // The first match: client tools come before the server's.
  const auto tool = std::find_if(tools.begin(), tools.end(), [&step](const auto& one) {
    if (step.intent == nullptr) return one.name == step.tool;
    return RE2::FullMatch(snake_case(one.name), step.intent->tools);
  });
  if (tool == tools.end()) return {};
  if (step.intent == nullptr) return {{"", tool->name, step.arguments}};
  if (step.slots.contains("result") && !before.empty()) step.slots["content"] = {before};
  boost::system::error_code failure;
  const json::value schema = json::parse(tool->parameters, failure);
  if (failure || !schema.is_object()) return {};
  const std::size_t files = step.slots.contains("path") ? step.slots["path"].size() : 1;
  std::vector<model::ToolCall> out;
  for (std::size_t i = 0; i < files; ++i) {
    std::string arguments = arguments_for(step, schema.get_object(), i);
    if (arguments.empty()) return {};
    if (i > 0 && arguments == out.back().arguments) break;  // one call covers all files
    out.push_back({"", tool->name, std::move(arguments)});
  }
  return out;
}

}  // namespace parley::demo_model
