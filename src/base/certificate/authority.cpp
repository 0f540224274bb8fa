// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/authority.h"

#include <openssl/x509v3.h>

#include <array>
#include <chrono>
#include <utility>

#include "base/certificate/certificate_maker.h"
#include "base/core/assert.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::certificate {
namespace {

using Days = std::chrono::days;

constexpr Days kAuthorityLife{3'652};  // ten years
constexpr std::string_view kAdvice =
    " Restore it from a backup, or move authority.pem and authority.key away: the next start then "
    "makes another authority, which every device must trust anew.";

core::Error broken(const std::string& what) {
  return {core::Code::data_loss, what + std::string(kAdvice), "tls"};
}

Certificate certificate_for(EVP_PKEY& key, const std::string& host, core::WallTime now) {
  return make_certificate({"Parley authority of " + host,
                           now - kClockSlack,
                           now + kAuthorityLife,
                           {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                            {NID_key_usage, "critical,keyCertSign"},
                            {NID_subject_key_identifier, "hash"},
                            {NID_authority_key_identifier, "keyid:always"}}},
                          key, nullptr, key);
}

// The key of the file, or a new one that is written to it.
core::Result<Key> key_in(const std::string& file) {
  auto read = read_key(file);
  if (read) return read;
  if (read.error().code != core::Code::not_found) return core::fail(broken(read.error().message));
  Key created = new_key();
  PARLEY_TRY_VOID(core::write_private_file(file, pem_of(*created)));
  return created;
}

}  // namespace

core::Result<Authority> Authority::open(const std::string& data_dir, const std::string& host,
                                        core::WallTime now) {
  auto known = read(data_dir, now);
  if (known || known.error().code != core::Code::not_found) return known;
  PARLEY_TRY(Key key, key_in(file_in(data_dir, kAuthorityKeyFile)));
  Certificate created = certificate_for(*key, host, now);
  PARLEY_TRY_VOID(core::write_private_file(file_in(data_dir, kAuthorityFile), pem_of(*created)));
  return Authority(std::move(key), std::move(created));
}

core::Result<Authority> Authority::read(const std::string& data_dir, core::WallTime now) {
  const std::string file = file_in(data_dir, kAuthorityFile);
  const std::string key_file = file_in(data_dir, kAuthorityKeyFile);
  auto certificate = read_certificate(file);
  if (!certificate) {
    if (certificate.error().code == core::Code::not_found) return core::fail(certificate.error());
    return core::fail(broken(certificate.error().message));
  }
  auto key = read_key(key_file);
  if (!key) return core::fail(broken(key.error().message));
  if (X509_check_private_key(certificate->get(), key->get()) != 1) {
    return core::fail(broken(key_file + ": the key does not belong to authority.pem."));
  }
  if (X509_check_ca(certificate->get()) != 1) {
    return core::fail(broken(file + ": not the certificate of an authority."));
  }
  if (end_of(**certificate) <= now) {
    return core::fail(core::Code::failed_precondition,
                      file + ": the authority has expired." + std::string(kAdvice), "tls");
  }
  return Authority(std::move(*key), std::move(*certificate));
}

std::string Authority::fingerprint() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const int created = X509_digest(certificate_.get(), EVP_sha256(), digest.data(), &size);
  PARLEY_ASSERT(created == 1, "OpenSSL makes no digest of a certificate");
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    if (i > 0) out.push_back(':');
    out.push_back(kDigits[digest.at(i) >> 4U]);
    out.push_back(kDigits[digest.at(i) & 15U]);
  }
  return out;
}

}  // namespace parley::certificate
