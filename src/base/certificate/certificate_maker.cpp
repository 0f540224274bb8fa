// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/certificate_maker.h"

#include <openssl/bn.h>
#include <openssl/x509v3.h>

#include <memory>

#include "base/core/assert.h"
#include "base/core/utf8.h"

namespace parley::certificate {
namespace {

constexpr std::size_t kMaxCommonName = 64;
constexpr int kSerialBits = 159;  // positive, and at most 20 bytes
constexpr long kVersion3 = 2;

bool set_serial(X509* certificate) {
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_new(), &BN_free);
  return number && BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_name(X509* certificate, const std::string& common_name) {
  const std::string name(core::utf8_truncate(common_name, kMaxCommonName));
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

bool set_times(X509* certificate, const Content& content) {
  return ASN1_TIME_set(X509_getm_notBefore(certificate), core::to_unix_s(content.begin)) !=
             nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), core::to_unix_s(content.end)) != nullptr;
}

bool add_extensions(X509* certificate, X509* issuer, const Content& content) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  for (const auto& [nid, value] : content.extensions) {
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()), &X509_EXTENSION_free);
    if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1) return false;
  }
  return true;
}

}  // namespace

Key new_key() {
  Key key(EVP_EC_gen("P-256"));
  PARLEY_ASSERT(key != nullptr, "OpenSSL makes no key on P-256");
  return key;
}

Certificate make_certificate(const Content& content, EVP_PKEY& key, X509* issuer,
                             EVP_PKEY& issuer_key) {
  Certificate out(X509_new());
  PARLEY_ASSERT(out != nullptr, "OpenSSL makes no certificate");
  X509* const signer = issuer != nullptr ? issuer : out.get();
  const bool created = X509_set_version(out.get(), kVersion3) == 1 && set_serial(out.get()) &&
                       set_name(out.get(), content.common_name) && set_times(out.get(), content) &&
                       X509_set_issuer_name(out.get(), X509_get_subject_name(signer)) == 1 &&
                       X509_set_pubkey(out.get(), &key) == 1 &&
                       add_extensions(out.get(), signer, content) &&
                       X509_sign(out.get(), &issuer_key, EVP_sha256()) > 0;
  PARLEY_ASSERT(created, "OpenSSL does not make the certificate of " + content.common_name);
  return out;
}

}  // namespace parley::certificate
