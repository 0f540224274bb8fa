// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/parameters.h"

#include <algorithm>

#include "base/core/percent.h"
#include "base/core/utf8.h"

namespace parley::oauth {
namespace {

tl::unexpected<core::Error> unreadable(std::string message) {
  return core::fail(protocol_error("invalid_request", std::move(message)));
}

}  // namespace

core::Error protocol_error(std::string_view code, std::string message) {
  return {core::Code::invalid_argument, std::move(message), std::string(code)};
}

core::Result<Parameters> Parameters::parse(std::string_view text) {
  Parameters out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = core::percent_decoded(pair.substr(0, equals), core::Plus::space);
    auto value =
        core::percent_decoded(pair.substr(std::min(equals + 1, pair.size())), core::Plus::space);
    if (!name || !value || !core::is_utf8(*name) || !core::is_utf8(*value)) {
      return unreadable("A parameter cannot be read.");
    }
    const bool repeated = std::any_of(out.values_.begin(), out.values_.end(),
                                      [&](const auto& known) { return known.first == *name; });
    if (repeated) return unreadable("A parameter is repeated.");
    if (out.values_.size() == kMaxParameters) return unreadable("There are too many parameters.");
    out.values_.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

std::string_view Parameters::get(std::string_view name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return value;
  }
  return {};
}

void append_parameter(std::string& url, std::string_view name, std::string_view value) {
  url.push_back(url.find('?') == std::string::npos ? '?' : '&');
  url += name;
  url.push_back('=');
  url += core::percent_encoded(value);
}

}  // namespace parley::oauth
