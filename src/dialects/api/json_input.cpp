// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/json_input.h"

#include <algorithm>

namespace parley::api {
namespace {

namespace dom = simdjson::dom;

// Limit (/v1): nesting of a JSON body. Reached: `invalid_argument`.
constexpr std::size_t kMaxDepth = 32;

}  // namespace

ObjectReader::ObjectReader(dom::object object, std::string path, std::optional<core::Error>& error)
    : object_(object), path_(std::move(path)), error_(error) {}

std::string ObjectReader::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void ObjectReader::fail(std::string_view name, std::string message) {
  if (error_) return;
  const std::string field = path_of(name);
  error_ =
      core::Error{core::Code::invalid_argument, "\"" + field + "\" " + std::move(message), field};
}

std::optional<dom::element> ObjectReader::take(std::string_view name) {
  known_.push_back(name);
  if (error_) return std::nullopt;
  dom::element value;
  if (object_.at_key(name).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

void ObjectReader::any(std::string_view name, const std::function<void(dom::element)>& use) {
  if (const auto value = take(name)) use(*value);
}

bool ObjectReader::has(std::string_view name) {
  dom::element value;
  return object_.at_key(name).get(value) == simdjson::SUCCESS && !value.is_null();
}

void ObjectReader::text(std::string_view name, std::string& out, Need need) {
  const auto value = take(name);
  if (!value) {
    if (need == Need::required) fail(name, "is missing; it must be a string.");
    return;
  }
  std::string_view found;
  if (value->get(found) != simdjson::SUCCESS) {
    fail(name, "must be a string.");
  } else if (need == Need::required && found.empty()) {
    fail(name, "must not be empty.");
  } else {
    out = found;
  }
}

void ObjectReader::boolean(std::string_view name, bool& out) {
  const auto value = take(name);
  if (value && value->get(out) != simdjson::SUCCESS) fail(name, "must be true or false.");
}

void ObjectReader::integer(std::string_view name, std::int64_t& out, std::int64_t min,
                           std::int64_t max) {
  const auto value = take(name);
  if (!value) return;
  std::int64_t found = 0;
  if (value->get(found) != simdjson::SUCCESS || found < min || found > max) {
    fail(name,
         "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) + ".");
  } else {
    out = found;
  }
}

bool ObjectReader::object(std::string_view name, const Use& use, Need need) {
  const auto value = take(name);
  if (!value) {
    if (need == Need::required) fail(name, "is missing; it must be an object.");
    return false;
  }
  dom::object found;
  if (value->get(found) != simdjson::SUCCESS) {
    fail(name, "must be an object.");
    return false;
  }
  ObjectReader inner(found, path_of(name), error_);
  use(inner);
  inner.finish();
  return true;
}

void ObjectReader::each(std::string_view name, std::size_t limit, const Use& use) {
  const auto value = take(name);
  if (!value) return;
  dom::array found;
  if (value->get(found) != simdjson::SUCCESS) return fail(name, "must be an array of objects.");
  if (found.size() > limit) {
    return fail(name, "has more than " + std::to_string(limit) + " elements.");
  }
  std::size_t index = 0;
  for (const dom::element element : found) {
    const std::string path = path_of(name) + "[" + std::to_string(index++) + "]";
    dom::object item;
    if (element.get(item) != simdjson::SUCCESS) {
      if (!error_) {
        error_ =
            core::Error{core::Code::invalid_argument, "\"" + path + "\" must be an object.", path};
      }
      return;
    }
    ObjectReader inner(item, path, error_);
    use(inner);
    inner.finish();
  }
}

void ObjectReader::texts(std::string_view name, std::function<void(std::string, std::string)> use) {
  const auto value = take(name);
  if (!value) return;
  dom::object found;
  if (value->get(found) != simdjson::SUCCESS) {
    return fail(name, "must be an object whose values are strings.");
  }
  for (const auto& [key, member] : found) {
    std::string_view text;
    if (member.get(text) != simdjson::SUCCESS) {
      return fail(name, "must have only strings as values.");
    }
    use(std::string(key), std::string(text));
  }
}

void ObjectReader::raw(std::string_view name, std::string& out) {
  const auto value = take(name);
  if (!value) return;
  if (!value->is_object()) return fail(name, "must be an object.");
  out = simdjson::minify(*value);
}

void ObjectReader::finish() {
  if (error_) return;
  std::vector<std::string_view> seen;
  for (const auto& [key, value] : object_) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      return fail(key, "is not a known field.");
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      return fail(key, "is given twice.");
    }
    seen.push_back(key);
  }
}

core::Result<void> read_object(std::string_view body, const ObjectReader::Use& use) {
  if (body.empty()) body = "{}";
  dom::parser parser;
  const simdjson::padded_string padded(body);
  dom::element root;
  dom::object object;
  if (parser.allocate(padded.size(), kMaxDepth) != simdjson::SUCCESS ||
      parser.parse(padded).get(root) != simdjson::SUCCESS ||
      root.get(object) != simdjson::SUCCESS) {
    return core::fail(core::Code::invalid_argument,
                      "The body must be one JSON object (RFC 8259), nested at most " +
                          std::to_string(kMaxDepth) + " levels deep.",
                      "body");
  }
  std::optional<core::Error> error;
  ObjectReader reader(object, "", error);
  use(reader);
  if (!error) reader.finish();
  if (error) return core::fail(std::move(*error));
  return {};
}

}  // namespace parley::api
