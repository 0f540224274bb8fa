// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/pattern.h"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <regex>
#include <vector>

#include "base/core/number_text.h"
#include "base/core/utf8.h"

namespace parley::conformance {
namespace json = boost::json;
namespace {

std::string escape_pointer(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

bool is_integer(const json::value& value) { return value.is_int64() || value.is_uint64(); }

// A number, or a text that is an integer (protojson writes 64-bit integers as text).
std::optional<double> number_of(const json::value& value) {
  if (value.is_number()) return value.to_number<double>();
  if (!value.is_string()) return std::nullopt;
  const auto whole = core::parse_number<std::int64_t>(value.get_string());
  if (!whole) return std::nullopt;
  return static_cast<double>(*whole);
}

bool equal_scalars(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) {
    if (is_integer(a) && is_integer(b)) return a == b;
    return a.to_number<double>() == b.to_number<double>();
  }
  return a == b;
}

std::string_view type_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "boolean";
    case json::kind::int64:
    case json::kind::uint64:
      return "integer";
    case json::kind::double_:
      return "number";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "array";
    case json::kind::object:
      return "object";
  }
  return "null";
}

// "${...}" is a variable in the place of a plain name.
bool is_matcher_name(std::string_view key) {
  return key.starts_with('$') && !key.starts_with("${");
}

bool is_matcher(const json::object& object) {
  for (const auto& member : object) {
    if (is_matcher_name(member.key())) return true;
  }
  return false;
}

// One comparison: collects captures and records the first difference.
class Matching {
 public:
  explicit Matching(Bindings& captured) : captured_(captured) {}

  bool value(const json::value& pattern, const json::value& got, const std::string& path);
  const Mismatch& mismatch() const { return mismatch_; }

 private:
  using Test = bool (Matching::*)(const json::value&, const json::value&, const std::string&);

  bool differ(const std::string& path, std::string expected, const json::value& got) {
    mismatch_ = {path, std::move(expected), brief(got)};
    return false;
  }
  // Tries a pattern; on failure its captures and its difference are discarded.
  bool attempt(const json::value& pattern, const json::value& got) {
    const Bindings before = captured_;
    const Mismatch difference = mismatch_;
    if (value(pattern, got, "")) return true;
    captured_ = before;
    mismatch_ = difference;
    return false;
  }

  bool object(const json::object& pattern, const json::value& got, const std::string& path);
  bool array(const json::array& pattern, const json::value& got, const std::string& path);
  bool matcher(const json::object& pattern, const json::value& got, const std::string& path);
  bool assign(const json::array& patterns, const json::array& got, std::vector<bool>& used,
              std::size_t next);

  bool any(const json::value&, const json::value&, const std::string&) { return true; }
  bool absent(const json::value& arg, const json::value& got, const std::string& path);
  bool type(const json::value& arg, const json::value& got, const std::string& path);
  bool regex(const json::value& arg, const json::value& got, const std::string& path);
  bool bind(const json::value& arg, const json::value& got, const std::string& path);
  bool contains(const json::value& arg, const json::value& got, const std::string& path);
  bool length(const json::value& arg, const json::value& got, const std::string& path);
  bool unordered(const json::value& arg, const json::value& got, const std::string& path);
  bool exact(const json::value& arg, const json::value& got, const std::string& path);
  bool range(const json::value& arg, const json::value& got, const std::string& path);
  bool negate(const json::value& arg, const json::value& got, const std::string& path);
  bool one_of(const json::value& arg, const json::value& got, const std::string& path);
  bool each(const json::value& arg, const json::value& got, const std::string& path);
  bool inner_json(const json::value& arg, const json::value& got, const std::string& path);

  struct Row {
    std::string_view name;
    Test test;
  };
  static const std::array<Row, 14> kRows;

  Bindings& captured_;
  Mismatch mismatch_;
};

const std::array<Matching::Row, 14> Matching::kRows = {{
    {"$any", &Matching::any},
    {"$absent", &Matching::absent},
    {"$type", &Matching::type},
    {"$regex", &Matching::regex},
    {"$bind", &Matching::bind},
    {"$contains", &Matching::contains},
    {"$len", &Matching::length},
    {"$unordered", &Matching::unordered},
    {"$exact", &Matching::exact},
    {"$range", &Matching::range},
    {"$not", &Matching::negate},
    {"$one_of", &Matching::one_of},
    {"$each", &Matching::each},
    {"$json", &Matching::inner_json},
}};

bool Matching::value(const json::value& pattern, const json::value& got, const std::string& path) {
  if (const json::object* wanted = pattern.if_object()) {
    return is_matcher(*wanted) ? matcher(*wanted, got, path) : object(*wanted, got, path);
  }
  if (const json::array* wanted = pattern.if_array()) return array(*wanted, got, path);
  return equal_scalars(pattern, got) || differ(path, brief(pattern), got);
}

// True if a pattern is {"$absent": true}, the only one that matches a missing member.
bool wants_absence(const json::value& pattern) {
  const json::object* object = pattern.if_object();
  if (object == nullptr) return false;
  const json::value* absent = object->if_contains("$absent");
  return absent != nullptr && absent->is_bool() && absent->get_bool();
}

