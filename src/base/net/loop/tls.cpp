// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/core/result.h"
#include "base/net/loop/tls_stream.h"

namespace parley::net {
namespace {

// Ciphers of TLS 1.2: forward secrecy and authenticated encryption only. TLS 1.3 has no others.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

// The text of OpenSSL's last error.
std::string openssl_reason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "unknown error";
}

core::Error bad_file(const std::string& file, const std::string& what, const char* field) {
  return {core::Code::invalid_argument, file + ": " + what + ".", field};
}

// Returns the error of opening the file, which is clearer than OpenSSL's; empty: readable.
std::string check_readable(const std::string& file) {
  std::FILE* const opened = std::fopen(file.c_str(), "rb");
  if (opened == nullptr) return std::strerror(errno);
  std::fclose(opened);
  return {};
}

int choose_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned int offered_size, void* /*argument*/) {
  static constexpr std::array<unsigned char, 9> kHttp = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kHttp.data(), kHttp.size(), offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

TlsContext::Handle new_context(const SSL_METHOD* method) {
  TlsContext::Handle context(SSL_CTX_new(method), SSL_CTX_free);
  if (!context) return context;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE |
                                         SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Idle connections release their record buffers.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  return context;
}

core::Result<TlsContext::Handle> server_context(const std::string& certificate_file,
                                                const std::string& key_file) {
  if (std::string why = check_readable(certificate_file); !why.empty()) {
    return core::fail(bad_file(certificate_file, why, "tls-cert"));
  }
  if (std::string why = check_readable(key_file); !why.empty()) {
    return core::fail(bad_file(key_file, why, "tls-key"));
  }
  ERR_clear_error();
  TlsContext::Handle context = new_context(TLS_server_method());
  if (!context) return core::fail(core::Code::internal, "TLS: " + openssl_reason() + ".");
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1) {
    return core::fail(bad_file(
        certificate_file, "no certificate chain in PEM (" + openssl_reason() + ")", "tls-cert"));
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return core::fail(
        bad_file(key_file, "no private key in PEM for this certificate (" + openssl_reason() + ")",
                 "tls-key"));
  }
  if (SSL_CTX_check_private_key(context.get()) != 1) {
    return core::fail(bad_file(key_file, "the key does not belong to the certificate", "tls-key"));
  }
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  if (SSL_CTX_set_cipher_list(context.get(), kCiphers) != 1) {
    return core::fail(core::Code::internal, "TLS: " + openssl_reason() + ".");
  }
  constexpr std::array<unsigned char, 6> kSessionContext = {'p', 'a', 'r', 'l', 'e', 'y'};
  SSL_CTX_set_session_id_context(context.get(), kSessionContext.data(), kSessionContext.size());
  // Sessions are kept in tickets by the clients, not here.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

// Keeps the inner listener open.
class TlsListener final : public Listener {
 public:
  explicit TlsListener(std::unique_ptr<Listener> inner) : inner_(std::move(inner)) {}
  Endpoint endpoint() const override { return inner_->endpoint(); }

 private:
  std::unique_ptr<Listener> inner_;
};

}  // namespace

core::Result<std::shared_ptr<TlsContext>> TlsContext::server(const std::string& certificate_file,
                                                             const std::string& key_file) {
  PARLEY_TRY(Handle handle, server_context(certificate_file, key_file));
  return std::make_shared<TlsContext>(std::move(handle));
}

core::Result<std::shared_ptr<TlsContext>> TlsContext::client(const std::string& ca_file) {
  ERR_clear_error();
  Handle handle = new_context(TLS_client_method());
  if (!handle) return core::fail(core::Code::internal, "TLS: " + openssl_reason() + ".");
  SSL_CTX_set_verify(handle.get(), SSL_VERIFY_PEER, nullptr);
  const int loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(handle.get())
                                     : SSL_CTX_load_verify_file(handle.get(), ca_file.c_str());
  if (loaded != 1) {
    return core::fail(bad_file(ca_file, "no certificates in PEM (" + openssl_reason() + ")", "ca"));
  }
  constexpr std::array<unsigned char, 9> kHttp = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_alpn_protos(handle.get(), kHttp.data(), kHttp.size());
  return std::make_shared<TlsContext>(std::move(handle));
}

core::Result<void> TlsContext::load(const std::string& certificate_file,
                                    const std::string& key_file) {
  PARLEY_TRY(Handle handle, server_context(certificate_file, key_file));
  replace(std::move(handle));
  return {};
}

TlsContext::Handle TlsContext::handle() const {
  const std::scoped_lock lock(mutex_);
  return handle_;
}

void TlsContext::replace(Handle handle) {
  const std::scoped_lock lock(mutex_);
  handle_ = std::move(handle);
}

TlsNetwork::TlsNetwork(Network& inner, std::shared_ptr<TlsContext> server,
                       std::shared_ptr<TlsContext> client, PlainAnswer plain)
    : inner_(inner),
      server_(std::move(server)),
      client_(std::move(client)),
      plain_(plain ? std::make_shared<const PlainAnswer>(std::move(plain)) : nullptr) {}

core::Result<std::unique_ptr<Listener>> TlsNetwork::listen(core::Scheduler& scheduler,
                                                           const Endpoint& at,
                                                           AcceptHandler accept) {
  auto wrap = [context = server_, plain = plain_,
               accept = std::move(accept)](std::unique_ptr<Stream> stream) {
    accept(std::make_unique<TlsStream>(std::move(stream), context->handle(),
                                       TlsStream::Side::server, std::string(), plain));
  };
  PARLEY_TRY(std::unique_ptr<Listener> listener, inner_.listen(scheduler, at, std::move(wrap)));
  return std::make_unique<TlsListener>(std::move(listener));
}

void TlsNetwork::connect(core::Scheduler& scheduler, const Endpoint& to,
                         absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) {
  inner_.connect(scheduler, to,
                 [context = client_, host = to.host,
                  done = std::move(done)](core::Result<std::unique_ptr<Stream>> stream) mutable {
                   if (!stream) {
                     done(core::fail(std::move(stream.error())));
                     return;
                   }
                   done(std::make_unique<TlsStream>(std::move(*stream), context->handle(),
                                                    TlsStream::Side::client, host));
                 });
}

}  // namespace parley::net
