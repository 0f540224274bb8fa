// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/tool_choice.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <utility>

#include "core/json_writer.h"
#include "demo_model/expression.h"

namespace parley::demo_model {
namespace {

namespace json = boost::json;

// Which tools do what an intent wants: our own, and names of others; and the names of parameters
// for what a step names, as "SLOT:NAMES". All names are looked at as "file_path". In `parameters`
// <FILE>, <FOLDER>, <TEXT> and <QUERY> are names that several have.
struct Trade {
  Intent intent;
  std::string_view own;
  std::string_view others;
  std::string_view parameters;
};
constexpr Trade kTrades[] = {
    {Intent::read, "read",
     "(?:read|cat|open|view|get|load)(?:_text)?_files?(?:_contents?)?|read|files?_read",
     "path:<FILE>"},
    {Intent::list, "ls",
     "ls|(?:list|show|browse|read)_(?:files|dir|directory|folder)(?:_contents)?",
     "folder:<FOLDER>"},
    {Intent::glob, "glob", "glob(?:_files)?|(?:find|match)_files?(?:_by_name)?",
     "pattern:<QUERY> folder:<FOLDER>"},
    {Intent::search, "grep",
     "rip_?grep|grep|search|(?:search|grep|find_in)_(?:files?|text|code|contents?)",
     "pattern:<QUERY> folder:<FOLDER>"},
    {Intent::write, "write_file",
     "(?:write|create|save)(?:_text)?_file|file_(?:write|create|save)|write",
     "path:<FILE> content:<TEXT> append:append"},
    {Intent::make_folder, "create_dir", "mkdir|(?:create|make)_(?:dir|directory|folder)",
     "path:<FOLDER>|name"},
    {Intent::edit, "edit",
     "(?:edit|replace|str_replace|update|modify)(?:_in)?_(?:file|text)|file_edit|edit",
     "path:<FILE> old:old_?(?:string|str|text)?|search|find "
     "new:new_?(?:string|str|text)?|replace(?:ment)?"},
    {Intent::remove, "delete_file",
     "(?:delete|remove|rm|unlink)_(?:files?|path|folder|dir)|file_(?:delete|remove)",
     "path:<FILE> recursive:recursive"},
    {Intent::move, "move_file", "(?:move|rename)_(?:files?|path)|file_(?:move|rename)|rename|move",
     "path:<FILE>|source|src|from|old_path "
     "to:dest|destination|to|target|(?:new|target|destination)_(?:path|name)"},
    {Intent::shell, "bash",
     "bash|shell|terminal|exec|(?:run|exec|execute)_(?:\\w+_)?(?:command|shell|cmd)",
     "command:command|cmd|command_?line|script"},
    {Intent::fetch, "web_fetcher",
     "(?:web_?)?fetch(?:_url|_page)?|http_get|(?:get|open|read|visit)_(?:url|web_?page|page)",
     "url:url|uri|link|address"},
    {Intent::remember, "remember",
     "(?:save|store|add|write)_(?:memory|fact|note)|memory_(?:add|save|store)",
     "text:<TEXT>|fact|memory|note"},
    {Intent::recall, "recall",
     "(?:search|get|read)_(?:memory|memories|facts|notes)|memory_(?:search|recall)",
     "text:<QUERY>"},
    {Intent::todo_write, "todo_write",
     "(?:write|add|create|update|set)_(?:todos?|todo_list|tasks|plan)|todos?_(?:add|set)",
     "items:todos?|items|tasks|plan|list|todos?_(?:json|list)"},
    {Intent::todo_read, "todo_read", "(?:read|get|list|show)_(?:todos?|todo_list|plan)", ""},
    {Intent::ask_person, "ask_question",
     "ask|ask_(?:the_)?(?:user|human|person)(?:_questions?)?|(?:user|human)_input",
     "text:question|prompt|message|text|query options:choices|options|answers"},
    {Intent::ask_agent, "invoke_agent",
     "(?:invoke|call|run|spawn|ask)_(?:sub_?)?agents?|(?:sub_?)?agent|delegate",
     "agent:(?:sub_?)?agent(?:_name|_type)?|name text:task|prompt|message|instructions?"},
    {Intent::node_set, "workflow_node_set",
     "(?:set|update|edit)_node(?:_\\w+)?|node_(?:set|update|edit)(?:_\\w+)?",
     "node:node|node_id|node_name|id input:input|input_name|field|param|parameter|widget|key|name "
     "value:value|new_value"},
};
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"<FILE>", "(?:file|full|target)?_?(?:path|name)s?|files?|uri"},
    {"<FOLDER>", "(?:dir_|directory_|folder_|root_)?path|dir|directory|folder|root|uri"},
    {"<TEXT>", "content|contents|text|value|body|data"},
    {"<QUERY>", "query|pattern|q|text|search_term|regex|glob"}};

