// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/base64.h"

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace parley::core {
namespace {

absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string base64_encode(std::string_view bytes) { return absl::Base64Escape(view(bytes)); }

std::string base64url_encode(std::string_view bytes) {
  return absl::WebSafeBase64Escape(view(bytes));
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  if (absl::Base64Unescape(view(text), &bytes)) return bytes;
  if (absl::WebSafeBase64Unescape(view(text), &bytes)) return bytes;
  return std::nullopt;
}

bool is_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return false;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

}  // namespace parley::core
