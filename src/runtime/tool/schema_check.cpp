// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/schema_check.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/ascii.h"
#include "runtime/tool/repeated_member.h"

namespace parley::tool {
namespace {

namespace json = boost::json;
using core::Code;
using core::fail;
using core::Result;

constexpr int kMaxUnwraps = 2;
// Limit (Tools): checks of a call's arguments, copies included. Reached: refused, member named.
constexpr std::size_t kMaxSteps = 200'000;
// Limit of the members of an object whose names are compared with those of the schema.
constexpr std::size_t kMaxAdopted = 1000;

std::optional<json::value> parse(std::string_view text) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = kMaxArgumentDepth;
  json::value value = json::parse(text, error, {}, options);
  if (error) return std::nullopt;
  return value;
}

// A text of a model: without a name that an object has twice.
std::optional<json::value> parse_written(std::string_view text) {
  if (repeated_member(text, kMaxArgumentDepth)) return std::nullopt;
  return parse(text);
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

// The content of a fenced block (```json ... ```) if the text is nothing else; otherwise the text.
std::string_view without_fence(std::string_view text) {
  constexpr std::string_view kFence = "```";
  if (text.size() < 2 * kFence.size() || !text.starts_with(kFence) || !text.ends_with(kFence)) {
    return text;
  }
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return text;
  const std::size_t end = text.size() - kFence.size();
  return line < end ? core::trimmed(text.substr(line, end - line)) : text;
}

std::string_view kind_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "an array";
    case json::kind::object:
      break;
  }
  return "an object";
}

std::string_view with_article(std::string_view type) {
  if (type == "object") return "an object";
  if (type == "array") return "an array";
  if (type == "integer") return "an integer";
  if (type == "string") return "a string";
  if (type == "number") return "a number";
  if (type == "boolean") return "a boolean";
  return type;
}

bool is_whole(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it doubles skip integers
  return std::floor(number) == number && std::abs(number) <= kExact;
}

bool has_type(const json::value& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "integer") {
    return value.is_int64() || value.is_uint64() ||
           (value.is_double() && is_whole(value.get_double()));
  }
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_bool();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "null") return value.is_null();
  return true;  // an unknown type restricts nothing
}

// Approximate cost of copying a value.
std::size_t weight(const json::value& value) {
  constexpr std::size_t kBytesPerStep = 64;
  if (value.is_string()) return 1 + value.get_string().size() / kBytesPerStep;
  std::size_t sum = 1;
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) sum += weight(item);
  }
  if (value.is_object()) {
    for (const auto& member : value.get_object()) sum += weight(member.value());
  }
  return sum;
}

std::string text_of(const json::value& value) {
  if (!value.is_double()) return json::serialize(value);
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value.get_double());
  return {digits.data(), end.ptr};
}

