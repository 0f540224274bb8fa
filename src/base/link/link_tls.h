// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/core/clock.h"
#include "base/link/cluster_certificate.h"
#include "base/net/loop/stream.h"
#include "base/net/loop/tls.h"
#include "base/net/loop/tls_stream.h"

namespace parley::link {

// TLS between the nodes of a cluster: TLS 1.3 only, ALPN "parley-link/1" only. Both sides present a
// certificate of the cluster's authority and verify that of the other, by the injected clock; no
// other authority is trusted. A peer without a valid certificate, or without the protocol, is
// refused in the handshake: its stream ends with on_closed(), and TlsStream::fault() has the
// reason. A refused client learns it after its own handshake (TLS 1.3), when it reads. No session
// is resumed, so every connection is verified. Thread-safe.
class LinkTls {
 public:
  // `clock` outlives this object and its streams.
  LinkTls(const ClusterAuthority& authority, const NodeCertificate& node, const core::Clock& clock);

  // New connections use this certificate and trust this authority; open ones are kept.
  void renew(const ClusterAuthority& authority, const NodeCertificate& node);

  // The side that was connected to. The peer may be any node: TlsStream::peer_is() tells it from
  // others.
  std::unique_ptr<net::TlsStream> accept(std::unique_ptr<net::Stream> stream) const;
  // The side that connects: the peer's certificate must name this node of this cluster. Both names
  // are valid.
  std::unique_ptr<net::TlsStream> connect(std::unique_ptr<net::Stream> stream,
                                          std::string_view cluster, std::string_view node) const;

 private:
  const core::Clock& clock_;
  net::TlsContext server_;
  net::TlsContext client_;
};

}  // namespace parley::link
