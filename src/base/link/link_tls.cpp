// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "base/core/assert.h"

namespace parley::link {
namespace {

using Handle = net::TlsContext::Handle;

// The list of protocols in the form of ALPN: each behind its length.
constexpr std::array<unsigned char, 14> kLinkProtocols = {13,  'p', 'a', 'r', 'l', 'e', 'y',
                                                          '-', 'l', 'i', 'n', 'k', '/', '1'};

int choose_link_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
                         const unsigned char* offered, unsigned int offered_size,
                         void* /*argument*/) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kLinkProtocols.data(), kLinkProtocols.size(),
                            offered, offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// Refuses a client that names no protocol: choose_link_protocol() is not called for it.
int require_link_protocol(SSL* ssl, int* alert, void* /*argument*/) {
  const unsigned char* list = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &list,
                                &size) == 1) {
    return SSL_CLIENT_HELLO_SUCCESS;
  }
  ERR_raise(ERR_LIB_SSL, SSL_R_NO_APPLICATION_PROTOCOL);
  *alert = SSL_AD_NO_APPLICATION_PROTOCOL;
  return SSL_CLIENT_HELLO_ERROR;
}

// Verifies a chain by the time of `clock`.
int verify_by_clock(X509_STORE_CTX* chain, void* clock) {
  const core::WallTime now = static_cast<const core::Clock*>(clock)->wall();
  X509_VERIFY_PARAM_set_time(X509_STORE_CTX_get0_param(chain), core::to_unix_s(now));
  return X509_verify_cert(chain) == 1 ? 1 : 0;
}

void require(bool done, const char* what) {
  PARLEY_ASSERT(done, std::string("OpenSSL does not take ") + what + " of the link");
}

Handle new_link_context(const SSL_METHOD* method, const ClusterAuthority& authority,
                        const NodeCertificate& node, const core::Clock& clock) {
  Handle context(SSL_CTX_new(method), SSL_CTX_free);
  require(context != nullptr, "the context");
  SSL_CTX* const out = context.get();
  require(SSL_CTX_set_min_proto_version(out, TLS1_3_VERSION) == 1, "the version");
  // As in net: an end without close_notify is one, and idle connections release their buffers.
  SSL_CTX_set_options(out, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_TICKET);
  // The peer has the authority's certificate.
  SSL_CTX_set_mode(out, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_session_cache_mode(out, SSL_SESS_CACHE_OFF);
  require(SSL_CTX_set_num_tickets(out, 0) == 1, "the number of tickets");
  require(SSL_CTX_use_certificate(out, node.certificate.get()) == 1, "the certificate");
  require(SSL_CTX_use_PrivateKey(out, node.key.get()) == 1, "the key");
  require(SSL_CTX_check_private_key(out) == 1, "the pair of key and certificate");
  X509_STORE* const trusted = SSL_CTX_get_cert_store(out);
  require(X509_STORE_add_cert(trusted, &authority.certificate()) == 1, "the authority");
  SSL_CTX_set_verify(out, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // No certificate between the authority's and a node's.
  SSL_CTX_set_verify_depth(out, 0);
  // OpenSSL passes the argument on as it is; verify_by_clock() only reads the clock.
  SSL_CTX_set_cert_verify_callback(out, verify_by_clock, const_cast<core::Clock*>(&clock));
  return context;
}

Handle link_server_context(const ClusterAuthority& authority, const NodeCertificate& node,
                           const core::Clock& clock) {
  Handle context = new_link_context(TLS_server_method(), authority, node, clock);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_link_protocol, nullptr);
  SSL_CTX_set_client_hello_cb(context.get(), require_link_protocol, nullptr);
  return context;
}

Handle link_client_context(const ClusterAuthority& authority, const NodeCertificate& node,
                           const core::Clock& clock) {
  Handle context = new_link_context(TLS_client_method(), authority, node, clock);
  // Returns 0 on success.
  require(SSL_CTX_set_alpn_protos(context.get(), kLinkProtocols.data(), kLinkProtocols.size()) == 0,
          "the protocol");
  return context;
}

}  // namespace

LinkTls::LinkTls(const ClusterAuthority& authority, const NodeCertificate& node,
                 const core::Clock& clock)
    : clock_(clock),
      server_(link_server_context(authority, node, clock)),
      client_(link_client_context(authority, node, clock)) {}

void LinkTls::renew(const ClusterAuthority& authority, const NodeCertificate& node) {
  server_.replace(link_server_context(authority, node, clock_));
  client_.replace(link_client_context(authority, node, clock_));
}

std::unique_ptr<net::TlsStream> LinkTls::accept(std::unique_ptr<net::Stream> stream) const {
  return std::make_unique<net::TlsStream>(std::move(stream), server_.handle(),
                                          net::TlsStream::Side::server, std::string());
}

std::unique_ptr<net::TlsStream> LinkTls::connect(std::unique_ptr<net::Stream> stream,
                                                 std::string_view cluster,
                                                 std::string_view node) const {
  return std::make_unique<net::TlsStream>(std::move(stream), client_.handle(),
                                          net::TlsStream::Side::client, node_host(cluster, node));
}

}  // namespace parley::link