// A name in lower case, without "_" and "-".
std::string bare(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string member_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

std::string item_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string named(const std::string& path) {
  return path.empty() ? "The arguments" : "The argument `" + path + "`";
}

std::string number_text(double number) {
  return is_whole(number) ? std::to_string(static_cast<std::int64_t>(number))
                          : std::to_string(number);
}

// The types that a schema allows; empty: any.
std::vector<std::string_view> types_of(const json::object& schema) {
  std::vector<std::string_view> types;
  const json::value* type = schema.if_contains("type");
  if (type == nullptr) return types;
  if (type->is_string()) types.push_back(view(type->get_string()));
  if (type->is_array()) {
    for (const json::value& one : type->get_array()) {
      if (one.is_string()) types.push_back(view(one.get_string()));
    }
  }
  return types;
}

std::string listed(const json::array& values) {
  std::string out;
  for (const json::value& value : values) {
    if (!out.empty()) out += ", ";
    out += json::serialize(value);
  }
  return out;
}

// Description of the expected value for a person: "a string", "one of "a", "b"".
std::string expected(const json::value& schema) {
  const json::object* object = schema.if_object();
  if (object == nullptr) return "a value";
  if (const json::value* one = object->if_contains("enum"); one != nullptr && one->is_array()) {
    return "one of " + listed(one->get_array());
  }
  if (const json::value* one = object->if_contains("const")) return json::serialize(*one);
  std::string out;
  for (const std::string_view type : types_of(*object)) {
    if (!out.empty()) out += " or ";
    out += with_article(type);
  }
  return out.empty() ? "a value" : out;
}

class Checker {
 public:
  explicit Checker(const json::value& root) : root_(root) {}

  Result<void> fit(const json::value& schema, json::value& value, const std::string& path);

 private:
  // Increments the depth during its lifetime.
  class Level {
   public:
    explicit Level(std::size_t& depth) : depth_(depth) { ++depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --depth_; }

   private:
    std::size_t& depth_;
  };

  const json::value* resolve(const json::object& schema) const;
  Result<void> fit_type(const json::object& schema, json::value& value, const std::string& path);
  bool make_fit(const json::object& schema, std::string_view type, json::value& value);
  Result<void> fit_choice(const json::object& schema, json::value& value, const std::string& path);
  Result<void> fit_forms(const json::object& schema, json::value& value, const std::string& path);
  Result<void> fit_object(const json::object& schema, json::object& object,
                          const std::string& path);
  Result<void> fit_required(const json::object& schema, const json::object& properties,
                            const json::object& object, const std::string& path);
  Result<void> fit_unknown(const json::object& schema, const json::object& properties,
                           json::object& object, const std::string& path);
  Result<void> fit_array(const json::object& schema, json::array& array, const std::string& path);
  static Result<void> fit_number(const json::object& schema, const json::value& value,
                                 const std::string& path);
  static Result<void> fit_length(const json::object& schema, std::size_t length,
                                 std::string_view least, std::string_view most,
                                 std::string_view unit, const std::string& path);
  void adopt_names(const json::object& properties, json::object& object) const;
  static bool is_required(const json::object& schema, std::string_view name);

  const json::value& root_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
  bool tolerant_ = true;
};

const json::value* Checker::resolve(const json::object& schema) const {
  const json::value* reference = schema.if_contains("$ref");
  if (reference == nullptr || !reference->is_string()) return nullptr;
  std::string_view pointer = view(reference->get_string());
  if (!pointer.starts_with('#')) return nullptr;
  pointer.remove_prefix(1);
  json::error_code error;
  return root_.find_pointer(pointer, error);
}

Result<void> Checker::fit(const json::value& schema, json::value& value, const std::string& path) {
  const json::object* object = schema.if_object();
  if (object == nullptr) return {};  // `true`, or no schema
  const Level level(depth_);
  if (depth_ > kMaxArgumentDepth) {
    return fail(Code::invalid_argument, named(path) + " is nested too deeply.", path);
  }
  if (++steps_ > kMaxSteps) {
    return fail(Code::invalid_argument, named(path) + " is too large to check.", path);
  }
  if (const json::value* target = resolve(*object)) {
    if (Result<void> fits = fit(*target, value, path); !fits) return fits;
  }
  if (Result<void> fits = fit_type(*object, value, path); !fits) return fits;
  if (Result<void> fits = fit_choice(*object, value, path); !fits) return fits;
  if (Result<void> fits = fit_forms(*object, value, path); !fits) return fits;
  if (value.is_object()) return fit_object(*object, value.get_object(), path);
  if (value.is_array()) return fit_array(*object, value.get_array(), path);
  if (value.is_number()) return fit_number(*object, value, path);
  if (value.is_string()) {
    return fit_length(*object, characters(view(value.get_string())), "minLength", "maxLength",
                      "characters", path);
  }
  return {};
}

Result<void> Checker::fit_type(const json::object& schema, json::value& value,
                               const std::string& path) {
  const std::vector<std::string_view> types = types_of(schema);
  if (types.empty()) return {};
  for (const std::string_view type : types) {
    if (!has_type(value, type)) continue;
    if (type == "integer" && value.is_double()) {
      value = static_cast<std::int64_t>(value.get_double());
    }
    return {};
  }
  // The meaning is clear only if exactly one type other than null is allowed.
  std::string_view only;
  for (const std::string_view type : types) {
    if (type == "null") continue;
    if (!only.empty()) only = "several";
    if (only.empty()) only = type;
  }
  if (tolerant_ && make_fit(schema, only, value)) return {};
  return fail(Code::invalid_argument,
              named(path) + " must be " + expected(json::value(schema)) + ", but is " +
                  std::string(kind_of(value)) + ".",
              path);
}

// Converts `value` to `type` if no other meaning is possible.
bool Checker::make_fit(const json::object& schema, std::string_view type, json::value& value) {
  if (type == "string") {
    if (!value.is_number() && !value.is_bool()) return false;
    value = text_of(value);
    return true;
  }
  if (value.is_string()) {
    if (std::optional<json::value> inside = parse_written(view(value.get_string()));
        inside && !inside->is_string() && has_type(*inside, type)) {
      if (type == "integer" && inside->is_double()) {
        *inside = static_cast<std::int64_t>(inside->get_double());
      }
      value = std::move(*inside);
      return true;
    }
  }
  if (type != "array" || value.is_null()) return false;
  json::value item = value;
  if (const json::value* items = schema.if_contains("items");
      items != nullptr && !fit(*items, item, "")) {
    return false;
  }
  json::array one;
  one.push_back(std::move(item));
  value = std::move(one);
  return true;
}

Result<void> Checker::fit_choice(const json::object& schema, json::value& value,
                                 const std::string& path) {
  if (const json::value* fixed = schema.if_contains("const"); fixed != nullptr && *fixed != value) {
    return fail(Code::invalid_argument, named(path) + " must be " + json::serialize(*fixed) + ".",
                path);
  }
  const json::value* one_of = schema.if_contains("enum");
  if (one_of == nullptr || !one_of->is_array()) return {};
  const json::array& choices = one_of->get_array();
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return {};
  return fail(Code::invalid_argument,
              named(path) + " must be one of " + listed(choices) + ", but is " +
                  json::serialize(value) + ".",
              path);
}

// Checks allOf, anyOf, oneOf.
Result<void> Checker::fit_forms(const json::object& schema, json::value& value,
                                const std::string& path) {
  if (const json::value* all = schema.if_contains("allOf"); all != nullptr && all->is_array()) {
    for (const json::value& form : all->get_array()) {
      if (Result<void> fits = fit(form, value, path); !fits) return fits;
    }
  }
  for (const std::string_view keyword : {"anyOf", "oneOf"}) {
    const json::value* forms = schema.if_contains(keyword);
    if (forms == nullptr || !forms->is_array() || forms->get_array().empty()) continue;
    // Tries the value unchanged first, so that "42" stays a string if a string is allowed.
    const bool tolerant = tolerant_;
    bool found = false;
    core::Error last;
    for (const bool pass : {false, true}) {
      if (found || (pass && !tolerant)) continue;
      tolerant_ = pass;
      for (const json::value& form : forms->get_array()) {
        steps_ += weight(value);
        if (steps_ > kMaxSteps) break;
        json::value copy = value;
        const Result<void> fits = fit(form, copy, path);
        if (fits) {
          value = std::move(copy);
          found = true;
          break;
        }
        last = fits.error();
      }
    }
    tolerant_ = tolerant;
    if (found) continue;
    if (forms->get_array().size() == 1) return fail(std::move(last));
    return fail(
        Code::invalid_argument,
        named(path) + " matches none of its alternatives; the last one says: " + last.message,
        path);
  }
  return {};
}

bool Checker::is_required(const json::object& schema, std::string_view name) {
  const json::value* required = schema.if_contains("required");
  if (required == nullptr || !required->is_array()) return false;
  const json::array& names = required->get_array();
  return std::any_of(names.begin(), names.end(), [name](const json::value& one) {
    return one.is_string() && view(one.get_string()) == name;
  });
}

// Renames members of another style to the schema's names.
void Checker::adopt_names(const json::object& properties, json::object& object) const {
  if (!tolerant_ || object.size() > kMaxAdopted) return;
  std::vector<std::pair<std::string, std::string>> renames;
  for (const auto& member : object) {
    if (properties.contains(member.key())) continue;
    const std::string plain = bare(member.key());
    std::string target;
    std::size_t count = 0;
    for (const auto& property : properties) {
      if (bare(property.key()) != plain) continue;
      target = property.key();
      ++count;
    }
    if (count == 1 && !object.contains(target)) renames.emplace_back(member.key(), target);
  }
  for (const auto& [from, to] : renames) {
    json::value* present = object.if_contains(from);
    if (present == nullptr || object.contains(to)) continue;
    json::value moved = std::move(*present);
    object.erase(from);
    object.emplace(to, std::move(moved));
  }
}

Result<void> Checker::fit_required(const json::object& schema, const json::object& properties,
                                   const json::object& object, const std::string& path) {
  const json::value* required = schema.if_contains("required");
  if (required == nullptr || !required->is_array()) return {};
  for (const json::value& name : required->get_array()) {
    if (!name.is_string() || object.contains(name.get_string())) continue;
    const std::string at = member_path(path, view(name.get_string()));
    const json::value* property = properties.if_contains(name.get_string());
    const std::string what = property == nullptr ? "a value" : expected(*property);
    return fail(Code::invalid_argument, named(at) + " is missing: " + what + " is expected.", at);
  }
  return {};
}

Result<void> Checker::fit_unknown(const json::object& schema, const json::object& properties,
                                  json::object& object, const std::string& path) {
  const json::value* additional = schema.if_contains("additionalProperties");
  if (additional == nullptr) return {};
  const bool none = additional->is_bool() && !additional->get_bool();
  for (auto& member : object) {
    if (properties.contains(member.key())) continue;
    const std::string at = member_path(path, member.key());
    if (!none) {
      if (Result<void> fits = fit(*additional, member.value(), at); !fits) return fits;
      continue;
    }
    std::string known;
    for (const auto& property : properties) {
      if (!known.empty()) known += ", ";
      known += std::string(property.key());
    }
    return fail(Code::invalid_argument,
                named(at) + " is not known; known are: " + (known.empty() ? "none" : known) + ".",
                at);
  }
  return {};
}

Result<void> Checker::fit_object(const json::object& schema, json::object& object,
                                 const std::string& path) {
  static const json::object kNone;
  const json::value* declared = schema.if_contains("properties");
  const json::object& properties =
      declared != nullptr && declared->is_object() ? declared->get_object() : kNone;
  adopt_names(properties, object);
  for (const auto& property : properties) {
    json::value* value = object.if_contains(property.key());
    if (value == nullptr) continue;
    const std::string at = member_path(path, property.key());
    const bool optional_null =
        tolerant_ && value->is_null() && !is_required(schema, property.key());
    Result<void> fits = fit(property.value(), *value, at);
    if (!fits && optional_null) {
      object.erase(property.key());
    } else if (!fits) {
      return fits;
    }
  }
  if (Result<void> fits = fit_required(schema, properties, object, path); !fits) return fits;
  return fit_unknown(schema, properties, object, path);
}

Result<void> Checker::fit_array(const json::object& schema, json::array& array,
                                const std::string& path) {
  if (const json::value* items = schema.if_contains("items")) {
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (Result<void> fits = fit(*items, array[i], item_path(path, i)); !fits) return fits;
    }
  }
  return fit_length(schema, array.size(), "minItems", "maxItems", "items", path);
}

