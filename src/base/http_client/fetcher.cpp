// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/fetcher.h"

namespace parley::http_client {

std::optional<std::string> FetchHead::header(std::string_view name) const {
  for (const auto& [own_name, value] : headers) {
    if (own_name == name) return value;
  }
  return std::nullopt;
}

}  // namespace parley::http_client
