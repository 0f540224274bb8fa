// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/state_fold.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>

#include "runtime/stream/event_parser.h"

namespace parley::runtime {
namespace {

namespace json = boost::json;

constexpr std::string_view kLog = "messages";
constexpr std::string_view kLogFrom = "log_from";
constexpr std::string_view kCore = "core";  // of dup and tot: the state of the react within

std::uint64_t count_of(const json::value& value) {
  if (const std::int64_t* number = value.if_int64()) {
    return *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
  }
  const std::uint64_t* number = value.if_uint64();
  return number == nullptr ? 0 : *number;
}

void lengthen(json::array& log, const json::array& entries, std::uint64_t from) {
  if (from < log.size()) log.resize(from);
  for (const json::value& entry : entries) log.push_back(entry);
}

void fold(json::object& into, const json::object& state, std::uint64_t from) {
  if (const json::value* told = state.if_contains(kLogFrom)) from = count_of(*told);
  for (const auto& member : state) {
    if (member.key() == kLogFrom) continue;
    json::value& was = into[member.key()];
    if (member.key() == kLog && from > 0 && was.is_array() && member.value().is_array()) {
      lengthen(was.get_array(), member.value().get_array(), from);
    } else if (member.key() == kCore && was.is_object() && member.value().is_object()) {
      fold(was.get_object(), member.value().get_object(), from);
    } else {
      was = member.value();
    }
  }
}

}  // namespace

void StateFold::take(std::string_view state) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = kMaxLineDepth + 1;
  const json::value value =
      json::parse(json::string_view(state.data(), state.size()), error, {}, options);
  if (error) return;
  any_ = true;
  if (!value.is_object()) {
    object_.clear();
    other_ = state;
    return;
  }
  other_.clear();
  fold(object_, value.get_object(), 0);
}

std::string StateFold::text() const {
  if (!any_) return {};
  return other_.empty() ? json::serialize(object_) : other_;
}

}  // namespace parley::runtime