bool Matching::object(const json::object& pattern, const json::value& got,
                      const std::string& path) {
  const json::object* have = got.if_object();
  if (have == nullptr) return differ(path, brief(pattern), got);
  for (const auto& member : pattern) {
    const std::string at = path + "/" + escape_pointer(member.key());
    const json::value* found = have->if_contains(member.key());
    if (found == nullptr) {
      if (wants_absence(member.value())) continue;
      mismatch_ = {at, brief(member.value()), "no such member in " + brief(got)};
      return false;
    }
    if (!value(member.value(), *found, at)) return false;
  }
  return true;
}

bool Matching::array(const json::array& pattern, const json::value& got, const std::string& path) {
  const json::array* have = got.if_array();
  if (have == nullptr || have->size() != pattern.size()) return differ(path, brief(pattern), got);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (!value(pattern[i], (*have)[i], path + "/" + std::to_string(i))) return false;
  }
  return true;
}

bool Matching::matcher(const json::object& pattern, const json::value& got,
                       const std::string& path) {
  for (const auto& member : pattern) {
    for (const Row& row : kRows) {
      if (row.name != member.key()) continue;
      if (!(this->*row.test)(member.value(), got, path)) return false;
    }
  }
  return true;
}

bool Matching::absent(const json::value& arg, const json::value& got, const std::string& path) {
  return !arg.as_bool() || differ(path, "nothing here", got);
}

bool Matching::type(const json::value& arg, const json::value& got, const std::string& path) {
  const std::string_view wanted = arg.get_string();
  const std::string_view is = type_of(got);
  if (wanted == is || (wanted == "number" && is == "integer")) return true;
  return differ(path, "a value of type " + std::string(wanted), got);
}

bool Matching::regex(const json::value& arg, const json::value& got, const std::string& path) {
  const std::string expression(arg.get_string());
  if (!got.is_string()) return differ(path, "text that matches /" + expression + "/", got);
  const std::string_view text = got.get_string();
  const bool found = std::regex_search(text.begin(), text.end(), std::regex(expression));
  return found || differ(path, "text that matches /" + expression + "/", got);
}

bool Matching::bind(const json::value& arg, const json::value& got, const std::string& path) {
  (void)path;
  captured_.insert_or_assign(std::string(arg.get_string()), got);
  return true;
}

bool Matching::contains(const json::value& arg, const json::value& got, const std::string& path) {
  if (got.is_string() && arg.is_string()) {
    if (std::string_view(got.get_string()).find(arg.get_string()) != std::string_view::npos) {
      return true;
    }
  } else if (const json::array* elements = got.if_array()) {
    for (const json::value& element : *elements) {
      if (attempt(arg, element)) return true;
    }
  }
  return differ(path, "something that contains " + brief(arg), got);
}

bool Matching::length(const json::value& arg, const json::value& got, const std::string& path) {
  std::size_t size = 0;
  if (got.is_string()) {
    size = got.get_string().size();
  } else if (got.is_array()) {
    size = got.get_array().size();
  } else if (got.is_object()) {
    size = got.get_object().size();
  } else {
    return differ(path, "something that has a length", got);
  }
  if (attempt(arg, json::value(size))) return true;
  return differ(path, "length " + brief(arg) + ", not " + std::to_string(size), got);
}

// Finds an element for each pattern from `next` on, with backtracking.
bool Matching::assign(const json::array& patterns, const json::array& got, std::vector<bool>& used,
                      std::size_t next) {
  if (next == patterns.size()) return true;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (used[i]) continue;
    const Bindings before = captured_;
    if (attempt(patterns[next], got[i])) {
      used[i] = true;
      if (assign(patterns, got, used, next + 1)) return true;
      used[i] = false;
      captured_ = before;
    }
  }
  return false;
}

bool Matching::unordered(const json::value& arg, const json::value& got, const std::string& path) {
  const json::array& patterns = arg.get_array();
  const json::array* have = got.if_array();
  if (have != nullptr && have->size() == patterns.size()) {
    std::vector<bool> used(have->size(), false);
    if (assign(patterns, *have, used, 0)) return true;
  }
  return differ(path, "in any order " + brief(arg), got);
}

bool Matching::exact(const json::value& arg, const json::value& got, const std::string& path) {
  if (!value(arg, got, path)) return false;
  const json::object* wanted = arg.if_object();
  if (wanted == nullptr) return true;
  for (const auto& member : got.get_object()) {
    if (!wanted->contains(member.key())) {
      return differ(path, "no member '" + std::string(member.key()) + "'", got);
    }
  }
  return true;
}

bool Matching::range(const json::value& arg, const json::value& got, const std::string& path) {
  const std::optional<double> have = number_of(got);
  const json::array& limits = arg.get_array();
  const std::optional<double> low = number_of(limits[0]);
  const std::optional<double> high = number_of(limits[1]);
  if (have && (!low || *have >= *low) && (!high || *have <= *high)) return true;
  return differ(path, "a number in " + brief(arg), got);
}

