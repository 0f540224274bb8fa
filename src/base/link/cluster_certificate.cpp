// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/cluster_certificate.h"

#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/certificate/certificate_maker.h"
#include "base/certificate/subjects.h"

namespace parley::link {
namespace {

constexpr std::chrono::days kClusterAuthorityLife{3'652};  // ten years
constexpr std::string_view kNodeDomain = ".parley.internal";
constexpr std::string_view kAuthorityName = "Parley cluster ";

bool is_lower_dns_name(std::string_view text) {
  return certificate::dns_name(text) == std::optional<std::string>(text);
}

core::Result<void> check_cluster_id(std::string_view cluster) {
  if (is_cluster_id(cluster)) return {};
  return core::fail(core::Code::invalid_argument,
                    "The id of a cluster must be 1 to 63 lower-case letters, digits and hyphens.",
                    "cluster");
}

core::Result<void> check_node_name(std::string_view node) {
  if (is_node_name(node)) return {};
  return core::fail(core::Code::invalid_argument,
                    "The name of a node must be a DNS name in lower case of at most " +
                        std::to_string(kMaxNodeNameBytes) +
                        " bytes: letters, digits, hyphens and dots.",
                    "node");
}

core::Error broken_authority(const std::string& what) {
  return {core::Code::data_loss, "The authority of the cluster " + what + ".", "cluster"};
}

}  // namespace

bool is_cluster_id(std::string_view text) {
  return text.find('.') == std::string_view::npos && is_lower_dns_name(text);
}

bool is_node_name(std::string_view text) {
  return text.size() <= kMaxNodeNameBytes && is_lower_dns_name(text);
}

std::string node_host(std::string_view cluster, std::string_view node) {
  std::string out(node);
  out.append(".").append(cluster).append(kNodeDomain);
  return out;
}

core::Result<ClusterAuthority> ClusterAuthority::make(std::string_view cluster,
                                                      core::WallTime now) {
  PARLEY_TRY_VOID(check_cluster_id(cluster));
  certificate::Key key = certificate::new_key();
  certificate::Certificate created =
      certificate::make_certificate({std::string(kAuthorityName) + std::string(cluster),
                                     now - certificate::kClockSlack,
                                     now + kClusterAuthorityLife,
                                     {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                      {NID_key_usage, "critical,keyCertSign"},
                                      {NID_subject_key_identifier, "hash"},
                                      {NID_authority_key_identifier, "keyid:always"}}},
                                    *key, nullptr, *key);
  return ClusterAuthority(std::move(key), std::move(created));
}

core::Result<ClusterAuthority> ClusterAuthority::parse(std::string_view pem, core::WallTime now) {
  auto key = certificate::key_of(pem);
  if (!key) return core::fail(broken_authority("has no private key in PEM"));
  auto known = certificate::certificate_of(pem);
  if (!known) return core::fail(broken_authority("has no certificate in PEM"));
  if (X509_check_private_key(known->get(), key->get()) != 1) {
    return core::fail(broken_authority("has a key that does not belong to its certificate"));
  }
  if (X509_check_ca(known->get()) != 1) {
    return core::fail(broken_authority("has a certificate that may not issue others"));
  }
  if (certificate::end_of(**known) <= now) {
    return core::fail(core::Code::failed_precondition, "The authority of the cluster has expired.",
                      "cluster");
  }
  return ClusterAuthority(std::move(*key), std::move(*known));
}

std::string ClusterAuthority::cluster() const {
  std::array<char, 128> text{};
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate_.get()),
                                             NID_commonName, text.data(), text.size());
  const std::string_view name(text.data(), static_cast<std::size_t>(std::max(size, 0)));
  return name.starts_with(kAuthorityName) ? std::string(name.substr(kAuthorityName.size())) : "";
}

std::string ClusterAuthority::pem() const {
  return certificate::pem_of(*certificate_) + certificate::pem_of(*key_);
}

core::Result<NodeCertificate> make_node_certificate(const ClusterAuthority& authority,
                                                    std::string_view cluster, std::string_view node,
                                                    core::WallTime now) {
  PARLEY_TRY_VOID(check_cluster_id(cluster));
  PARLEY_TRY_VOID(check_node_name(node));
  NodeCertificate out{certificate::new_key(), nullptr};
  out.certificate = certificate::make_certificate(
      {std::string(node),
       now - certificate::kClockSlack,
       std::min<core::WallTime>(now + kNodeCertificateLife, authority.end()),
       {{NID_basic_constraints, "critical,CA:FALSE"},
        {NID_key_usage, "critical,digitalSignature"},
        {NID_ext_key_usage, "serverAuth,clientAuth"},
        {NID_subject_key_identifier, "hash"},
        {NID_authority_key_identifier, "keyid:always"},
        {NID_subject_alt_name, "DNS:" + node_host(cluster, node)}}},
      *out.key, &authority.certificate(), authority.key());
  return out;
}

}  // namespace parley::link
