// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/certificate_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>

#include "base/core/assert.h"
#include "base/core/result.h"

namespace parley::certificate {
namespace {

using Memory = std::unique_ptr<BIO, OpenSslDeleter>;

constexpr std::streamsize kMaxFileBytes = 256 << 10;

core::Result<std::string> read_text(const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    const int error = errno;
    return core::fail(error == ENOENT ? core::Code::not_found : core::Code::data_loss,
                      file + ": " + std::strerror(error) + ".");
  }
  std::string text(static_cast<std::size_t>(kMaxFileBytes) + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || in.gcount() > kMaxFileBytes) {
    return core::fail(core::Code::data_loss, file + ": the file cannot be read, or is too large.");
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

// Refuses to ask for the password of an encrypted key at the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writes*/, void* /*argument*/) { return -1; }

template <typename Write>
std::string written(const BIO_METHOD* method, const char* what, const Write& write) {
  const Memory memory(BIO_new(method));
  const int done = memory ? write(memory.get()) : 0;
  PARLEY_ASSERT(done == 1, std::string("OpenSSL does not write ") + what);
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

core::WallTime time_of(const ASN1_TIME* time) {
  std::tm parts{};
  const bool read = ASN1_TIME_to_tm(time, &parts) == 1;
  return core::from_unix_ms(read ? static_cast<std::int64_t>(::timegm(&parts)) * 1000 : 0);
}

}  // namespace

std::string file_in(const std::string& data_dir, std::string_view name) {
  return data_dir + "/" + std::string(name);
}

std::optional<Key> key_of(std::string_view pem) {
  const Memory memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (!key) return std::nullopt;
  return key;
}

std::optional<Certificate> certificate_of(std::string_view pem) {
  const Memory memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificate certificate(PEM_read_bio_X509(memory.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (!certificate) return std::nullopt;
  return certificate;
}

core::Result<Key> read_key(const std::string& file) {
  PARLEY_TRY(const std::string text, read_text(file));
  auto key = key_of(text);
  if (!key) return core::fail(core::Code::data_loss, file + ": no private key in PEM.");
  return std::move(*key);
}

core::Result<Certificate> read_certificate(const std::string& file) {
  PARLEY_TRY(const std::string text, read_text(file));
  auto certificate = certificate_of(text);
  if (!certificate) return core::fail(core::Code::data_loss, file + ": no certificate in PEM.");
  return std::move(*certificate);
}

std::string pem_of(const EVP_PKEY& key) {
  return written(BIO_s_secmem(), "a private key", [&key](BIO* out) {
    return PEM_write_bio_PKCS8PrivateKey(out, &key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

std::string pem_of(const X509& certificate) {
  return written(BIO_s_mem(), "a certificate",
                 [&certificate](BIO* out) { return PEM_write_bio_X509(out, &certificate); });
}

std::string der_of(const X509& certificate) {
  return written(BIO_s_mem(), "a certificate",
                 [&certificate](BIO* out) { return i2d_X509_bio(out, &certificate); });
}

core::WallTime begin_of(const X509& certificate) {
  return time_of(X509_get0_notBefore(&certificate));
}

core::WallTime end_of(const X509& certificate) { return time_of(X509_get0_notAfter(&certificate)); }

core::Result<core::WallTime> end_of_file(const std::string& file) {
  PARLEY_TRY(const Certificate certificate, read_certificate(file));
  return end_of(*certificate);
}

}  // namespace parley::certificate
