// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/shell_call.h"

#include <array>
#include <boost/json/parse.hpp>
#include <utility>

#include "base/core/json_writer.h"
#include "base/shell/explanation_text.h"

namespace parley::run {
namespace {

namespace json = boost::json;

constexpr std::string_view kShellTool = "bash";
constexpr std::string_view kBuiltIn = "builtin";
constexpr std::array<std::string_view, 3> kCommandArguments = {"command", "cmd", "script"};

// A word that a shell takes for this text.
std::string quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string out = "'";
  for (const char c : word) c == '\'' ? out.append("'\\''") : out.append(1, c);
  return out + "'";
}

// The words of a list as one command; std::nullopt: a member is no text, or there is none.
std::optional<std::string> command_of(const json::array& words) {
  std::string out;
  for (const json::value& word : words) {
    if (!word.is_string()) return std::nullopt;
    if (!out.empty()) out += ' ';
    out += quoted(word.get_string());
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::optional<ShellCall> call_of(json::object& arguments, std::string_view name) {
  const json::value* const value = arguments.if_contains(name);
  if (value == nullptr) return std::nullopt;
  ShellCall created;
  created.argument = name;
  if (const json::string* const text = value->if_string()) {
    created.command = *text;
  } else if (const json::array* const words = value->if_array()) {
    std::optional<std::string> command = command_of(*words);
    if (!command) return std::nullopt;
    created.command = std::move(*command);
    created.is_list = true;
  } else {
    return std::nullopt;
  }
  created.others = std::move(arguments);
  created.others.erase(name);
  return created;
}

void write_words(core::JsonWriter& json, const shell::Explanation& explained,
                 shell::Language language) {
  json.begin_object().key("dangers").string(danger_text(explained, language));
  json.key("touches").string(touch_text(explained, language)).end_object();
}

}  // namespace

std::optional<ShellCall> shell_call(const model::ToolCall& call, std::string_view source) {
  const bool is_own = source == kBuiltIn;
  if (is_own && call.name != kShellTool) return std::nullopt;
  boost::system::error_code error;
  json::value parsed = json::parse(call.arguments, error);
  json::object* const arguments = error ? nullptr : parsed.if_object();
  if (arguments == nullptr) return std::nullopt;
  if (is_own) {
    std::optional<ShellCall> created = call_of(*arguments, kCommandArguments.front());
    if (!created || created->is_list) return std::nullopt;
    created->is_certain = true;
    return created;
  }
  for (const std::string_view name : kCommandArguments) {
    if (std::optional<ShellCall> created = call_of(*arguments, name)) return created;
  }
  return std::nullopt;
}

std::string explanation_json(const ShellCall& call, const shell::Explanation& explained) {
  using shell::Language;
  const bool is_dangerous = !danger_text(explained, Language::english).empty();
  if (!is_dangerous && touch_text(explained, Language::english).empty()) return {};
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("dangerous").boolean(is_dangerous);
  if (!call.is_certain) json.key("argument").string(call.argument);
  json.key("en");
  write_words(json, explained, Language::english);
  json.key("zh");
  write_words(json, explained, Language::chinese);
  json.end_object();
  return out;
}

}  // namespace parley::run
