// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/form_seal.h"

#include <sodium.h>

#include <span>

#include "base/core/base64.h"
#include "base/core/number_text.h"
#include "identity/oauth/parameters.h"

namespace parley::oauth {
namespace {

static_assert(crypto_auth_KEYBYTES == 32);

tl::unexpected<core::Error> unfit() {
  return core::fail(protocol_error(
      "invalid_request", "This page is too old. Begin again in the program that opened it."));
}

}  // namespace

FormSeal::FormSeal(core::Entropy& entropy) {
  entropy.fill(std::as_writable_bytes(std::span(key_)));
}

std::string FormSeal::mac_of(std::string_view text) const {
  std::array<unsigned char, crypto_auth_BYTES> mac{};
  crypto_auth(mac.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
              key_.data());
  return core::base64url_encode({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

// UNTIL.CONTENT.MAC, with the content in base64.
std::string FormSeal::seal(std::string_view content, core::WallTime now) const {
  const std::string body =
      std::to_string(core::to_unix_ms(now + kFormLife)) + "." + core::base64url_encode(content);
  return body + "." + mac_of(body);
}

core::Result<std::string> FormSeal::open(std::string_view sealed, core::WallTime now) const {
  const std::size_t end = sealed.rfind('.');
  if (end == std::string_view::npos) return unfit();
  const std::string_view body = sealed.substr(0, end);
  const std::string mac = mac_of(body);
  const std::string_view given = sealed.substr(end + 1);
  if (given.size() != mac.size() || sodium_memcmp(given.data(), mac.data(), mac.size()) != 0) {
    return unfit();
  }
  const std::size_t dot = body.find('.');
  const auto until = core::parse_number<std::int64_t>(body.substr(0, dot));
  if (!until || *until < core::to_unix_ms(now)) return unfit();
  auto content = core::base64_decode(body.substr(dot + 1));
  if (!content) return unfit();
  return *std::move(content);
}

}  // namespace parley::oauth
