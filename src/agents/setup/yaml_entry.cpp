// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>
#include <exception>
#include <utility>

#include "agents/setup/entry_file.h"
#include "agents/setup/text_lines.h"
#include "base/core/ascii.h"
#include "base/core/result.h"
#include "base/core/yaml_limit.h"

namespace parley::setup {
namespace {

namespace json = boost::json;

// Limit (parley setup): values in YAML. Reached: refused.
constexpr std::size_t kMaxValues = 100'000;
// Limit (parley setup): nesting of YAML. Reached: refused.
constexpr std::size_t kMaxDepth = 64;

struct TooLarge : std::exception {};

// The values of a document. Scalars are texts with their tag in front: plain and quoted ones
// differ.
json::value from_node(const YAML::Node& node, std::size_t& left, std::size_t depth) {
  if (left-- == 0 || depth > kMaxDepth) throw TooLarge();
  if (node.IsScalar()) return json::value(node.Tag() + " " + node.Scalar());
  if (node.IsSequence()) {
    json::array out;
    for (const YAML::Node& one : node) out.push_back(from_node(one, left, depth + 1));
    return out;
  }
  if (!node.IsMap()) return nullptr;
  json::object out;
  for (const auto& pair : node) {
    if (!pair.first.IsScalar() ||
        !out.emplace(pair.first.Scalar(), from_node(pair.second, left, depth + 1)).second) {
      throw TooLarge();
    }
  }
  return out;
}

core::Result<json::object> read_values(const std::string& text) {
  try {
    if (core::yaml_excess(text, kMaxValues) != core::YamlExcess::none) throw TooLarge();
    std::size_t left = kMaxValues;
    json::value value = from_node(YAML::Load(text), left, 0);
    if (value.is_null()) return json::object();
    if (value.is_object()) return std::move(value.get_object());
    return core::fail(core::Code::invalid_argument, "the file does not hold a mapping");
  } catch (const YAML::Exception& error) {
    return core::fail(core::Code::invalid_argument,
                      "line " + std::to_string(error.mark.line + 1) + ": " + error.msg);
  } catch (const TooLarge&) {
    return core::fail(
        core::Code::failed_precondition,
        "the file is not edited here: it has several documents, is too large, or has a "
        "key that is no text or occurs twice");
  }
}

// The value of a scalar in the form of from_node().
json::value plain_value(const json::value& value) {
  if (const json::array* array = value.if_array()) {
    json::array out;
    for (const json::value& one : *array) out.push_back(plain_value(one));
    return out;
  }
  const json::string* text = value.if_string();
  if (text == nullptr) return value.is_object() && value.get_object().empty() ? value : nullptr;
  const std::string_view all(*text);
  const std::size_t blank = all.find(' ');
  const std::string_view scalar = all.substr(blank + 1);
  if (all.substr(0, blank) == "?") {
    boost::system::error_code failed;
    json::value read = json::parse({scalar.data(), scalar.size()}, failed);
    if (!failed.failed() && (read.is_bool() || read.is_int64())) return read;
  }
  return json::value(json::string(scalar));
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// True for "KEY:" with nothing but a comment behind it if `alone`, else with anything.
bool is_key(const std::string& line, std::string_view key, bool alone) {
  std::string_view rest = core::trimmed(line);
  if (!rest.starts_with(key)) return false;
  rest.remove_prefix(key.size());
  if (!rest.starts_with(':')) return false;
  return !alone || says_nothing(rest.substr(1));
}

class YamlEntry final : public EntryFile {
 public:
  YamlEntry(std::string_view text, json::object values, std::string outer, std::string name)
      : lines_(lines_of(text)),
        text_(text),
        line_end_(line_end_of(text)),
        wanted_(std::move(values)),
        outer_(std::move(outer)),
        name_(std::move(name)) {}

  std::optional<json::object> entry() const override {
    const json::value* outer = wanted_.if_contains(outer_);
    if (outer == nullptr || !outer->is_object()) return std::nullopt;
    const json::value* table = outer->get_object().if_contains(name_);
    if (table == nullptr || !table->is_object()) return std::nullopt;
    json::object out;
    for (const auto& [key, value] : table->get_object()) out.emplace(key, plain_value(value));
    return out;
  }

  void put(const json::object& entry) override {
    const std::optional<json::object> old = this->entry();
    std::size_t outer = find(0, lines_.size(), outer_, 0);
    if (outer == lines_.size()) {
      add(lines_.size(), outer_ + ":");
      outer = lines_.size() - 1;
    }
    const std::size_t indent = inner_indent(outer);
    std::size_t table = find(outer + 1, end_of(outer), name_, indent);
    if (table == lines_.size()) {
      table = behind(outer);
      add(table, std::string(indent, ' ') + name_ + ":");
    }
    const std::size_t step = inner_indent(table);
    for (const auto& [key, value] : entry) {
      const json::value* same = old ? old->if_contains(key) : nullptr;
      if (same != nullptr && *same == value) continue;
      const std::size_t line = find(table + 1, end_of(table), std::string(key), step);
      std::size_t at = line;
      if (line == lines_.size()) {
        at = behind(table);
      } else {
        lines_.erase(at_line(line), at_line(end_of(line)));
      }
      add(at, std::string(step, ' ') + std::string(key) + ": " + flat_value_text(value));
    }
    text_ = joined(lines_);
    json::value& outer_value = wanted_[outer_];
    if (!outer_value.is_object()) outer_value = json::object();
    json::value& value = outer_value.get_object()[name_];
    if (!value.is_object()) value = json::object();
    const core::Result<json::object> read = read_values(yaml_entry_text(outer_, name_, entry));
    if (!read) return;
    for (const auto& [key, one] : read->at(outer_).at(name_).get_object()) {
      const json::value* same = old ? old->if_contains(key) : nullptr;
      if (same == nullptr || *same != entry.at(key)) value.get_object()[key] = one;
    }
  }

  void erase() override {
    const std::size_t outer = find(0, lines_.size(), outer_, 0);
    if (outer == lines_.size()) return;
    const std::size_t table = find(outer + 1, end_of(outer), name_, inner_indent(outer));
    if (table == lines_.size()) return;
    lines_.erase(at_line(table), at_line(behind(table)));
    json::object& values = wanted_[outer_].get_object();
    values.erase(name_);
    if (values.empty()) {
      lines_.erase(at_line(outer));
      wanted_.erase(outer_);
    }
    text_ = joined(lines_);
  }

  core::Result<void> verify() const override {
    const core::Result<json::object> read = read_values(text_);
    if (read && *read == wanted_) return {};
    return core::fail(core::Code::failed_precondition,
                      "the mapping is written in a way that is not edited here");
  }

  const std::string& text() const override { return text_; }

 private:
  std::vector<std::string>::iterator at_line(std::size_t at) {
    return lines_.begin() + static_cast<long>(at);
  }

  // The line of a key with this indentation in [from, to); lines_.size(): none.
  std::size_t find(std::size_t from, std::size_t to, const std::string& key,
                   std::size_t indent) const {
    for (std::size_t i = from; i < to; ++i) {
      if (indent_of(lines_[i]) == indent && is_key(lines_[i], key, false)) return i;
    }
    return lines_.size();
  }

  // The first line behind the block of a key. Elements of a list may stand as far left as the key.
  std::size_t end_of(std::size_t key) const {
    const std::size_t indent = indent_of(lines_[key]);
    std::size_t i = key + 1;
    for (; i < lines_.size(); ++i) {
      if (says_nothing(lines_[i])) continue;
      const std::size_t here = indent_of(lines_[i]);
      const bool is_element = here == indent && lines_[i].compare(here, 2, "- ") == 0;
      if (here <= indent && !is_element) break;
    }
    return i;
  }

  // The same without blank lines and comments at the end.
  std::size_t behind(std::size_t key) const {
    std::size_t i = end_of(key);
    while (i > key + 1 && says_nothing(lines_[i - 1])) --i;
    return i;
  }

  std::size_t inner_indent(std::size_t key) const {
    const std::size_t outer = indent_of(lines_[key]);
    for (std::size_t i = key + 1; i < lines_.size(); ++i) {
      if (says_nothing(lines_[i])) continue;
      const std::size_t here = indent_of(lines_[i]);
      return here > outer ? here : outer + 2;
    }
    return outer + 2;
  }

  void add(std::size_t at, const std::string& line) {
    if (at > 0 && !lines_[at - 1].ends_with('\n')) lines_[at - 1] += line_end_;
    lines_.insert(at_line(at), line + line_end_);
  }

  std::vector<std::string> lines_;
  std::string text_;
  std::string line_end_;
  json::object wanted_;
  std::string outer_;
  std::string name_;
};

}  // namespace

core::Result<std::unique_ptr<EntryFile>> read_yaml_entry(std::string_view text, std::string outer,
                                                         std::string name) {
  PARLEY_TRY(json::object values, read_values(std::string(text)));
  return std::make_unique<YamlEntry>(text, std::move(values), std::move(outer), std::move(name));
}

std::string yaml_entry_text(std::string_view outer, std::string_view name,
                            const json::object& entry) {
  std::string out(outer);
  out.append(":\n  ").append(name).append(":\n");
  for (const auto& [key, value] : entry) {
    out.append("    ").append(key).append(": ").append(flat_value_text(value)).append("\n");
  }
  return out;
}

}  // namespace parley::setup
