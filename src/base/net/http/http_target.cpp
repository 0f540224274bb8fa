// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http_target.h"

#include <algorithm>
#include <vector>

#include "base/core/percent.h"
#include "base/core/utf8.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

std::string normalise(std::string_view path) {
  std::vector<std::string_view> parts;
  bool slash_at_end = false;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t next = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, next - at);
    const bool dots = part == "." || part == "..";
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && !dots) parts.push_back(part);
    slash_at_end = part.empty() || dots || next < path.size();
    at = next + 1;
  }
  std::string out;
  out.reserve(path.size());
  for (const std::string_view part : parts) out.append("/").append(part);
  if (out.empty() || slash_at_end) out.push_back('/');
  return out;
}

}  // namespace

std::optional<HttpTarget> parse_target(std::string_view target) {
  HttpTarget out;
  if (target == "*") {
    out.path = "*";
    return out;
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    out.authority = target.substr(0, end);
    if (out.authority.empty()) return std::nullopt;
    target.remove_prefix(end);
    if (target.empty()) target = "/";
    break;
  }
  const bool rootless = !out.authority.empty() && target.front() == '?';
  if (target.empty() || (target.front() != '/' && !rootless)) return std::nullopt;
  if (target.find('#') != std::string_view::npos) return std::nullopt;
  const std::size_t mark = std::min(target.find('?'), target.size());
  if (mark < target.size()) out.query = target.substr(mark + 1);
  const auto decoded = core::percent_decoded(target.substr(0, mark));
  if (!decoded || !core::is_utf8(*decoded)) return std::nullopt;
  if (std::any_of(decoded->begin(), decoded->end(), is_control)) return std::nullopt;
  out.path = normalise(*decoded);
  return out;
}

}  // namespace parley::net
