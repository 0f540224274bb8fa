// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/json_document.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>
#include <optional>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/number_text.h"
#include "base/core/result.h"

namespace parley::setup {
namespace {

namespace json = boost::json;

constexpr std::string_view kAppend = "-";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

bool is_blank(std::string_view text) { return core::trimmed(text).empty(); }

core::Result<json::value> read_values(std::string_view text) {
  text = without_mark(text);
  if (is_blank(text)) return json::value(json::object());
  json::parse_options options;
  options.max_depth = kMaxJsonDepth + 1;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  boost::system::error_code failed;
  json::value value = json::parse({text.data(), text.size()}, failed, {}, options);
  if (failed.failed()) {
    return core::fail(core::Code::invalid_argument, "the text is not valid JSON");
  }
  return value;
}

core::Error refused(const JsonPath& path, std::size_t steps, const std::string& what) {
  std::string name;
  for (std::size_t i = 0; i < steps; ++i) name += (i == 0 ? "" : ".") + path[i];
  return {core::Code::failed_precondition, (name.empty() ? "the file" : name) + " " + what, {}};
}

std::optional<std::size_t> index_of(std::string_view step, std::size_t size) {
  const auto index = core::parse_number<std::size_t>(step);
  return index && *index < size ? std::optional<std::size_t>(*index) : std::nullopt;
}

// The child of a node; null if there is none.
const JsonItem* child_of(const JsonNode& node, const std::string& step) {
  if (node.kind == JsonKind::array) {
    const auto index = index_of(step, node.items.size());
    return index ? &node.items[*index] : nullptr;
  }
  const auto found = std::find_if(node.items.rbegin(), node.items.rend(),
                                  [&](const JsonItem& item) { return item.name == step; });
  return found == node.items.rend() ? nullptr : &*found;
}

template <typename Value>
Value* child_value(Value& value, const std::string& step) {
  if (auto* object = value.if_object()) return object->if_contains(step);
  auto* array = value.if_array();
  if (array == nullptr) return nullptr;
  const auto index = index_of(step, array->size());
  return index ? &(*array)[*index] : nullptr;
}

void put_child(json::value& parent, const std::string& step, json::value value) {
  if (json::array* array = parent.if_array()) {
    if (const auto index = index_of(step, array->size())) {
      (*array)[*index] = std::move(value);
    } else {
      array->push_back(std::move(value));
    }
    return;
  }
  parent.get_object()[step] = std::move(value);
}

}  // namespace

json::value nested_value(const JsonPath& path, std::size_t from, json::value value) {
  for (std::size_t i = path.size(); i > from; --i) {
    if (path[i - 1] == kAppend) {
      value = json::array({std::move(value)});
    } else {
      json::object around;
      around.emplace(path[i - 1], std::move(value));
      value = std::move(around);
    }
  }
  return value;
}

std::string pretty_json_value(const json::value& value, std::string_view indent,
                              std::string_view unit, std::string_view line_end) {
  const std::string inner = std::string(indent).append(unit);
  const auto line = [&](bool first) {
    return std::string(first ? "" : ",").append(line_end).append(inner);
  };
  std::string out;
  if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
    out = "{";
    for (const auto& [name, member] : *object) {
      out += line(out.size() == 1) + json::serialize(json::value(name)) + ": " +
             pretty_json_value(member, inner, unit, line_end);
    }
    return out.append(line_end).append(indent).append("}");
  }
  const json::array* array = value.if_array();
  if (array == nullptr) return json::serialize(value);
  const bool is_flat = std::all_of(array->begin(), array->end(), [](const json::value& one) {
    return !one.is_object() && !one.is_array();
  });
  out = "[";
  for (const json::value& element : *array) {
    if (is_flat) {
      out += (out.size() == 1 ? "" : ", ") + json::serialize(element);
    } else {
      out += line(out.size() == 1) + pretty_json_value(element, inner, unit, line_end);
    }
  }
  if (!is_flat) out.append(line_end).append(indent);
  return out + "]";
}

