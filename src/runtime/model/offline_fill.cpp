// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_fill.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/model/offline_parameter.h"

namespace parley::model::offline {
namespace {

namespace json = boost::json;
using Kind = Value::Kind;

constexpr int kMaxSchemaDepth = 6;

json::value list_value(const std::vector<std::string>& items) {
  json::array out;
  for (const std::string& item : items) out.emplace_back(json::string(item));
  return out;
}

std::string within(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

class Filler {
 public:
  Filler(const Step& step, const json::object& schema, const Before& before)
      : step_(step), slots_(step.slots), schema_(schema), before_(before) {}

  json::object fill(Position position) {
    position_ = position;
    missing.clear();
    used_.clear();
    return object(schema_, "", 0);
  }

  std::vector<std::string> missing;
  bool took_one_path = false;  // a single path was asked for where the step has several

 private:
  // The schema that counts: behind a reference, the first alternative that is not null.
  const json::object& meant(const json::object& schema, int depth) const {
    if (depth > kMaxSchemaDepth) return schema;
    if (const json::value* ref = schema.if_contains("$ref"); ref != nullptr && ref->is_string()) {
      std::string_view path = std::string_view(ref->get_string());
      const json::value* at = nullptr;
      for (const std::string_view place : {"#/$defs/", "#/definitions/"}) {
        if (!path.starts_with(place)) continue;
        const json::value* defs =
            schema_.if_contains(place == "#/$defs/" ? "$defs" : "definitions");
        path.remove_prefix(place.size());
        if (defs != nullptr && defs->is_object())
          at = defs->get_object().if_contains(json::string_view(path.data(), path.size()));
      }
      if (at != nullptr && at->is_object()) return meant(at->get_object(), depth + 1);
    }
    for (const char* key : {"anyOf", "oneOf"}) {
      const json::value* alternatives = schema.if_contains(key);
      if (alternatives == nullptr || !alternatives->is_array()) continue;
      for (const json::value& one : alternatives->get_array()) {
        if (one.is_object() && type_of(one.get_object()) != "null")
          return meant(one.get_object(), depth + 1);
      }
    }
    return schema;
  }

  static std::string_view type_of(const json::object& schema) {
    const json::value* type = schema.if_contains("type");
    if (type != nullptr && type->is_string()) return std::string_view(type->get_string());
    if (type != nullptr && type->is_array()) {
      for (const json::value& one : type->get_array()) {
        if (one.is_string() && one.get_string() != "null")
          return std::string_view(one.get_string());
      }
    }
    if (schema.contains("properties")) return "object";
    return schema.contains("items") ? "array" : "string";
  }

  static bool is_required(const json::object& schema, std::string_view name) {
    const json::value* required = schema.if_contains("required");
    if (required == nullptr || !required->is_array()) return false;
    const json::array& names = required->get_array();
    return std::any_of(names.begin(), names.end(), [name](const json::value& one) {
      return one.is_string() && std::string_view(one.get_string()) == name;
    });
  }

  json::object object(const json::object& schema, const std::string& path, int depth) {
    json::object out;
    const json::value* properties = schema.if_contains("properties");
    if (properties == nullptr || !properties->is_object() || depth > kMaxSchemaDepth) return out;
    const json::object& all = properties->get_object();
    // Those that must be there choose first.
    for (const bool required : {true, false}) {
      for (const auto& member : all) {
        const std::string name(member.key());
        if (!member.value().is_object() || is_required(schema, name) != required) continue;
        const json::object& what = meant(member.value().get_object(), 0);
        std::optional<json::value> value = property(what, name, required, depth);
        if (!value && required) value = fallback(what, member.value().get_object());
        if (value) {
          out[name] = std::move(*value);
        } else if (required) {
          missing.push_back(within(path, name));
        }
      }
    }
    return out;
  }

  static std::optional<json::value> fallback(const json::object& meant_schema,
                                             const json::object& schema) {
    for (const json::object* one : {&schema, &meant_schema}) {
      if (const json::value* value = one->if_contains("default");
          value != nullptr && !value->is_null())
        return *value;
      if (const json::value* value = one->if_contains("const")) return *value;
    }
    const json::value* choices = meant_schema.if_contains("enum");
    const bool is_one =
        choices != nullptr && choices->is_array() && choices->get_array().size() == 1;
    if (is_one) return choices->get_array().front();
    return std::nullopt;
  }

  std::optional<json::value> property(const json::object& schema, const std::string& name,
                                      bool required, int depth) {
    const ParameterName parameter(name);
    const std::string_view type = type_of(schema);
    if (const json::value* choices = schema.if_contains("enum");
        choices != nullptr && choices->is_array()) {
      return chosen(choices->get_array(), parameter, required);
    }
    if (type == "array") return array(schema, parameter, required, depth);
    if (type == "object") return nested(schema, parameter, required, depth);
    if (type == "boolean") return flag(parameter, required);
    if (type == "integer" || type == "number")
      return number(parameter, type == "integer", required);
    return text(parameter, required);
  }

  // --- types ---------------------------------------------------------------------------------

  std::optional<json::value> chosen(const json::array& choices, const ParameterName& parameter,
                                    bool required) {
    if (parameter.has({"status", "priority", "state"}) && step_.intent == Intent::todo_write &&
        required) {
      return choices.empty() ? std::nullopt : std::optional<json::value>(choices.front());
    }
    for (const json::value& choice : choices) {
      if (!choice.is_string()) continue;
      std::string word(std::string_view(choice.get_string()));
      std::transform(word.begin(), word.end(), word.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      if (!word.empty() && find_word(step_.text.plain, word) != std::string::npos) return choice;
      const bool is_quoted = std::any_of(
          step_.text.values.begin(), step_.text.values.end(),
          [&](const Value& value) { return value.text == std::string_view(choice.get_string()); });
      if (is_quoted) return choice;
    }
    return std::nullopt;
  }

  std::optional<json::value> flag(const ParameterName& parameter, bool required) {
    const std::string& plain = step_.text.plain;
    // "recursively", "without window"
    std::size_t at = std::string::npos;
    for (const std::string& word : parameter.words()) {
      at = word.size() < 3 ? std::string::npos : plain.find(word);
      if (at == std::string::npos) break;
    }
    if (at != std::string::npos) {
      const std::size_t from = at < 14 ? 0 : at - 14;
      return !has_any(std::string_view(plain).substr(from, at - from),
                      {"not", "no", "without", "don't", "non", "不", "别"});
    }
    if (const auto said = said_value(parameter)) {
      return has_any(*said, {"true", "yes", "on", "1", "是", "开"});
    }
    if (!required) return std::nullopt;
    if (has_any(plain, {"yes", "true", "on", "enable", "打开", "开启", "是"})) return true;
    if (has_any(plain, {"no", "false", "off", "disable", "关闭", "关掉", "否"})) return false;
    return std::nullopt;
  }

  static std::optional<json::value> parsed_number(std::string_view text, bool whole) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const char* end = text.data() + text.size();
    if (whole) {
      std::int64_t value = 0;
      const auto [rest, error] = std::from_chars(text.data(), end, value);
      if (error == std::errc() && rest == end) return json::value(value);
      return std::nullopt;
    }
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end) return json::value(value);
    return std::nullopt;
  }

  // "limit 5", "page=2", "5 tickets"
  bool is_counted_by(const Value& value, const ParameterName& parameter) const {
    const std::string_view plain = step_.text.plain;
    std::string_view before = bare(plain.substr(0, value.begin));
    for (const std::string_view mark : {"=", " is", " of", "为", "是"}) {
      if (before.ends_with(mark)) before = bare(before.substr(0, before.size() - mark.size()));
    }
    const std::string_view after = trimmed(plain.substr(value.end));
    return std::any_of(
        parameter.words().begin(), parameter.words().end(), [&](std::string_view word) {
          if (word.size() < 3) return false;
          const std::string_view stem =
              word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
          return before.ends_with(word) || before.ends_with(stem) || after.starts_with(stem);
        });
  }

  std::optional<json::value> number(const ParameterName& parameter, bool whole, bool required) {
    for (const Value& value : step_.text.values) {
      if (value.kind != Kind::number || used_.contains(value.begin)) continue;
      if (!is_counted_by(value, parameter)) continue;
      used_.insert(value.begin);
      return parsed_number(value.text, whole);
    }
    if (!required) return std::nullopt;
    for (const Value& value : step_.text.values) {
      if (value.kind != Kind::number || used_.contains(value.begin)) continue;
      std::optional<json::value> found = parsed_number(value.text, whole);
      if (!found) continue;
      used_.insert(value.begin);
      return found;
    }
    if (step_.intent == Intent::todo_write && parameter.has({"id", "index"}))
      return json::value(static_cast<std::int64_t>(position_.item + 1));
    return std::nullopt;
  }

  std::size_t list_size(const ParameterName& parameter) const {
    if (step_.intent == Intent::todo_write) return slots_.items.size();
    if (step_.intent == Intent::ask_person && parameter.has({"choices", "options", "answers"}))
      return slots_.options.size();
    return 1;
  }

  std::optional<json::value> array(const json::object& schema, const ParameterName& parameter,
                                   bool required, int depth) {
    const json::value* items = schema.if_contains("items");
    const json::object none;
    const json::object& item =
        items != nullptr && items->is_object() ? meant(items->get_object(), 0) : none;
    const std::string_view type = item.empty() ? "string" : type_of(item);
    if (type == "object") {
      json::array out;
      const std::size_t size = list_size(parameter);
      const bool is_choice = step_.intent == Intent::ask_person && size > 0;
      if (step_.intent == Intent::ask_person && size == 0) return std::nullopt;
      for (std::size_t i = 0; i < size; ++i) {
        position_.item = i;
        const std::vector<std::string> missing_before = missing;
        in_choice_ = is_choice && parameter.has({"choices", "options", "answers"});
        json::object one = object(item, parameter.text() + "[]", depth + 1);
        in_choice_ = false;
        const bool fits = missing.size() == missing_before.size() && !one.empty();
        if (!required) missing = missing_before;
        if (fits) out.emplace_back(std::move(one));
      }
      position_.item = 0;
      if (out.empty()) return std::nullopt;
      return out;
    }
    std::vector<std::string> texts = list_texts(parameter, required);
    if (texts.empty()) return std::nullopt;
    if (type == "string") return list_value(texts);
    json::array out;
    for (const std::string& text : texts) {
      if (auto found = parsed_number(text, type == "integer")) out.push_back(std::move(*found));
    }
    if (out.empty()) return std::nullopt;
    return out;
  }

  std::vector<std::string> list_texts(const ParameterName& parameter, bool required) const {
    if (parameter.is_path() && !slots_.paths.empty()) return slots_.paths;
    if (parameter.is_url() && !slots_.urls.empty()) return slots_.urls;
    if (step_.intent == Intent::todo_write) return slots_.items;
    if (parameter.has({"choices", "options", "answers"})) return slots_.options;
    if (parameter.has({"include", "glob", "globs"})) return slots_.options;
    if (!required) return {};
    if (parameter.has({"pattern", "patterns"}) && slots_.pattern) return {*slots_.pattern};
    std::vector<std::string> out;
    for (const Kind kind : {Kind::quoted, Kind::number, Kind::path}) {
      for (const Value& value : step_.text.values) {
        if (value.kind == kind) out.push_back(value.text);
      }
      if (!out.empty()) return out;
    }
    const std::size_t colon = step_.text.text.find(": ");
    if (colon != std::string::npos)
      return split_list(std::string_view(step_.text.text).substr(colon + 2));
    return out;
  }

  std::optional<json::value> nested(const json::object& schema, const ParameterName& parameter,
                                    bool required, int depth) {
    for (const Value& value : step_.text.values) {
      if (value.kind == Kind::json && !used_.contains(value.begin)) {
        used_.insert(value.begin);
        return json::value(parsed_object(value.text));
      }
    }
    if (!required) return std::nullopt;
    if (!schema.contains("properties")) return json::value(json::object());
    return json::value(object(schema, parameter.text(), depth + 1));
  }

  // --- text ----------------------------------------------------------------------------------

  std::optional<json::value> text(const ParameterName& parameter, bool required) {
    if (in_choice_) {
      const bool is_label = required || parameter.has({"label", "title", "name", "text"});
      return is_label ? std::optional<json::value>(json::string(slots_.options[position_.item]))
                      : std::nullopt;
    }
    std::optional<std::string> found = slot_for(step_, parameter, position_, required, before_);
    took_one_path = took_one_path || (found && parameter.is_path() && slots_.paths.size() > 1);
    if (!found) found = said_value(parameter);
    if (!found && (required || step_.intent == Intent::unknown))
      found = pooled(parameter, required);
    if (!found) return std::nullopt;
    return json::string(*found);
  }

  // "city: Paris", "city=Paris", "title is \"Up\"", "the user Ann".
  std::optional<std::string> said_value(const ParameterName& parameter) {
    const std::string& plain = step_.text.plain;
    for (const std::string& word : parameter.words()) {
      if (word.size() < 2) continue;
      const std::size_t at = find_word(plain, word);
      if (at == std::string::npos) continue;
      std::size_t begin = at + word.size();
      const Hit mark = find_any(std::string_view(plain).substr(begin, 8),
                                {"=", ":", "：", "is", "called", "named", "为", "是", "叫"});
      const std::string_view gap =
          mark ? bare(std::string_view(plain).substr(begin, mark.begin)) : "x";
      if (mark && gap.empty()) {
        begin += mark.end;
      } else if (step_.intent != Intent::unknown) {
        continue;
      }
      for (const Value& value : step_.text.values) {
        const bool next =
            value.begin >= begin &&
            trimmed(std::string_view(plain).substr(begin, value.begin - begin)).empty();
        if (!next || used_.contains(value.begin)) continue;
        used_.insert(value.begin);
        return value.text;
      }
      if (mark && gap.empty()) {
        std::size_t end = plain.find_first_of(",;\n", begin);
        const Hit stop = find_any(plain, {" and ", " with ", "，", "。"}, begin);
        if (stop) end = std::min(end, stop.begin);
        const std::string found(
            bare(std::string_view(step_.text.text)
                     .substr(begin, end == std::string::npos ? end : end - begin)));
        if (!found.empty() && found.find('\x01') == std::string::npos) return found;
      }
    }
    return std::nullopt;
  }

  // From what stands out in the request and is not used yet; of what must be there, words too.
  std::optional<std::string> pooled(const ParameterName& parameter, bool required) {
    const auto take = [this](std::initializer_list<Kind> kinds) -> std::optional<std::string> {
      for (const Kind kind : kinds) {
        for (const Value& value : step_.text.values) {
          if (value.kind != kind || used_.contains(value.begin)) continue;
          used_.insert(value.begin);
          return value.text;
        }
      }
      return std::nullopt;
    };
    if (parameter.is_url()) return take({Kind::url});
    if (parameter.is_path()) return take({Kind::path, Kind::weak_path, Kind::quoted, Kind::code});
    if (parameter.has({"date", "day", "when"})) {
      if (auto date = take({Kind::date})) return date;
    }
    if (!required) return std::nullopt;
    if (parameter.has({"id", "number", "code"})) {
      if (auto id = take({Kind::quoted, Kind::code, Kind::number})) return id;
    }
    if (auto quote = take({Kind::quoted, Kind::code})) return quote;
    // Only where the tool was chosen by its words: an intent would have found its own.
    if (step_.intent != Intent::unknown) return std::nullopt;
    return phrase();
  }

  // "weather in Paris", "translate good morning": the words after a preposition, or after the verb.
  std::optional<std::string> phrase() {
    if (std::exchange(phrase_used_, true)) return std::nullopt;
    const std::string& text = step_.text.text;
    const Hit at = find_any(step_.text.plain, {" in ", " for ", " of ", " about ", " named ",
                                               " called ", " at ", " on ", "关于"});
    std::string_view words;
    if (at) {
      words = bare(std::string_view(text).substr(at.end));
    } else {
      const std::size_t space = text.find(' ');
      if (space != std::string::npos) words = bare(std::string_view(text).substr(space));
    }
    for (const std::string_view article : {"the ", "a ", "an "}) {
      if (words.starts_with(article)) words.remove_prefix(article.size());
    }
    if (words.empty() || words.size() > 200) return std::nullopt;
    return std::string(words);
  }

  const Step& step_;
  const Slots& slots_;
  const json::object& schema_;
  const Before& before_;
  Position position_;
  std::set<std::size_t> used_;  // where values begin that a parameter has
  bool in_choice_ = false;
  bool phrase_used_ = false;
};

}  // namespace

Filled fill(const Step& step, const json::object& schema, const Before& before,
            std::size_t path_index) {
  Filler filler(step, schema, before);
  Filled filled;
  filled.arguments = filler.fill({0, path_index});
  filled.missing = std::move(filler.missing);
  filled.took_one_path = filler.took_one_path;
  return filled;
}

json::object parsed_object(std::string_view text) {
  boost::system::error_code failure;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), failure);
  return !failure && value.is_object() ? value.get_object() : json::object();
}

}  // namespace parley::model::offline
