// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/search/search_query.h"

#include "base/core/number_text.h"
#include "base/core/time_text.h"

namespace parley::api {
namespace {

// Limit (/v1): `q` of a search. Reached: `invalid_argument`.
constexpr std::size_t kMaxQueryBytes = 1'024;

}  // namespace

core::Error no_search() { return {core::Code::not_found, "This server has no search index.", {}}; }

core::Result<std::string> query_text(const net::Request& request, std::string_view name) {
  std::string text = request.query_param(name).value_or("");
  if (text.size() > kMaxQueryBytes) {
    return core::fail(
        core::Code::invalid_argument,
        std::string(name) + " must be at most " + std::to_string(kMaxQueryBytes) + " bytes.",
        std::string(name));
  }
  return text;
}

core::Result<std::optional<core::WallTime>> query_time(const net::Request& request,
                                                       std::string_view name) {
  const std::optional<std::string> text = request.query_param(name);
  if (!text || text->empty()) return std::optional<core::WallTime>();
  std::optional<core::WallTime> at = core::parse_time_ms(*text);
  if (!at) at = core::parse_time(*text);
  if (at) return at;
  return core::fail(core::Code::invalid_argument,
                    std::string(name) + " must be a time such as 2026-11-25T08:00:00Z.",
                    std::string(name));
}

core::Result<std::optional<search::Place>> query_place(const net::Request& request) {
  const std::string text = request.query_param("before").value_or("");
  if (text.empty()) return std::optional<search::Place>();
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto at = core::parse_number<std::int64_t>(std::string_view(text).substr(0, dash));
  const auto id = core::parse_number<std::int64_t>(
      std::string_view(text).substr(std::min(dash + 1, text.size())));
  if (!at || !id) {
    return core::fail(core::Code::invalid_argument, "before must be the \"next\" of an answer.",
                      "before");
  }
  return std::optional(search::Place{core::from_unix_ms(*at), *id});
}

std::string place_text(const search::Entry& last) {
  return std::to_string(core::to_unix_ms(last.at)) + "-" + std::to_string(last.id);
}

}  // namespace parley::api