Result<void> Checker::fit_number(const json::object& schema, const json::value& value,
                                 const std::string& path) {
  const double number = value.to_number<double>();
  const auto bound = [&schema](std::string_view keyword) -> std::optional<double> {
    const json::value* limit = schema.if_contains(keyword);
    if (limit == nullptr || !limit->is_number()) return std::nullopt;
    return limit->to_number<double>();
  };
  const auto refuse = [&path](std::string_view how, double limit) {
    return fail(Code::invalid_argument,
                named(path) + " must be " + std::string(how) + " " + number_text(limit) + ".",
                path);
  };
  if (const auto least = bound("minimum"); least && number < *least) {
    return refuse("at least", *least);
  }
  if (const auto most = bound("maximum"); most && number > *most) return refuse("at most", *most);
  if (const auto above = bound("exclusiveMinimum"); above && number <= *above) {
    return refuse("more than", *above);
  }
  if (const auto below = bound("exclusiveMaximum"); below && number >= *below) {
    return refuse("less than", *below);
  }
  return {};
}

Result<void> Checker::fit_length(const json::object& schema, std::size_t length,
                                 std::string_view least, std::string_view most,
                                 std::string_view unit, const std::string& path) {
  const auto bound = [&schema](std::string_view keyword) -> std::optional<std::uint64_t> {
    const json::value* limit = schema.if_contains(keyword);
    if (limit == nullptr || !limit->is_int64() || limit->get_int64() < 0) return std::nullopt;
    return static_cast<std::uint64_t>(limit->get_int64());
  };
  if (const auto limit = bound(least); limit && length < *limit) {
    return fail(Code::invalid_argument,
                named(path) + " must have at least " + std::to_string(*limit) + " " +
                    std::string(unit) + ", but has " + std::to_string(length) + ".",
                path);
  }
  if (const auto limit = bound(most); limit && length > *limit) {
    return fail(Code::invalid_argument,
                named(path) + " may have at most " + std::to_string(*limit) + " " +
                    std::string(unit) + ", but has " + std::to_string(length) + ".",
                path);
  }
  return {};
}

