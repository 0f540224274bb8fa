// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/tailnet/tailnet_certificate.h"

#include <openssl/x509.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "base/certificate/certificate_files.h"
#include "base/certificate/server_certificate.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::tailnet {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";

tl::unexpected<Fault> unusable(const std::string& name, std::string why) {
  return fault(
      "The certificate of `tailscale cert` for " + name + " cannot be used.", std::move(why),
      "Look at it with `tailscale cert --cert-file=- " + name +
          " | openssl x509 -noout -text`, and whether the program tailscale in PATH is that "
          "of Tailscale.");
}

// The next block of PEM from `from` on, with its label; moves `from` behind it.
struct Block {
  std::string_view label;
  std::string_view text;
};
std::optional<Block> next_block(std::string_view pem, std::size_t& from) {
  const std::size_t begin = pem.find(kBegin, from);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t label = begin + kBegin.size();
  const std::size_t label_end = pem.find(kDashes, label);
  if (label_end == std::string_view::npos) return std::nullopt;
  const std::size_t end = pem.find(kEnd, label_end);
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t last = pem.find(kDashes, end + kEnd.size());
  if (last == std::string_view::npos) return std::nullopt;
  from = last + kDashes.size();
  return Block{pem.substr(label, label_end - label), pem.substr(begin, from - begin)};
}

std::string bytes_of(const std::string& file) {
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

Found<CertificatePair> read_pair(std::string_view pem, const std::string& name,
                                 core::WallTime now) {
  CertificatePair out;
  std::size_t from = 0;
  while (const auto block = next_block(pem, from)) {
    std::string& kind = block->label.ends_with("PRIVATE KEY") ? out.key : out.chain;
    if (&kind == &out.key && !out.key.empty()) return unusable(name, "It has more than one key.");
    if (&kind == &out.chain && block->label != "CERTIFICATE") continue;
    kind.append(block->text).append("\n");
  }
  if (out.chain.empty()) return unusable(name, "There is no certificate in the answer.");
  if (out.key.empty()) return unusable(name, "There is no private key in the answer.");
  const auto certificate = certificate::certificate_of(out.chain);
  const auto key = certificate::key_of(out.key);
  if (!certificate || !key) return unusable(name, "It is damaged.");
  if (X509_check_private_key(certificate->get(), key->get()) != 1) {
    return unusable(name, "The key does not belong to the certificate.");
  }
  if (!certificate::uncovered(**certificate, {{name}, {}}).empty()) {
    return unusable(name, "It is for another name.");
  }
  out.end = certificate::end_of(**certificate);
  if (out.end <= now) return unusable(name, "It has expired.");
  return out;
}

core::Result<bool> keep_pair(const std::string& data_dir, const CertificatePair& pair) {
  const std::string chain_file = certificate::file_in(data_dir, kTailnetFile);
  const std::string key_file = certificate::file_in(data_dir, kTailnetKeyFile);
  if (bytes_of(chain_file) == pair.chain && bytes_of(key_file) == pair.key) return false;
  // A crash between the two leaves a pair that does not fit; the next start writes both again.
  PARLEY_TRY_VOID(core::write_private_file(key_file, pair.key));
  PARLEY_TRY_VOID(core::write_private_file(chain_file, pair.chain));
  return true;
}

}  // namespace parley::tailnet