struct CompiledTrade {
  Intent intent;
  std::string own;
  Expression others;
  std::vector<std::pair<std::string, Expression>> parameters;
};

std::vector<CompiledTrade> compile_trades() {
  static const Expression kParameter(R"((?P<slot>[a-z]+):(?P<names>\S+))");
  std::vector<CompiledTrade> out;
  for (const Trade& trade : kTrades) {
    out.push_back({trade.intent,
                   std::string(trade.own),
                   Expression(std::string(trade.own) + "|" + std::string(trade.others)),
                   {}});
    std::string parameters(trade.parameters);
    for (const auto& [mark, names] : kNames) {
      const std::size_t at = parameters.find(mark);
      if (at != std::string::npos) parameters.replace(at, mark.size(), names);
    }
    for (auto hit = kParameter.find(parameters); hit; hit = kParameter.find(parameters, hit->end)) {
      out.back().parameters.emplace_back(hit->slots.at("slot"), Expression(hit->slots.at("names")));
    }
  }
  return out;
}

const std::vector<CompiledTrade>& all_trades() {
  static const std::vector<CompiledTrade> kAll = compile_trades();
  return kAll;
}

// Null: the intent calls no tool.
const CompiledTrade* trade_of(Intent intent) {
  const std::vector<CompiledTrade>& all = all_trades();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [intent](const auto& trade) { return trade.intent == intent; });
  return found == all.end() ? nullptr : &*found;
}

// "readFile", "read-file": "read_file".
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && !out.empty() && out.back() >= 'a' && out.back() <= 'z') out += '_';
    out += is_upper ? static_cast<char>(c - 'A' + 'a') : c == '-' || c == '.' ? '_' : c;
  }
  return out;
}

// Words of a server's name may stand before the tool's: "filesystem_read_file".
bool is_of(const CompiledTrade& trade, const std::string& tool) {
  std::string name = plain_name(tool);
  while (!trade.others.is(name)) {
    const std::size_t word = name.find('_');
    if (word == std::string::npos || name.find('_', word + 1) == std::string::npos) return false;
    name.erase(0, word + 1);
  }
  return true;
}

json::object object_at(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  return found != nullptr && found->is_object() ? found->get_object() : json::object();
}

// Whether the member `name`, a text or a list of texts, has `text`.
bool lists(const json::object& from, std::string_view name, std::string_view text) {
  const json::value* found = from.if_contains(name);
  if (found == nullptr) return false;
  if (!found->is_array()) return found->is_string() && found->get_string() == text;
  const json::array& all = found->get_array();
  return std::any_of(all.begin(), all.end(), [&](const json::value& one) {
    return one.is_string() && one.get_string() == text;
  });
}

// A text as JSON: a number or a truth value where the parameter takes one and it reads as one.
std::string scalar(const json::object& property, const std::string& text, bool is_value) {
  const auto takes = [&](std::string_view type) { return lists(property, "type", type); };
  const bool is_open = is_value && !property.contains("type");
  boost::system::error_code failure;
  const json::value read = json::parse(text, failure);
  const bool is_number =
      !failure && read.is_number() && (is_open || takes("number") || takes("integer"));
  const bool is_truth = !failure && read.is_bool() && (is_open || takes("boolean"));
  if ((is_number || is_truth) && (is_value || !takes("string"))) return text;
  return json::serialize(json::value(text));
}

// A list, of texts or of objects with the text in the first member that fits.
std::string list_of(const json::object& property, const std::vector<std::string>& values) {
  static const Expression kLabel("content|text|title|label|task|description");
  std::string label = property.contains("items") ? "" : "content";
  for (const auto& [name, type] : object_at(object_at(property, "items"), "properties")) {
    if (label.empty() && kLabel.is(std::string_view(name))) label = name;
  }
  json::array out;
  for (const std::string& value : values) {
    if (label.empty()) {
      out.emplace_back(value);
    } else {
      out.emplace_back(json::object{{label, value}});
    }
  }
  return json::serialize(out);
}

class Filler {
 public:
  Filler(const Step& step, const CompiledTrade& trade, const std::optional<std::string>& before)
      : step_(step), trade_(trade) {
    for (const auto& [slot, names] : trade.parameters) {
      const auto found = step.slots.find(slot);
      if (found == step.slots.end() || found->second.empty()) continue;
      const bool may_be_empty = slot == "content" || slot == "new";
      if (may_be_empty || !found->second.front().empty()) values_[slot] = found->second;
    }
    if (step.of_result && before) values_["content"] = {*before};
    if (step.intent == Intent::list) values_.try_emplace("folder", 1, ".");
  }

