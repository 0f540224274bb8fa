// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "core/base64.h"

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace parley::core {
namespace {

absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string base64_encode(std::string_view bytes) { return absl::Base64Escape(view(bytes)); }

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  if (absl::Base64Unescape(view(text), &bytes)) return bytes;
  if (absl::WebSafeBase64Unescape(view(text), &bytes)) return bytes;
  return std::nullopt;
}

}  // namespace parley::core
