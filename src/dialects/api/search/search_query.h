// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/net/http/http.h"
#include "services/search/search_index.h"

// Parameters of requests for entries of the search index. Errors of all: `invalid_argument`, with
// the name as field.
namespace parley::api {

core::Error no_search();
core::Result<std::string> query_text(const net::Request& request, std::string_view name);
core::Result<std::optional<core::WallTime>> query_time(const net::Request& request,
                                                       std::string_view name);
// The place after the last entry of a page; `before` is what place_text() made of it.
core::Result<std::optional<search::Place>> query_place(const net::Request& request);
std::string place_text(const search::Entry& last);

// A set of names, separated by commas, as bits; absent: all.
template <typename Value>
core::Result<unsigned> query_set(const net::Request& request, std::string_view name, unsigned all,
                                 std::optional<Value> (*value_of)(std::string_view),
                                 std::string_view expected) {
  const std::string text = request.query_param(name).value_or("");
  if (text.empty()) return all;
  unsigned set = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto value = value_of(std::string_view(text).substr(at, comma - at));
    if (!value) {
      return core::fail(core::Code::invalid_argument,
                        std::string(name) + " must be " + std::string(expected) +
                            ", or several of them separated by commas.",
                        std::string(name));
    }
    set |= 1U << static_cast<unsigned>(*value);
    at = comma + 1;
  }
  return set;
}

}  // namespace parley::api
