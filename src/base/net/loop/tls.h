// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "base/net/loop/stream.h"

struct ssl_ctx_st;

namespace parley::net {

// Keys and settings of one side of TLS: TLS 1.2 or newer, ALPN "http/1.1". Thread-safe. Open
// connections keep the keys with which they began; new ones use the keys loaded last.
class TlsContext {
 public:
  using Handle = std::shared_ptr<ssl_ctx_st>;

  // A server with a certificate chain and its private key, both PEM. Errors: `invalid_argument`
  // (names the file and the fault).
  static core::Result<std::shared_ptr<TlsContext>> server(const std::string& certificate_file,
                                                          const std::string& key_file);
  // A client that trusts the certificates in `ca_file` (PEM); empty: those of the system.
  static core::Result<std::shared_ptr<TlsContext>> client(const std::string& ca_file);

  // Reads both files again, for new connections. Errors as server(); then the keys are unchanged.
  core::Result<void> load(const std::string& certificate_file, const std::string& key_file);

  explicit TlsContext(Handle handle) : handle_(std::move(handle)) {}
  Handle handle() const;
  // New connections use `handle`.
  void replace(Handle handle);

 private:
  mutable std::mutex mutex_;
  Handle handle_;
};

// The answer to a peer that speaks HTTP without TLS on a TLS port. `head`: its first bytes, up to
// the end of the head of its request or TlsNetwork::kMaxPlainBytes. Runs on the stream's thread and
// must not block.
using PlainAnswer = std::function<std::string(std::string_view head)>;

// TLS over another Network, for all its listeners and connections. The inner Network outlives this
// object. A connection whose handshake takes longer than kHandshakeTimeout is cut. A peer whose
// first byte is not that of a TLS handshake gets the plain answer, in clear text, and is closed.
class TlsNetwork final : public Network {
 public:
  // `client` may be null if connect() is not used. Without `plain`, peers without TLS are cut.
  TlsNetwork(Network& inner, std::shared_ptr<TlsContext> server,
             std::shared_ptr<TlsContext> client = nullptr, PlainAnswer plain = nullptr);

  // `accept` gets each stream at once; bytes written before the end of the handshake are queued.
  core::Result<std::unique_ptr<Listener>> listen(core::Scheduler& scheduler, const Endpoint& at,
                                                 AcceptHandler accept) override;
  // The host of `to` must be in the server's certificate. An untrusted certificate ends the stream
  // with on_closed().
  void connect(core::Scheduler& scheduler, const Endpoint& to,
               absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) override;

  // Limit (HTTP): a TLS handshake; a request without TLS on a TLS port. Reached: cut.
  static constexpr core::Millis kHandshakeTimeout{10'000};
  // Most bytes that are kept of a request without TLS.
  // Limit (HTTP): head of a request without TLS on a TLS port. Reached: 400, closed.
  static constexpr std::size_t kMaxPlainBytes = 8U << 10U;

 private:
  Network& inner_;
  std::shared_ptr<TlsContext> server_;
  std::shared_ptr<TlsContext> client_;
  std::shared_ptr<const PlainAnswer> plain_;  // null: none
};

}  // namespace parley::net