  // The arguments for the path at `path`, where the tool takes one at a time.
  std::string fill(const json::object& schema, std::size_t path) {
    path_ = path;
    for (const auto& [slot, values] : values_) unplaced_.insert(slot);
    std::string out = object(schema);
    if (step_.intent == Intent::list && step_.slots.empty()) unplaced_.clear();
    if (missing.empty()) missing.assign(unplaced_.begin(), unplaced_.end());
    return out;
  }

  std::vector<std::string> missing;
  bool took_one = false;  // of several paths

 private:
  std::string object(const json::object& schema) {
    std::string out;
    core::JsonWriter writer(out);
    writer.begin_object();
    for (const auto& [name, value] : object_at(schema, "properties")) {
      const json::object property = value.is_object() ? value.get_object() : json::object();
      const std::string slot = slot_for(plain_name(name));
      const json::object items = object_at(property, "items");
      if (!slot.empty()) {
        writer.key(name).raw(value_of(slot, property));
        unplaced_.erase(slot);
      } else if (step_.intent == Intent::ask_agent && items.contains("properties")) {
        writer.key(name).raw("[" + object(items) + "]");
      } else if (lists(schema, "required", name)) {
        missing.emplace_back(name);
      }
    }
    writer.end_object();
    return out;
  }

  // What goes into the parameter `name`; empty: nothing.
  std::string slot_for(const std::string& name) const {
    for (const auto& [slot, names] : trade_.parameters) {
      if (unplaced_.contains(slot) && names.is(name)) return slot;
    }
    return {};
  }

  std::string value_of(const std::string& slot, const json::object& property) {
    const std::vector<std::string>& values = values_.at(slot);
    const bool is_list = slot == "items" || slot == "options";
    if (lists(property, "type", "array") || (is_list && !lists(property, "type", "string"))) {
      return list_of(property, values);
    }
    if (is_list) return json::serialize(json::value(list_of(property, values)));
    took_one = took_one || values.size() > 1;
    return scalar(property, values[std::min(path_, values.size() - 1)], slot == "value");
  }

  const Step& step_;
  const CompiledTrade& trade_;
  std::map<std::string, std::vector<std::string>> values_;
  std::set<std::string> unplaced_;
  std::size_t path_ = 0;
};

const model::ToolSpec* named(std::string_view name, const std::vector<model::ToolSpec>& tools) {
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [name](const auto& tool) { return tool.name == name; });
  return name.empty() || found == tools.end() ? nullptr : &*found;
}

}  // namespace

// The first tool of the list that does it: clients' tools stand before the server's. One of our own
// tools does its own trade only.
const model::ToolSpec* tool_for(const Step& step, const std::vector<model::ToolSpec>& tools) {
  if (const model::ToolSpec* tool = named(step.tool, tools)) return tool;
  const CompiledTrade* trade = trade_of(step.intent);
  if (trade == nullptr) return nullptr;
  const auto is_ours = [](const std::string& name) {
    return std::any_of(all_trades().begin(), all_trades().end(),
                       [&name](const CompiledTrade& each) { return each.own == name; });
  };
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const auto& tool) {
    return tool.name == trade->own || (is_of(*trade, tool.name) && !is_ours(tool.name));
  });
  return found == tools.end() ? nullptr : &*found;
}

ToolPlan plan_calls(const Step& step, const model::ToolSpec& tool,
                    const std::optional<std::string>& before) {
  if (tool.name == step.tool) {
    if (!is_json_object(step.arguments)) return {{}, {"{json}"}};
    return {{{"", tool.name, step.arguments}}, {}};
  }
  boost::system::error_code failure;
  const json::value read = json::parse(tool.parameters, failure);
  const json::object schema = !failure && read.is_object() ? read.get_object() : json::object();
  const auto paths = step.slots.find("path");
  const std::size_t count = paths == step.slots.end() ? 1 : paths->second.size();
  Filler filler(step, *trade_of(step.intent), before);
  ToolPlan plan;
  for (std::size_t i = 0; i == 0 || (i < count && filler.took_one); ++i) {
    std::string arguments = filler.fill(schema, i);
    if (!filler.missing.empty()) return {{}, std::move(filler.missing)};
    plan.calls.push_back({"", tool.name, std::move(arguments)});
  }
  return plan;
}

}  // namespace parley::demo_model
