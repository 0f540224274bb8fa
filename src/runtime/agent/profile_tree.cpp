// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/profile_tree.h"

#include <toml++/toml.h>
#include <yaml-cpp/yaml.h>

#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/number_text.h"
#include "base/core/toml_dots.h"
#include "base/core/utf8.h"
#include "base/core/yaml_limit.h"

namespace parley::agent {
namespace {

namespace json = boost::json;

// Limits on the values of one file. A YAML alias can repeat a value many times, so the limit counts
// the resulting values, not the bytes of the text.
// Limit (Runs): values of a profile. Reached: it cannot be read, reported.
constexpr std::size_t kMaxValues = 10'000;
// Limit (Runs): text of a profile, with every use of a YAML alias counted. Reached: it cannot be
// read, reported.
constexpr std::size_t kMaxTextBytes = 1U << 20U;
constexpr std::size_t kMaxDepth = 32;

// Exception within this file.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string at_line(std::size_t line) { return " (line " + std::to_string(line) + ")"; }

// --- TOML ------------------------------------------------------------------------------------

json::value from_toml(const toml::node& node);

json::object from_toml_table(const toml::table& table) {
  json::object out;
  for (const auto& [key, value] : table) out[std::string(key.str())] = from_toml(value);
  return out;
}

json::value from_toml(const toml::node& node) {
  if (const toml::table* table = node.as_table()) return from_toml_table(*table);
  if (const toml::array* array = node.as_array()) {
    json::array out;
    for (const toml::node& item : *array) out.push_back(from_toml(item));
    return out;
  }
  if (const auto* text = node.as_string()) return json::value(json::string(text->get()));
  if (const auto* number = node.as_integer()) return json::value(number->get());
  if (const auto* number = node.as_floating_point()) return json::value(number->get());
  if (const auto* flag = node.as_boolean()) return json::value(flag->get());
  throw Unreadable("dates and times are not allowed" + at_line(node.source().begin.line));
}

ProfileTree read_toml(std::string_view text) {
  if (core::count_toml_dots(text) > core::kMaxTomlDots) throw Unreadable("nested too deeply");
  try {
    return {from_toml_table(toml::parse(text)), {}};
  } catch (const toml::parse_error& error) {
    throw Unreadable(std::string(error.description()) + at_line(error.source().begin.line));
  }
}

// --- YAML ------------------------------------------------------------------------------------

void check_yaml(const std::string& text) {
  switch (core::yaml_excess(text, 2 * kMaxValues)) {  // keys count here
    case core::YamlExcess::documents:
      throw Unreadable("more than one document");
    case core::YamlExcess::values:
      throw Unreadable("more than 10000 values");
    case core::YamlExcess::none:
      return;
  }
}

class YamlReader {
 public:
  json::value read(const YAML::Node& node, std::size_t depth) {
    if (++values_ > kMaxValues) throw Unreadable("more than 10000 values");
    if (depth > kMaxDepth) throw Unreadable("nested too deeply" + where(node));
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        take(node.Scalar().size());
        return scalar(node);
      case YAML::NodeType::Sequence:
        return sequence(node, depth);
      case YAML::NodeType::Map:
        return map(node, depth);
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        break;
    }
    return nullptr;
  }

 private:
  void take(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kMaxTextBytes)
      throw Unreadable("more than a MiB of text, aliases counted each time");
  }

  static std::string where(const YAML::Node& node) {
    const YAML::Mark mark = node.Mark();
    return mark.line < 0 ? std::string() : at_line(static_cast<std::size_t>(mark.line) + 1);
  }

  json::value sequence(const YAML::Node& node, std::size_t depth) {
    json::array out;
    for (const YAML::Node& item : node) out.push_back(read(item, depth + 1));
    return out;
  }

  json::value map(const YAML::Node& node, std::size_t depth) {
    json::object out;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) {
        throw Unreadable("a key must be a string" + where(member.first));
      }
      const std::string& key = member.first.Scalar();
      take(key.size());
      if (out.contains(key)) {
        throw Unreadable("the key '" + key + "' is given twice" + where(member.first));
      }
      out[key] = read(member.second, depth + 1);
    }
    return out;
  }

  static json::value scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    // "!" is a quoted scalar, "?" a plain one.
    if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return json::string(text);
    if (node.Tag() != "?" && !node.Tag().empty()) {
      throw Unreadable("the tag " + node.Tag() + " is not known" + where(node));
    }
    return plain(text);
  }

  // Plain scalar by the rules of the core schema.
  static json::value plain(const std::string& text) {
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
      return nullptr;
    }
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    const std::string_view digits = std::string_view(text).substr(text[0] == '+' ? 1 : 0);
    if (const auto whole = core::parse_number<std::int64_t>(digits)) return *whole;
    const auto number = core::parse_number<double>(digits);
    if (number && std::isfinite(*number)) return *number;
    return json::string(text);
  }

  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

ProfileTree read_yaml(std::string_view text) {
  try {
    const std::string whole(text);
    check_yaml(whole);
    const YAML::Node document = YAML::Load(whole);
    ProfileTree tree;
    if (document.IsNull()) return tree;
    if (!document.IsMap()) throw Unreadable("keys and values are needed, `name: value`");
    const json::value root = YamlReader().read(document, 0);
    tree.keys = root.get_object();
    return tree;
  } catch (const YAML::Exception& error) {
    const bool is_known = error.mark.line >= 0;
    throw Unreadable(error.msg +
                     (is_known ? at_line(static_cast<std::size_t>(error.mark.line) + 1) : ""));
  }
}

// --- Markdown --------------------------------------------------------------------------------

// Removes the first line of `text` and returns it without its line end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

ProfileTree read_markdown(std::string_view text) {
  std::string_view rest = text;
  if (take_line(rest) != "---") return {{}, std::string(core::trimmed(text))};
  const std::string_view front = rest;
  while (!rest.empty()) {
    const auto size = static_cast<std::size_t>(rest.data() - front.data());
    if (take_line(rest) != "---") continue;
    ProfileTree tree = read_yaml(front.substr(0, size));
    tree.body = core::trimmed(rest);
    return tree;
  }
  throw Unreadable("the front matter has no end: a line --- is missing");
}

}  // namespace

core::Result<ProfileTree> read_profile_tree(std::string_view text, std::string_view format) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (!core::is_utf8(text)) {
    return core::fail(core::Code::invalid_argument, "The profile is not UTF-8 text.");
  }
  try {
    if (format == "toml") return read_toml(text);
    if (format == "yaml" || format == "yml") return read_yaml(text);
    if (format == "md") return read_markdown(text);
    throw Unreadable("the format must be toml, yaml or md");
  } catch (const Unreadable& error) {
    return core::fail(core::Code::invalid_argument,
                      "The profile cannot be read: " + std::string(error.what()) + ".");
  }
}

}  // namespace parley::agent
