// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/variables.h"

#include <boost/json/serialize.hpp>
#include <charconv>
#include <optional>

#include "base/core/id.h"
#include "base/core/result.h"

namespace parley::conformance {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxRepeat = 256U << 20U;

// The next ${...} of a text: its begin, its name, and its end.
struct Reference {
  std::size_t begin = 0;
  std::string_view name;
  std::size_t end = 0;
};

std::optional<Reference> next_reference(std::string_view text, std::size_t from) {
  std::size_t at = text.find("${", from);
  while (at != std::string_view::npos && at > from && text[at - 1] == '$') {
    at = text.find("${", at + 2);
  }
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t close = text.find('}', at);
  if (close == std::string_view::npos) return std::nullopt;
  return Reference{at, text.substr(at + 2, close - at - 2), close + 1};
}

// Replaces "$${" with "${".
std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "$${") continue;
    out.push_back(text[i]);
  }
  return out;
}

std::string as_text(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

core::Result<json::value> repeat(std::string_view spec) {
  const std::size_t colon = spec.rfind(':');
  std::size_t count = 0;
  if (colon != std::string_view::npos) {
    const std::string_view digits = spec.substr(colon + 1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const std::string_view unit = spec.substr(0, colon);
    if (read.ec == std::errc() && unit.size() * count <= kMaxRepeat) {
      std::string out;
      out.reserve(unit.size() * count);
      for (std::size_t i = 0; i < count; ++i) out += unit;
      return json::value(out);
    }
  }
  return core::fail(core::Code::invalid_argument,
                    "write ${repeat:TEXT:COUNT}, not ${repeat:" + std::string(spec) + "}");
}

}  // namespace

void Variables::set(std::string name, json::value value) {
  values_.insert_or_assign(std::move(name), std::move(value));
}

core::Result<json::value> Variables::look_up(std::string_view name) {
  if (name == "unique") return json::value(core::new_id(clock_, entropy_));
  if (name.starts_with("repeat:")) return repeat(name.substr(7));
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second;
  if (name.starts_with("unique:")) {
    json::value fresh(core::new_id(clock_, entropy_));
    values_.emplace(std::string(name), fresh);
    return fresh;
  }
  return core::fail(core::Code::invalid_argument,
                    "no variable has the name '" + std::string(name) + "'", std::string(name));
}

core::Result<std::string> Variables::expand_text(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (const auto reference = next_reference(text, at)) {
    PARLEY_TRY(auto value, look_up(reference->name));
    out += unescape(text.substr(at, reference->begin - at));
    out += as_text(value);
    at = reference->end;
  }
  out += unescape(text.substr(at));
  return out;
}

core::Result<json::value> Variables::expand(const json::value& value) {
  if (const json::string* text = value.if_string()) {
    const auto reference = next_reference(*text, 0);
    if (reference && reference->begin == 0 && reference->end == text->size()) {
      return look_up(reference->name);
    }
    PARLEY_TRY(auto expanded, expand_text(*text));
    return json::value(expanded);
  }
  if (const json::array* elements = value.if_array()) {
    json::array out;
    for (const json::value& element : *elements) {
      auto expanded = expand(element);
      if (!expanded) return expanded;
      out.push_back(std::move(*expanded));
    }
    return json::value(std::move(out));
  }
  if (const json::object* members = value.if_object()) {
    json::object out;
    for (const auto& member : *members) {
      PARLEY_TRY(auto key, expand_text(member.key()));
      auto expanded = expand(member.value());
      if (!expanded) return expanded;
      out.insert_or_assign(key, std::move(*expanded));
    }
    return json::value(std::move(out));
  }
  return value;
}

namespace {

json::value fill_text(std::string_view text, const Bindings& given) {
  std::string out;
  std::size_t at = 0;
  while (const auto reference = next_reference(text, at)) {
    const auto found = given.find(reference->name);
    if (found != given.end()) {
      if (reference->begin == 0 && reference->end == text.size()) return found->second;
      out += text.substr(at, reference->begin - at);
      out += as_text(found->second);
    } else {
      out += text.substr(at, reference->end - at);
    }
    at = reference->end;
  }
  out += text.substr(at);
  return json::value(out);
}

}  // namespace

json::value fill_parameters(const json::value& value, const Bindings& given) {
  if (const json::string* text = value.if_string()) return fill_text(*text, given);
  if (const json::array* elements = value.if_array()) {
    json::array out;
    for (const json::value& element : *elements) out.push_back(fill_parameters(element, given));
    return json::value(std::move(out));
  }
  if (const json::object* members = value.if_object()) {
    json::object out;
    for (const auto& member : *members) {
      out.insert_or_assign(as_text(fill_text(member.key(), given)),
                           fill_parameters(member.value(), given));
    }
    return json::value(std::move(out));
  }
  return value;
}

}  // namespace parley::conformance
