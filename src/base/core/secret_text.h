// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::core {

// Masks each copy of `secret` in a text of another server: some servers repeat a request's secret
// in their error texts. An empty secret masks nothing.
inline std::string without_secret(std::string text, std::string_view secret) {
  constexpr std::string_view kMask = "***";
  if (secret.empty()) return text;
  for (std::size_t at = text.find(secret); at != std::string::npos;
       at = text.find(secret, at + kMask.size())) {
    text.replace(at, secret.size(), kMask);
  }
  return text;
}

}  // namespace parley::core
