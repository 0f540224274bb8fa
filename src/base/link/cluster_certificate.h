// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/certificate/certificate_files.h"
#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::link {

// Limit (Cluster): name of a node. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxNodeNameBytes = 63;

// Life of a node's certificate. Its key is only in memory and made at each start, so the life
// bounds what a copy of a node's memory is good for. A node that runs longer renews it
// (LinkTls::renew); 400 days leave a node that is restarted once a year a month to spare.
inline constexpr std::chrono::days kNodeCertificateLife{400};

// One DNS label in lower case: letters, digits and hyphens, at most 63 bytes. A UUID is one.
bool is_cluster_id(std::string_view text);
// A DNS name in lower case of at most kMaxNodeNameBytes, such as a host name; no numeric address.
bool is_node_name(std::string_view text);

// The DNS name that a node's certificate has: NODE.CLUSTER.parley.internal. It names the node, not
// the computer: it is never resolved. Both arguments are valid.
std::string node_host(std::string_view cluster, std::string_view node);

// The certificate authority of a cluster: whoever has its key is able to become a node. Immutable.
class ClusterAuthority {
 public:
  // Makes a key and a certificate of ten years. Errors: `invalid_argument` (no cluster id).
  static core::Result<ClusterAuthority> make(std::string_view cluster, core::WallTime now);
  // Reads the text of pem(). Errors: `data_loss` (no key, no certificate of an authority, or not a
  // pair), `failed_precondition` (expired). No message contains a part of the text.
  static core::Result<ClusterAuthority> parse(std::string_view pem, core::WallTime now);

  // The id of the cluster, as the certificate names it; empty: it is another certificate.
  std::string cluster() const;
  // The certificate and the key. A secret: with it anyone becomes a node of the cluster.
  std::string pem() const;
  X509& certificate() const { return *certificate_; }
  EVP_PKEY& key() const { return *key_; }
  core::WallTime end() const { return certificate::end_of(*certificate_); }

 private:
  ClusterAuthority(certificate::Key key, certificate::Certificate certificate)
      : key_(std::move(key)), certificate_(std::move(certificate)) {}

  certificate::Key key_;
  certificate::Certificate certificate_;
};

// The key of a node and the certificate for it.
struct NodeCertificate {
  certificate::Key key;
  certificate::Certificate certificate;
};

// Makes a new key and a certificate for it, which names node_host(cluster, node) and is valid for
// both sides of TLS, from kClockSlack before `now` until kNodeCertificateLife after it or the end
// of the authority. Errors: `invalid_argument` (no cluster id, no node name).
core::Result<NodeCertificate> make_node_certificate(const ClusterAuthority& authority,
                                                    std::string_view cluster, std::string_view node,
                                                    core::WallTime now);

}  // namespace parley::link