core::Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  JsonDocument document;
  document.text_ = text;
  const std::size_t line = text.find('\n');
  if (line != std::string_view::npos && line > 0 && text[line - 1] == '\r') {
    document.line_end_ = "\r\n";
  }
  if (!is_blank(without_mark(text))) {
    PARLEY_TRY(const JsonNode root, parse_json_tree(text));
    if (root.kind != JsonKind::object) {
      return core::fail(core::Code::invalid_argument, "the file does not hold an object");
    }
    const std::string_view blanks =
        root.items.empty() ? std::string_view() : document.blanks_of_line(root.items[0].begin);
    if (!blanks.empty() && blanks.size() + 1 < root.items[0].begin) document.unit_ = blanks;
  }
  PARLEY_TRY(document.model_, read_values(text));
  return document;
}

const json::value* JsonDocument::find(const JsonPath& path) const {
  const json::value* at = &model_;
  for (const std::string& step : path) {
    at = child_value(*at, step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

core::Result<void> JsonDocument::put(const JsonPath& path, const json::value& value) {
  if (const json::value* old = find(path); old != nullptr && *old == value) return {};
  if (is_blank(without_mark(text_))) {
    text_ =
        (text_.starts_with(kByteOrderMark) ? std::string(kByteOrderMark) : "") + "{}" + line_end_;
  }
  PARLEY_TRY(const JsonNode root, parse_json_tree(text_));
  const JsonNode* node = &root;
  json::value* model = &model_;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (node->kind != JsonKind::object && node->kind != JsonKind::array) {
      return core::fail(refused(path, i, "is neither an object nor a list"));
    }
    if (node->kind == JsonKind::array && i + 1 < path.size() && path[i] == kAppend) {
      return core::fail(refused(path, i, "is a list"));
    }
    if ((path[i] == kAppend) != (node->kind == JsonKind::array) && path[i] == kAppend) {
      return core::fail(refused(path, i, "is not a list"));
    }
    if (count_members(*node, path[i]) > 1) {
      return core::fail(refused(path, i + 1, "occurs twice"));
    }
    const JsonItem* child = child_of(*node, path[i]);
    if (child == nullptr) {
      json::value inner = nested_value(path, i + 1, value);
      for (std::size_t created = i + 1; created <= path.size(); ++created) {
        if (path[created - 1] != kAppend)
          made_.emplace_back(path.begin(), path.begin() + static_cast<long>(created));
      }
      PARLEY_TRY_VOID(insert(*node, i, path[i], inner));
      put_child(*model, path[i], std::move(inner));
      return {};
    }
    if (i + 1 == path.size()) {
      replace(child->value, child->begin, value);
      put_child(*model, path[i], value);
      return {};
    }
    node = &child->value;
    model = child_value(*model, path[i]);
  }
  return {};
}

core::Result<void> JsonDocument::erase(const JsonPath& path) {
  if (path.empty() || find(path) == nullptr) return {};
  PARLEY_TRY(const JsonNode root, parse_json_tree(text_));
  const JsonNode* node = &root;
  json::value* model = &model_;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (count_members(*node, path[i]) > 1) {
      return core::fail(refused(path, i + 1, "occurs twice"));
    }
    node = &child_of(*node, path[i])->value;
    model = child_value(*model, path[i]);
  }
  if (count_members(*node, path.back()) > 1) {
    return core::fail(refused(path, path.size(), "occurs twice"));
  }
  const JsonItem* child = child_of(*node, path.back());
  const auto index = static_cast<std::size_t>(child - node->items.data());
  cut(*node, index);
  if (json::object* object = model->if_object()) {
    object->erase(path.back());
  } else {
    json::array& array = model->get_array();
    array.erase(array.begin() + static_cast<long>(index));
  }
  return {};
}

core::Result<void> JsonDocument::verify() const {
  core::Result<json::value> read = read_values(text_);
  if (!read || *read != model_) {
    return core::fail(core::Code::failed_precondition,
                      "the file is written in a way that is not edited here");
  }
  return {};
}

// Blanks between the start of the line and `at`; empty if there is something else.
std::string_view JsonDocument::blanks_of_line(std::size_t at) const {
  const std::size_t line = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  const std::size_t begin = line == std::string::npos ? 0 : line + 1;
  const std::size_t end = std::min(text_.find_first_not_of(" \t", begin), at);
  return std::string_view(text_).substr(begin, end - begin);
}

std::size_t JsonDocument::back_over_blanks(std::size_t at) const {
  while (at > 0 && core::kBlanks.find(text_[at - 1]) != std::string_view::npos) --at;
  return at;
}

// The offset of the comma behind a value, past blanks and comments.
std::size_t JsonDocument::comma_behind(std::size_t at) const {
  while (at < text_.size() && text_[at] != ',') {
    if (text_.compare(at, 2, "//") == 0) {
      at = std::min(text_.find('\n', at), text_.size());
    } else if (text_.compare(at, 2, "/*") == 0) {
      at = text_.find("*/", at + 2) + 2;
    } else {
      ++at;
    }
  }
  return at;
}

bool JsonDocument::is_one_line(const JsonNode& node) const {
  return text_.find('\n', node.begin) >= node.end;
}

core::Result<void> JsonDocument::insert(const JsonNode& container, std::size_t depth,
                                        const std::string& name, const json::value& value) {
  const bool is_member = container.kind == JsonKind::object;
  const std::string label = is_member ? json::serialize(json::value(name)) + ": " : "";
  const JsonItem* last = container.items.empty() ? nullptr : &container.items.back();
  const bool is_one_line_file = text_.find('\n') >= text_.size() - 1;
  if (is_one_line(container) && (last != nullptr || (depth > 0 && is_one_line_file))) {
    const std::string item = label + json::serialize(value);
    if (last == nullptr) {
      text_.insert(container.begin + 1, item);
    } else if (container.comma_at_end) {
      text_.insert(comma_behind(last->value.end) + 1, " " + item + ",");
    } else {
      text_.insert(last->value.end, ", " + item);
    }
    return {};
  }
  const std::string outer(blanks_of_line(container.begin));
  const std::string_view beside =
      last == nullptr ? std::string_view() : blanks_of_line(last->begin);
  const bool is_own_line =
      last != nullptr && back_over_blanks(last->begin) + beside.size() < last->begin;
  const std::string inner = is_own_line ? std::string(beside) : outer + unit_;
  const std::size_t close = container.end - 1;
  const std::size_t at = back_over_blanks(close);
  std::string item = line_end_ + inner + label + pretty_json_value(value, inner, unit_, line_end_);
  if (container.comma_at_end) item += ",";
  if (text_.find('\n', at) >= close) item += line_end_ + outer;
  text_.insert(at, item);
  if (last != nullptr && !container.comma_at_end) text_.insert(last->value.end, ",");
  return {};
}

void JsonDocument::replace(const JsonNode& old, std::size_t item_begin, const json::value& value) {
  const std::string indent(blanks_of_line(item_begin));
  const bool compact = is_one_line(old) &&
                       (old.kind == JsonKind::object || old.kind == JsonKind::array) &&
                       !old.items.empty();
  text_.replace(
      old.begin, old.end - old.begin,
      compact ? json::serialize(value) : pretty_json_value(value, indent, unit_, line_end_));
}

void JsonDocument::cut(const JsonNode& container, std::size_t index) {
  const JsonItem& item = container.items[index];
  const bool is_last = index + 1 == container.items.size();
  const bool has_comma = !is_last || container.comma_at_end;
  const std::size_t end = has_comma ? comma_behind(item.value.end) + 1 : item.value.end;
  const std::string_view text(text_);
  if (container.items.size() == 1 &&
      is_blank(text.substr(container.begin + 1, item.begin - container.begin - 1)) &&
      is_blank(text.substr(end, container.end - 1 - end))) {
    text_.erase(container.begin + 1, container.end - container.begin - 2);
    return;
  }
  // The first item of one line keeps its place; the others take the blanks before them along.
  if (index == 0 && !is_last && is_one_line(container)) {
    text_.erase(item.begin, container.items[1].begin - item.begin);
    return;
  }
  const std::size_t begin = back_over_blanks(item.begin);
  text_.erase(begin, end - begin);
  if (is_last && index > 0 && !container.comma_at_end) {
    text_.erase(comma_behind(container.items[index - 1].value.end), 1);
  }
}

}  // namespace parley::setup
