// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/server_certificate.h"

#include <openssl/x509v3.h>

#include <algorithm>

#include "base/certificate/certificate_maker.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::certificate {
namespace {

constexpr std::chrono::days kServerLife{397};

bool is_issued_by(X509& certificate, const Authority& authority) {
  return X509_check_issued(&authority.certificate(), &certificate) == X509_V_OK &&
         X509_verify(&certificate, &authority.key()) == 1;
}

// The reason for making the certificate again; empty: none.
std::string fault_of(const std::string& data_dir, const Authority& authority,
                     const Subjects& subjects, core::WallTime now) {
  const auto certificate = read_certificate(file_in(data_dir, kServerFile));
  const auto key = read_key(file_in(data_dir, kServerKeyFile));
  for (const core::Error* error :
       {certificate ? nullptr : &certificate.error(), key ? nullptr : &key.error()}) {
    if (error == nullptr) continue;
    return error->code == core::Code::not_found ? "there was none" : error->message;
  }
  if (X509_check_private_key(certificate->get(), key->get()) != 1) {
    return "server.key does not belong to server.pem";
  }
  if (!is_issued_by(**certificate, authority)) return "the authority is another one";
  // A certificate that ends with its authority cannot be made to last longer.
  const core::WallTime end = end_of(**certificate);
  if (end < now + kRenewBefore && end < authority.end()) return "the old one expires";
  if (begin_of(**certificate) > now) return "the old one is not valid yet";
  const std::vector<std::string> lacks = uncovered(**certificate, subjects);
  return lacks.empty() ? std::string() : "the old one does not cover " + lacks.front();
}

std::string alternative_names(const Subjects& subjects) {
  std::string out;
  const auto add = [&out](std::string_view kind, const std::string& value) {
    if (!out.empty()) out += ",";
    out.append(kind).append(value);
  };
  for (const std::string& name : subjects.names) add("DNS:", name);
  for (const std::string& address : subjects.addresses) add("IP:", address);
  return out;
}

}  // namespace

std::vector<std::string> uncovered(const X509& certificate, const Subjects& subjects) {
  // The checks of OpenSSL cache parsed extensions in the certificate and change nothing else.
  auto* const checked = const_cast<X509*>(&certificate);
  std::vector<std::string> out;
  for (const std::string& name : subjects.names) {
    if (X509_check_host(checked, name.data(), name.size(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT,
                        nullptr) != 1) {
      out.push_back(name);
    }
  }
  for (const std::string& address : subjects.addresses) {
    if (X509_check_ip_asc(checked, address.c_str(), 0) != 1) out.push_back(address);
  }
  return out;
}

core::Result<std::string> renew_server_certificate(const std::string& data_dir,
                                                   const Authority& authority,
                                                   const Subjects& subjects, core::WallTime now) {
  std::string why = fault_of(data_dir, authority, subjects, now);
  if (why.empty()) return why;
  const Key key = new_key();
  const core::WallTime begin = now - kClockSlack;
  const Certificate created =
      make_certificate({"Parley server",
                        begin,
                        std::min(begin + kServerLife, authority.end()),
                        {{NID_basic_constraints, "critical,CA:FALSE"},
                         {NID_key_usage, "critical,digitalSignature"},
                         {NID_ext_key_usage, "serverAuth"},
                         {NID_subject_key_identifier, "hash"},
                         {NID_authority_key_identifier, "keyid:always"},
                         {NID_subject_alt_name, alternative_names(subjects)}}},
                       *key, &authority.certificate(), authority.key());
  // A crash between the two leaves a pair that does not fit, which the next check replaces.
  PARLEY_TRY_VOID(core::write_private_file(file_in(data_dir, kServerKeyFile), pem_of(*key)));
  PARLEY_TRY_VOID(core::write_private_file(file_in(data_dir, kServerFile),
                                           pem_of(*created) + pem_of(authority.certificate())));
  return why;
}

}  // namespace parley::certificate