// Parses the arguments, which must be one object.
Result<json::object> object_of(std::string_view written) {
  if (written.size() > kMaxArgumentBytes) {
    return fail(Code::invalid_argument,
                "The arguments are longer than " + std::to_string(kMaxArgumentBytes) + " bytes.");
  }
  std::string text(without_fence(core::trimmed(written)));
  for (int unwraps = 0; unwraps <= kMaxUnwraps; ++unwraps) {
    if (text.empty()) return json::object();
    if (const auto name = repeated_member(text, kMaxArgumentDepth)) {
      return fail(Code::invalid_argument,
                  "The arguments name `" + *name + "` twice: give each member of an object once.",
                  *name);
    }
    std::optional<json::value> value = parse(text);
    if (!value) {
      return fail(Code::invalid_argument,
                  "The arguments are not valid JSON: an object such as {\"name\": \"value\"} is "
                  "expected.");
    }
    if (value->is_null()) return json::object();
    if (value->is_object()) return std::move(value->get_object());
    if (!value->is_string()) {
      return fail(Code::invalid_argument,
                  "The arguments must be an object, but are " + std::string(kind_of(*value)) + ".");
    }
    text = std::string(without_fence(core::trimmed(view(value->get_string()))));
  }
  return fail(Code::invalid_argument, "The arguments must be an object, but are a string.");
}

}  // namespace

Result<json::object> fit_arguments(std::string_view schema, json::object arguments) {
  const std::optional<json::value> root = parse(schema);
  if (!root) return arguments;
  json::value value(std::move(arguments));
  Checker checker(*root);
  if (Result<void> fits = checker.fit(*root, value, ""); !fits) return fail(fits.error());
  if (!value.is_object()) return fail(Code::invalid_argument, "The arguments must be an object.");
  return std::move(value.get_object());
}

Result<json::object> read_arguments(std::string_view schema, std::string_view written) {
  Result<json::object> object = object_of(written);
  if (!object) return object;
  return fit_arguments(schema, std::move(*object));
}

}  // namespace parley::tool
