// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"

// Keys and certificates in files, in PEM.
namespace parley::certificate {

struct OpenSslDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* memory) const { BIO_free_all(memory); }
};
using Key = std::unique_ptr<EVP_PKEY, OpenSslDeleter>;
using Certificate = std::unique_ptr<X509, OpenSslDeleter>;

// "DATA/name".
std::string file_in(const std::string& data_dir, std::string_view name);

// Read the first key or certificate of a file. Errors name the file: `not_found` (no such file),
// `data_loss` (cannot be read, too large, not PEM).
core::Result<Key> read_key(const std::string& file);
core::Result<Certificate> read_certificate(const std::string& file);

// The first key or certificate of a text in PEM; std::nullopt: there is none.
std::optional<Key> key_of(std::string_view pem);
std::optional<Certificate> certificate_of(std::string_view pem);

std::string pem_of(const EVP_PKEY& key);  // PKCS #8, not encrypted
std::string pem_of(const X509& certificate);
std::string der_of(const X509& certificate);

core::WallTime begin_of(const X509& certificate);
core::WallTime end_of(const X509& certificate);

// The end of the first certificate of a file. Errors: those of read_certificate().
core::Result<core::WallTime> end_of_file(const std::string& file);

}  // namespace parley::certificate
