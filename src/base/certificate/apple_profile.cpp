// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/apple_profile.h"

#include <openssl/evp.h>

#include <array>
#include <string_view>

#include "base/core/assert.h"
#include "base/core/base64.h"
#include "base/core/hex.h"

namespace parley::certificate {
namespace {

// A UUID of version 8 (RFC 9562), made from a fingerprint and the name of its use.
std::string stable_uuid(std::string_view use, std::string_view fingerprint) {
  const std::string text = std::string(use) + " " + std::string(fingerprint);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  const int created =
      EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  PARLEY_ASSERT(created == 1, "OpenSSL makes no SHA-256");
  digest[6] = static_cast<unsigned char>((digest[6] & 0x0fU) | 0x80U);
  digest[8] = static_cast<unsigned char>((digest[8] & 0x3fU) | 0x80U);
  constexpr std::size_t kUuidBytes = 16;
  std::string out = core::hex_of_digest(digest, kUuidBytes);
  for (const std::size_t at : {8U, 13U, 18U, 23U}) out.insert(at, "-");
  for (char& c : out) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string text_entry(std::string_view key, std::string_view value) {
  return "<key>" + std::string(key) + "</key><string>" + std::string(value) + "</string>\n";
}

// The entries that the profile and its payload both have.
std::string identity(std::string_view type, std::string_view name, const std::string& uuid) {
  return text_entry("PayloadType", type) + text_entry("PayloadDisplayName", name) +
         text_entry("PayloadIdentifier", "parley.authority." + uuid) +
         text_entry("PayloadUUID", uuid) + "<key>PayloadVersion</key><integer>1</integer>\n";
}

}  // namespace

// The host name has only characters of DNS names, so nothing is escaped.
std::string apple_profile(const TlsFacts& facts) {
  PARLEY_ASSERT(facts.mode == TlsMode::automatic, "a profile is made without an authority");
  const std::string name = "Parley authority of " + facts.host;
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
         "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
         "<plist version=\"1.0\">\n<dict>\n" +
         identity("Configuration", name, stable_uuid("profile", facts.fingerprint)) +
         text_entry("PayloadDescription",
                    "Lets this device trust the Parley server on " + facts.host + ".") +
         "<key>PayloadContent</key>\n<array>\n<dict>\n" +
         identity("com.apple.security.root", name, stable_uuid("root", facts.fingerprint)) +
         text_entry("PayloadCertificateFileName", "parley-authority.crt") +
         "<key>PayloadContent</key><data>" + core::base64_encode(facts.authority_der) +
         "</data>\n</dict>\n</array>\n</dict>\n</plist>\n";
}

}  // namespace parley::certificate
