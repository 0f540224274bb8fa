// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/resource_name.h"

#include <algorithm>
#include <charconv>

#include "base/core/assert.h"
#include "base/core/percent.h"

namespace parley::mcp {
namespace {

constexpr std::string_view kScheme = "parley://";

// A number from 1 without leading zeros: each attachment has one URI.
std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || text.starts_with('0')) return std::nullopt;
  if (number > kMaxAttachmentNumber) return std::nullopt;
  return number;
}

}  // namespace

const ResourceTemplate& template_of(ResourceKind kind) {
  const auto* found =
      std::find_if(kResourceTemplates.begin(), kResourceTemplates.end(),
                   [kind](const ResourceTemplate& each) { return each.kind == kind; });
  PARLEY_ASSERT(found != kResourceTemplates.end(), "a kind of resource has no template");
  return *found;
}

std::string uri_of(const ResourceName& name) {
  std::string uri(kScheme);
  uri.append(template_of(name.kind).name).append("/").append(core::percent_encoded(name.id));
  if (name.kind == ResourceKind::attachment) uri.append("/").append(std::to_string(name.number));
  return uri;
}

std::optional<ResourceName> resource_named(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  const std::size_t slash = uri.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view word = uri.substr(0, slash);
  const auto* found =
      std::find_if(kResourceTemplates.begin(), kResourceTemplates.end(),
                   [word](const ResourceTemplate& each) { return each.name == word; });
  if (found == kResourceTemplates.end()) return std::nullopt;
  std::string_view rest = uri.substr(slash + 1);
  ResourceName name;
  name.kind = found->kind;
  if (name.kind == ResourceKind::attachment) {
    const std::size_t last = rest.find('/');
    if (last == std::string_view::npos) return std::nullopt;
    const auto number = number_in(rest.substr(last + 1));
    if (!number) return std::nullopt;
    name.number = *number;
    rest = rest.substr(0, last);
  }
  if (rest.find_first_of("/?#") != std::string_view::npos) return std::nullopt;
  auto id = core::percent_decoded(rest);
  if (!id || id->empty() || id->size() > kMaxResourceIdBytes) return std::nullopt;
  name.id = *std::move(id);
  return name;
}

}  // namespace parley::mcp
