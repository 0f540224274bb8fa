// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/push_message.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <memory>

#include "base/core/assert.h"
#include "base/core/base64.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/secret.h"
#include "base/core/utf8.h"

namespace parley::notify {
namespace {

constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kTopicCharacters = 32;
constexpr std::size_t kCutStep = 64;
constexpr std::string_view kRecordSize("\0\0\x10\0", 4);  // 4,096

const unsigned char* bytes_of_text(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const auto* created = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                             bytes_of_text(text), text.size(), digest.data(), &size);
  PARLEY_ASSERT(created != nullptr, "OpenSSL has no HMAC-SHA256");
  return {reinterpret_cast<const char*>(digest.data()), size};
}

// HKDF (RFC 5869) for at most 32 bytes.
std::string hkdf(std::string_view salt, std::string_view secret, std::string info,
                 std::size_t bytes) {
  info.push_back('\x01');
  return hmac(hmac(salt, secret), info).substr(0, bytes);
}

struct CipherDeleter {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

std::string seal(std::string_view text, std::string_view key, std::string_view nonce) {
  const std::unique_ptr<EVP_CIPHER_CTX, CipherDeleter> context(EVP_CIPHER_CTX_new());
  std::string out(text.size() + kTagBytes, '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  int size = 0;
  int rest = 0;
  const bool sealed = context != nullptr &&
                      EVP_EncryptInit_ex(context.get(), EVP_aes_128_gcm(), nullptr,
                                         bytes_of_text(key), bytes_of_text(nonce)) == 1 &&
                      EVP_EncryptUpdate(context.get(), to, &size, bytes_of_text(text),
                                        static_cast<int>(text.size())) == 1 &&
                      EVP_EncryptFinal_ex(context.get(), to + size, &rest) == 1 &&
                      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG,
                                          static_cast<int>(kTagBytes), to + text.size()) == 1;
  PARLEY_ASSERT(sealed, "OpenSSL has no AES-128-GCM");
  return out;
}

std::string payload_with(const Notice& notice, std::string_view body,
                         const std::vector<NoticeOption>& options) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("v").number(1).key("kind").string(notice_kind_name(notice.kind));
    json.key("key").string(notice.key).key("title").string(notice.title);
    json.key("body").string(body);
    json.key("options").objects(options, [](core::JsonWriter& to, const NoticeOption& option) {
      to.key("label").string(option.label).key("url").string(option.path);
      to.key("safe").boolean(option.safe);
    });
    json.key("url").string(notice.page_path);
  });
}

}  // namespace

core::Result<std::string> encrypt_push(std::string_view text, std::string_view receiver,
                                       std::string_view auth, const EllipticKey& sender,
                                       std::string_view salt) {
  PARLEY_ASSERT(salt.size() == kKeyBytes, "the salt of a push message has 16 bytes");
  PARLEY_TRY(const std::string shared, sender.agree(receiver));
  const std::string own = sender.public_bytes();
  const std::string info = std::string("WebPush: info") + '\0' + std::string(receiver) + own;
  const std::string secret = hkdf(auth, shared, info, 32);
  const std::string key =
      hkdf(salt, secret, std::string("Content-Encoding: aes128gcm") + '\0', kKeyBytes);
  const std::string nonce =
      hkdf(salt, secret, std::string("Content-Encoding: nonce") + '\0', kNonceBytes);
  std::string out(salt);
  out += kRecordSize;
  out.push_back(static_cast<char>(own.size()));
  out += own;
  // The delimiter of the last record.
  return out + seal(std::string(text) + '\x02', key, nonce);
}

std::string vapid_authorization(const EllipticKey& key, std::string_view audience,
                                std::string_view contact, core::WallTime expires) {
  const std::string head = core::base64url_encode(R"({"typ":"JWT","alg":"ES256"})");
  const std::string claims = core::json_object([&](core::JsonWriter& json) {
    json.key("aud").string(audience).key("exp").number(core::to_unix_s(expires));
    json.key("sub").string(contact);
  });
  const std::string text = head + "." + core::base64url_encode(claims);
  return "vapid t=" + text + "." + core::base64url_encode(key.sign(text)) +
         ", k=" + core::base64url_encode(key.public_bytes());
}

std::string push_payload(const Notice& notice) {
  std::vector<NoticeOption> options = notice.options;
  std::string_view body = notice.body;
  std::string out = payload_with(notice, body, options);
  // Before the body is cut: a person may not allow what is not shown.
  for (std::size_t i = options.size(); out.size() > kMaxPushBytes && i > 0; --i) {
    if (options[i - 1].safe) continue;
    options.erase(options.begin() + static_cast<std::ptrdiff_t>(i - 1));
    out = payload_with(notice, body, options);
  }
  while (out.size() > kMaxPushBytes && !body.empty()) {
    const std::size_t over = out.size() - kMaxPushBytes;
    // Each byte of the body takes at least one of the payload; escapes take more.
    const std::size_t less = std::max<std::size_t>(over / 6, kCutStep);
    body = core::utf8_truncate(body, body.size() > less ? body.size() - less : 0);
    out = payload_with(notice, body, options);
  }
  while (out.size() > kMaxPushBytes && !options.empty()) {
    options.pop_back();
    out = payload_with(notice, body, options);
  }
  return out;
}

std::string closed_payload(std::string_view key) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("v").number(1).key("kind").string("closed").key("key").string(key);
    json.key("title").string("").key("body").string("");
    json.key("options").begin_array().end_array().key("url").string("/#/inbox");
  });
}

std::string push_topic(std::string_view interaction) {
  return core::base64url_encode(core::secret_hash(interaction)).substr(0, kTopicCharacters);
}

}  // namespace parley::notify
