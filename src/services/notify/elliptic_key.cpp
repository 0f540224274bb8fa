// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/elliptic_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <array>
#include <utility>

#include "base/core/assert.h"

namespace parley::notify {
namespace {

constexpr const char* kCurve = "P-256";
constexpr std::size_t kPointBytes = 65;
constexpr int kScalarBytes = 32;

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_clear_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Free<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Free<OSSL_PARAM_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Signature = std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>>;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// A key of its parts; null if they are no key of the curve. An empty secret: a public key.
PkeyHandle key_of(std::string_view secret, std::string_view point) {
  if (point.size() != kPointBytes) return nullptr;
  const Builder builder(OSSL_PARAM_BLD_new());
  Number scalar;
  bool ok =
      builder != nullptr &&
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, kCurve, 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) == 1;
  if (ok && !secret.empty()) {
    scalar.reset(BN_bin2bn(raw(secret), static_cast<int>(secret.size()), nullptr));
    ok = scalar != nullptr &&
         OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, scalar.get()) == 1;
  }
  if (!ok) return nullptr;
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  const int selection = secret.empty() ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, selection, params.get()) != 1) {
    return nullptr;
  }
  PkeyHandle created(key);
  const PkeyContext check(EVP_PKEY_CTX_new_from_pkey(nullptr, created.get(), nullptr));
  if (!check || EVP_PKEY_public_check(check.get()) != 1) return nullptr;
  return created;
}

}  // namespace

EllipticKey EllipticKey::generate() {
  PkeyHandle key(EVP_EC_gen(kCurve));
  PARLEY_ASSERT(key != nullptr, "OpenSSL makes no key on P-256");
  return EllipticKey(std::move(key));
}

core::Result<EllipticKey> EllipticKey::from_raw(std::string_view secret, std::string_view point) {
  PkeyHandle key = secret.empty() ? nullptr : key_of(secret, point);
  if (key == nullptr) return core::fail(core::Code::invalid_argument, "This is no key of P-256.");
  return EllipticKey(std::move(key));
}

core::Result<EllipticKey> EllipticKey::from_pem(const std::string& pem) {
  const Memory memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  PkeyHandle key(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr));
  std::array<char, 80> curve{};
  const bool fits = key != nullptr &&
                    EVP_PKEY_get_group_name(key.get(), curve.data(), curve.size(), nullptr) == 1 &&
                    std::string_view(curve.data()) == "prime256v1";
  if (!fits) {
    return core::fail(core::Code::data_loss, "The file has no private key on the curve P-256.");
  }
  return EllipticKey(std::move(key));
}

std::string EllipticKey::pem() const {
  const Memory memory(BIO_new(BIO_s_secmem()));
  const int written = PEM_write_bio_PKCS8PrivateKey(memory.get(), key_.get(), nullptr, nullptr, 0,
                                                    nullptr, nullptr);
  PARLEY_ASSERT(written == 1, "OpenSSL writes no private key");
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string EllipticKey::public_bytes() const {
  std::string point(kPointBytes, '\0');
  std::size_t size = 0;
  const int got = EVP_PKEY_get_octet_string_param(key_.get(), OSSL_PKEY_PARAM_PUB_KEY,
                                                  reinterpret_cast<unsigned char*>(point.data()),
                                                  point.size(), &size);
  PARLEY_ASSERT(got == 1 && size == kPointBytes, "OpenSSL gives no uncompressed public key");
  return point;
}

core::Result<std::string> EllipticKey::agree(std::string_view point) const {
  const PkeyHandle other = key_of({}, point);
  if (other == nullptr) {
    return core::fail(core::Code::invalid_argument, "The public key is no point of P-256.");
  }
  const PkeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, key_.get(), nullptr));
  std::string shared(kScalarBytes, '\0');
  std::size_t size = shared.size();
  if (!context || EVP_PKEY_derive_init(context.get()) != 1 ||
      EVP_PKEY_derive_set_peer(context.get(), other.get()) != 1 ||
      EVP_PKEY_derive(context.get(), reinterpret_cast<unsigned char*>(shared.data()), &size) != 1 ||
      size != shared.size()) {
    return core::fail(core::Code::invalid_argument,
                      "No secret can be shared with this public key.");
  }
  return shared;
}

std::string EllipticKey::sign(std::string_view text) const {
  const DigestContext context(EVP_MD_CTX_new());
  std::array<unsigned char, 128> der{};
  std::size_t size = der.size();
  const bool created =
      context != nullptr &&
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
      EVP_DigestSign(context.get(), der.data(), &size, raw(text), text.size()) == 1;
  PARLEY_ASSERT(created, "OpenSSL makes no ECDSA signature");
  const unsigned char* at = der.data();
  const Signature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)));
  PARLEY_ASSERT(signature != nullptr, "OpenSSL makes a signature that it cannot read");
  std::string out(std::size_t{2} * kScalarBytes, '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), to, kScalarBytes);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), to + kScalarBytes, kScalarBytes);
  return out;
}

}  // namespace parley::notify
