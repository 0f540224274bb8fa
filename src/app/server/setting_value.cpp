// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>

#include "app/server/settings.h"
#include "base/core/ascii.h"

namespace parley::app {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array<Unit, 4> kByteUnits = {
    {{"GiB", 1LL << 30}, {"MiB", 1LL << 20}, {"KiB", 1LL << 10}, {"B", 1}}};
// The first suffix that fits is used, so "ms" must precede "s".
constexpr std::array<Unit, 5> kTimeUnits = {
    {{"ms", 1}, {"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}}};

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_scaled(std::string_view text, std::span<const Unit> units,
                                         std::int64_t bare_factor) {
  std::int64_t factor = bare_factor;
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    factor = unit.factor;
    break;
  }
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto value = parse_integer(text);
  if (!value || *value < 0 || *value > std::numeric_limits<std::int64_t>::max() / factor) {
    return std::nullopt;
  }
  return *value * factor;
}

std::string format_scaled(std::int64_t value, std::span<const Unit> units) {
  if (value == 0) return "0";
  Unit best{"", 1};
  for (const Unit& unit : units) {
    if (value % unit.factor == 0 && (best.name.empty() || unit.factor > best.factor)) best = unit;
  }
  return std::to_string(value / best.factor) + std::string(best.name);
}

std::string format_number(SettingType type, std::int64_t value) {
  if (type == SettingType::bytes) return format_scaled(value, kByteUnits);
  if (type == SettingType::duration) return format_scaled(value, kTimeUnits);
  return std::to_string(value);
}

bool is_origin(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return false;
  }
  return !rest.empty() && std::all_of(rest.begin(), rest.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
  });
}

bool is_page(std::string_view text) { return text == "*" || is_origin(text); }

bool is_url(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::string_view host = text.substr(scheme.size(), text.find('/', scheme.size()));
    return !host.empty() && !host.starts_with('/') &&
           text.find_first_of(" ?#@\"<>\\") == std::string_view::npos;
  }
  return false;
}

bool is_decimal(const Setting& setting, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() &&
         value >= static_cast<double>(setting.min) && value <= static_cast<double>(setting.max);
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "0" || text == "no" || text == "off") return false;
  return std::nullopt;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string expand_home(std::string_view text) {
  // Read once, while the settings are loaded: no other thread runs yet.
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  if (!text.starts_with("~/") || home == nullptr) return std::string(text);
  return std::string(home) + std::string(text.substr(1));
}

core::Result<SettingValue> refuse(const Setting& setting) {
  return core::fail(core::Code::invalid_argument, "must be " + allowed_values(setting) + ".",
                    std::string(setting.key));
}

core::Result<SettingValue> parse_number(const Setting& setting, std::string_view text) {
  std::optional<std::int64_t> value;
  if (setting.type == SettingType::bytes) {
    value = parse_scaled(text, kByteUnits, 1);
  } else if (setting.type == SettingType::duration) {
    value = parse_scaled(text, kTimeUnits, 1'000);
  } else {
    value = parse_integer(text);
  }
  if (!value || *value < setting.min || *value > setting.max) return refuse(setting);
  return SettingValue(*value);
}

// Words separated by commas, each of which `allowed` must accept.
core::Result<SettingValue> parse_names(const Setting& setting, std::string_view text,
                                       bool (*allowed)(std::string_view)) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = core::trimmed(text.substr(0, comma), " \t");
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (item.empty()) continue;
    if (!allowed(item)) return refuse(setting);
    out.emplace_back(item);
  }
  return SettingValue(std::move(out));
}

}  // namespace

std::string_view setting_type_name(SettingType type) {
  static constexpr std::array<std::string_view, 15> kNames = {
      "text",     "secret", "path",   "endpoint", "origin", "boolean", "integer", "bytes",
      "duration", "list",   "choice", "url",      "names",  "urls",    "decimal"};
  return kNames.at(static_cast<std::size_t>(type));
}

core::Result<SettingValue> parse_setting(const Setting& setting, std::string_view text) {
  if (has_control_characters(text)) return refuse(setting);
  switch (setting.type) {
    case SettingType::text:
    case SettingType::secret:
      return SettingValue(std::string(text));
    case SettingType::path:
      return SettingValue(expand_home(text));
    case SettingType::endpoint: {
      if (!net::Endpoint::parse(text)) return refuse(setting);
      return SettingValue(std::string(text));
    }
    case SettingType::origin:
      if (!text.empty() && !is_origin(text)) return refuse(setting);
      return SettingValue(std::string(text));
    case SettingType::boolean: {
      const auto value = parse_boolean(text);
      if (!value) return refuse(setting);
      return SettingValue(*value);
    }
    case SettingType::integer:
    case SettingType::bytes:
    case SettingType::duration:
      return parse_number(setting, text);
    case SettingType::list:
      return parse_names(setting, text, is_page);
    case SettingType::choice:
      if (std::find(setting.choices.begin(), setting.choices.end(), text) ==
          setting.choices.end()) {
        return refuse(setting);
      }
      return SettingValue(std::string(text));
    case SettingType::url:
      if (!text.empty() && !is_url(text)) return refuse(setting);
      return SettingValue(std::string(text));
    case SettingType::names:
      return parse_names(setting, text, [](std::string_view) { return true; });
    case SettingType::urls:
      return parse_names(setting, text, is_url);
    case SettingType::decimal:
      if (!text.empty() && !is_decimal(setting, text)) return refuse(setting);
      return SettingValue(std::string(text));
  }
  return refuse(setting);
}

std::string allowed_values(const Setting& setting) {
  const auto range = [&setting] {
    return " from " + format_number(setting.type, setting.min) + " to " +
           format_number(setting.type, setting.max);
  };
  switch (setting.type) {
    case SettingType::text:
    case SettingType::secret:
      return "text without control characters";
    case SettingType::path:
      return "a path";
    case SettingType::endpoint:
      return "an address and a port, for example 127.0.0.1:22080 or [::1]:0";
    case SettingType::origin:
      return "an origin without a path, for example https://parley.example.org";
    case SettingType::boolean:
      return "true or false";
    case SettingType::integer:
      return "a whole number" + range();
    case SettingType::bytes:
      return "a size" + range() + ", for example 64KiB or 16MiB";
    case SettingType::duration:
      return "a duration" + range() + ", for example 250ms, 30s, 10m, 24h or 30d";
    case SettingType::list:
      return "origins, for example https://parley.example.org, or *";
    case SettingType::choice: {
      std::string out = "one of";
      for (const std::string_view choice : setting.choices) {
        out += choice == setting.choices.front() ? " " : ", ";
        out += choice;
      }
      return out;
    }
    case SettingType::url:
      return "an http or https URL, for example https://api.example.org/v1";
    case SettingType::names:
      return "a list of names without commas";
    case SettingType::urls:
      return "a list of http or https URLs, for example http://127.0.0.1:8188";
    case SettingType::decimal:
      return "a number" + range();
  }
  return {};
}

std::string format_setting(const Setting& setting, const SettingValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return format_number(setting.type, *number);
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    std::string out;
    for (const std::string& item : *list) out += (out.empty() ? "" : ",") + item;
    return out;
  }
  return std::get<std::string>(value);
}

}  // namespace parley::app