bool Matching::negate(const json::value& arg, const json::value& got, const std::string& path) {
  const Bindings before = captured_;
  if (!attempt(arg, got)) return true;
  captured_ = before;
  return differ(path, "anything but " + brief(arg), got);
}

bool Matching::one_of(const json::value& arg, const json::value& got, const std::string& path) {
  for (const json::value& pattern : arg.get_array()) {
    if (attempt(pattern, got)) return true;
  }
  return differ(path, "one of " + brief(arg), got);
}

bool Matching::each(const json::value& arg, const json::value& got, const std::string& path) {
  const json::array* have = got.if_array();
  if (have == nullptr) return differ(path, "an array", got);
  for (std::size_t i = 0; i < have->size(); ++i) {
    if (!value(arg, (*have)[i], path + "/" + std::to_string(i))) return false;
  }
  return true;
}

bool Matching::inner_json(const json::value& arg, const json::value& got, const std::string& path) {
  if (!got.is_string()) return differ(path, "text that holds JSON", got);
  boost::system::error_code error;
  const json::value inner = json::parse(std::string_view(got.get_string()), error);
  if (error) return differ(path, "text that holds JSON", got);
  return value(arg, inner, path);
}

core::Result<void> bad_pattern(const std::string& path, std::string message) {
  return core::fail(core::Code::invalid_argument, std::move(message), path);
}

bool compiles(const std::string& expression) {
  try {
    const std::regex compiled(expression);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

bool is_limit(const json::value& value) {
  return value.is_null() || value.is_number() || value.is_string();
}

core::Result<void> check_at(const json::value& pattern, const std::string& path);

core::Result<void> check_all(const json::array& patterns, const std::string& path) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    auto checked = check_at(patterns[i], path + "/" + std::to_string(i));
    if (!checked) return checked;
  }
  return {};
}

core::Result<void> check_matcher(std::string_view name, const json::value& arg,
                                 const std::string& path) {
  if (name == "$any" || name == "$absent") {
    return arg.is_bool() ? core::Result<void>()
                         : bad_pattern(path, std::string(name) + " takes true");
  }
  if (name == "$type") {
    static constexpr std::array<std::string_view, 7> kTypes = {
        "null", "boolean", "integer", "number", "string", "array", "object"};
    for (const std::string_view type : kTypes) {
      if (arg.is_string() && arg.get_string() == type) return {};
    }
    return bad_pattern(path, "$type takes null, boolean, integer, number, string, array or object");
  }
  if (name == "$bind") {
    return arg.is_string() ? core::Result<void>() : bad_pattern(path, "$bind takes a name");
  }
  if (name == "$regex") {
    if (!arg.is_string()) return bad_pattern(path, "$regex takes text");
    const std::string expression(arg.get_string());
    const bool has_variable = expression.find("${") != std::string::npos;
    if (has_variable || compiles(expression)) return {};
    return bad_pattern(path, "this regular expression does not compile");
  }
  if (name == "$range") {
    const json::array* limits = arg.if_array();
    const bool good = limits != nullptr && limits->size() == 2 && is_limit((*limits)[0]) &&
                      is_limit((*limits)[1]);
    return good ? core::Result<void>()
                : bad_pattern(path, "$range takes [low, high]; null is no limit");
  }
  if (name == "$unordered" || name == "$one_of") {
    if (!arg.is_array())
      return bad_pattern(path, std::string(name) + " takes an array of patterns");
    return check_all(arg.get_array(), path);
  }
  if (name == "$contains" || name == "$len" || name == "$exact" || name == "$not" ||
      name == "$each" || name == "$json") {
    return check_at(arg, path);
  }
  return bad_pattern(path, "unknown matcher '" + std::string(name) + "'");
}

core::Result<void> check_at(const json::value& pattern, const std::string& path) {
  if (const json::array* elements = pattern.if_array()) return check_all(*elements, path);
  const json::object* object = pattern.if_object();
  if (object == nullptr) return {};
  const bool matchers = is_matcher(*object);
  for (const auto& member : *object) {
    const std::string at = path + "/" + escape_pointer(member.key());
    core::Result<void> checked;
    if (!matchers) {
      checked = check_at(member.value(), at);
    } else if (!is_matcher_name(member.key())) {
      checked = bad_pattern(at, "a matcher ($...) and a plain member cannot stand in one object");
    } else {
      checked = check_matcher(member.key(), member.value(), at);
    }
    if (!checked) return checked;
  }
  return {};
}

}  // namespace

std::optional<Mismatch> match(const json::value& pattern, const json::value& value,
                              Bindings& bound) {
  Bindings captured = bound;
  Matching matching(captured);
  if (!matching.value(pattern, value, "")) return matching.mismatch();
  bound = std::move(captured);
  return std::nullopt;
}

core::Result<void> check_pattern(const json::value& pattern) { return check_at(pattern, ""); }

std::string brief(const json::value& value, std::size_t limit) {
  std::string text = json::serialize(value);
  if (text.size() <= limit) return text;
  const std::string cut(core::utf8_truncate(text, limit));
  return cut + "... (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace parley::conformance
