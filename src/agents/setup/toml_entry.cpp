// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <toml++/toml.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/setup/entry_file.h"
#include "agents/setup/text_lines.h"
#include "base/core/ascii.h"
#include "base/core/toml_dots.h"

namespace parley::setup {
namespace {

namespace json = boost::json;

using Path = std::vector<std::string>;

// The names in the header of a table, "[a.b]"; empty: the line is no such header. Lists of tables
// ("[[a]]") have one empty name in front.
Path header_of(std::string_view line) {
  line = core::trimmed(line);
  if (!line.starts_with('[')) return {};
  Path path;
  if (line.starts_with("[[")) path.emplace_back();
  line.remove_prefix(line.starts_with("[[") ? 2 : 1);
  std::string name;
  char quote = '\0';
  for (const char c : line) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        name += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.' || c == ']') {
      path.push_back(std::exchange(name, {}));
      if (c == ']') return path;
    } else if (c != ' ' && c != '\t') {
      name += c;
    }
  }
  return {};
}

bool is_below(const Path& path, const Path& above) {
  return path.size() >= above.size() && std::equal(above.begin(), above.end(), path.begin());
}

json::value from_node(const toml::node& node) {
  if (const auto* text = node.as_string()) return json::value(text->get());
  if (const auto* number = node.as_integer()) return json::value(number->get());
  if (const auto* number = node.as_floating_point()) return json::value(number->get());
  if (const auto* flag = node.as_boolean()) return json::value(flag->get());
  if (const auto* array = node.as_array()) {
    json::array out;
    for (const toml::node& one : *array) {
      if (!one.is_string()) return nullptr;
      out.emplace_back(one.as_string()->get());
    }
    return out;
  }
  return nullptr;
}

class TomlEntry final : public EntryFile {
 public:
  TomlEntry(std::string_view text, toml::table table, std::string outer, std::string name)
      : text_(text),
        line_end_(line_end_of(text)),
        wanted_(std::move(table)),
        path_{std::move(outer), std::move(name)} {}

  std::optional<json::object> entry() const override {
    const toml::table* table = wanted_[path_[0]][path_[1]].as_table();
    if (table == nullptr) return std::nullopt;
    json::object out;
    for (const auto& [key, node] : *table) out.emplace(key.str(), from_node(node));
    return out;
  }

  void put(const json::object& entry) override {
    std::vector<std::string> lines = lines_of(text_);
    auto header = std::find_if(lines.begin(), lines.end(),
                               [&](const std::string& line) { return header_of(line) == path_; });
    if (header == lines.end()) {
      if (!lines.empty() && !lines.back().ends_with('\n')) lines.back() += line_end_;
      if (!lines.empty()) lines.push_back(line_end_);
      lines.push_back("[" + path_[0] + "." + path_[1] + "]" + line_end_);
      header = lines.end() - 1;
    }
    auto at = static_cast<std::size_t>(header - lines.begin());
    if (!lines[at].ends_with('\n')) lines[at] += line_end_;
    const std::optional<json::object> old = this->entry();
    for (const auto& [key, value] : entry) {
      const json::value* same = old ? old->if_contains(key) : nullptr;
      if (same != nullptr && *same == value) continue;
      put_line(lines, at, std::string(key), flat_value_text(value) + line_end_);
    }
    text_ = joined(lines);
    model(entry);
  }

  void erase() override {
    std::vector<std::string> remaining;
    bool ours = false;
    for (const std::string& line : lines_of(text_)) {
      const Path path = header_of(line);
      if (!path.empty()) {
        ours = is_below(path, path_);
        if (ours && !remaining.empty() && core::trimmed(remaining.back()).empty())
          remaining.pop_back();
      }
      // Comments behind the table may belong to the next one.
      if (!ours || (says_nothing(line) && !core::trimmed(line).empty())) remaining.push_back(line);
    }
    text_ = joined(remaining);
    toml::table* outer = wanted_[path_[0]].as_table();
    if (outer == nullptr) return;
    outer->erase(path_[1]);
    if (outer->empty() && !toml_has_table()) wanted_.erase(path_[0]);
  }

  core::Result<void> verify() const override {
    try {
      if (toml::parse(text_) == wanted_) return {};
    } catch (const toml::parse_error&) {
      // Reported below.
    }
    return core::fail(core::Code::failed_precondition,
                      "the table is written in a way that is not edited here");
  }

  const std::string& text() const override { return text_; }

 private:
  // Replaces the line of a key of the table whose header is lines[at], or adds it below the
  // header's other keys.
  static void put_line(std::vector<std::string>& lines, std::size_t at, const std::string& key,
                       const std::string& value) {
    std::size_t last = at;
    for (std::size_t i = at + 1; i < lines.size() && header_of(lines[i]).empty(); ++i) {
      if (!says_nothing(lines[i])) last = i;
      const std::string_view line = core::trimmed(lines[i]);
      if (!line.starts_with(key)) continue;
      if (!core::trimmed(line.substr(key.size())).starts_with('=')) continue;
      lines[i] = std::string(key).append(" = ").append(value);
      return;
    }
    if (!lines[last].ends_with('\n')) lines[last] += value.ends_with("\r\n") ? "\r\n" : "\n";
    lines.insert(lines.begin() + static_cast<long>(last) + 1,
                 std::string(key).append(" = ").append(value));
  }

  void model(const json::object& entry) {
    if (!wanted_.contains(path_[0])) wanted_.insert(path_[0], toml::table{});
    toml::table* outer = wanted_[path_[0]].as_table();
    if (outer == nullptr) return;
    if (!outer->contains(path_[1])) outer->insert(path_[1], toml::table{});
    toml::table* table = (*outer)[path_[1]].as_table();
    if (table == nullptr) return;
    std::string lines;
    for (const auto& [key, value] : entry) {
      lines += std::string(key).append(" = ").append(flat_value_text(value)).append("\n");
    }
    for (const auto& [key, node] : toml::parse(lines)) table->insert_or_assign(key, node);
  }

  // True if the outer table has a header of its own.
  bool toml_has_table() const {
    const std::vector<std::string> lines = lines_of(text_);
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return header_of(line) == Path{path_[0]}; });
  }

  std::string text_;
  std::string line_end_;
  toml::table wanted_;
  Path path_;
};

}  // namespace

core::Result<std::unique_ptr<EntryFile>> read_toml_entry(std::string_view text, std::string outer,
                                                         std::string name) {
  if (core::count_toml_dots(text) > core::kMaxTomlDots) {
    return core::fail(core::Code::invalid_argument, "the tables are nested too deeply");
  }
  try {
    return std::make_unique<TomlEntry>(text, toml::parse(text), std::move(outer), std::move(name));
  } catch (const toml::parse_error& error) {
    return core::fail(core::Code::invalid_argument, "line " +
                                                        std::to_string(error.source().begin.line) +
                                                        ": " + std::string(error.description()));
  }
}

std::string flat_value_text(const json::value& value) {
  const json::array* array = value.if_array();
  if (array == nullptr) return json::serialize(value);
  std::string out = "[";
  for (const json::value& one : *array) {
    out += (out.size() == 1 ? "" : ", ") + json::serialize(one);
  }
  return out + "]";
}

std::string toml_entry_text(std::string_view outer, std::string_view name,
                            const json::object& entry) {
  std::string out = "[";
  out.append(outer).append(".").append(name).append("]\n");
  for (const auto& [key, value] : entry) {
    out.append(key).append(" = ").append(flat_value_text(value)).append("\n");
  }
  return out;
}

}  // namespace parley::setup
