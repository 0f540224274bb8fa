// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/session_folder.h"

#include <openssl/evp.h>

#include <array>

#include "base/core/hex.h"
#include "base/core/id.h"

namespace parley::tool {
namespace {

constexpr std::size_t kFingerprintBytes = 8;

std::string fingerprint(std::string_view owner, std::string_view session_id) {
  // The length distinguishes "a"+"bc" from "ab"+"c".
  std::string text = std::to_string(owner.size()) + ":";
  text.append(owner).append(session_id);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return core::hex_of_digest(digest, kFingerprintBytes);
}

}  // namespace

std::string session_file_name(std::string_view owner, std::string_view session_id) {
  const std::string mark = fingerprint(owner, session_id);
  if (!core::is_safe_id(session_id)) return "session-" + mark;
  return std::string(session_id) + "-" + mark;
}

std::string session_folder(std::string_view data_folder, std::string_view kind,
                           std::string_view owner, std::string_view session_id) {
  std::string out(data_folder);
  out.append("/").append(kind).append("/").append(session_file_name(owner, session_id));
  return out;
}

}  // namespace parley::tool
