// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::notify {

struct PkeyDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using PkeyHandle = std::unique_ptr<EVP_PKEY, PkeyDeleter>;

// A key pair on the curve P-256, with the operations that Web Push needs. Thread-safe after its
// making.
class EllipticKey {
 public:
  static EllipticKey generate();
  // From the 32 raw bytes of the private key and the 65 of the public one. Errors:
  // `invalid_argument`.
  static core::Result<EllipticKey> from_raw(std::string_view secret, std::string_view point);
  // From PEM (PKCS #8). Errors: `data_loss`.
  static core::Result<EllipticKey> from_pem(const std::string& pem);

  std::string pem() const;           // with the private key
  std::string public_bytes() const;  // 65 bytes, uncompressed
  // The shared secret of ECDH with another public key: 32 bytes. Errors: `invalid_argument` (no
  // point of the curve).
  core::Result<std::string> agree(std::string_view point) const;
  // ECDSA over SHA-256, in the form of JOSE: 64 bytes.
  std::string sign(std::string_view text) const;

 private:
  explicit EllipticKey(PkeyHandle key) : key_(std::move(key)) {}
  PkeyHandle key_;
};

}  // namespace parley::notify
