// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/result.h"
#include "net/loop/stream.h"

struct ssl_ctx_st;

namespace parley::net {

// Keys and rules of one side of TLS. TLS 1.2 and newer, ALPN "http/1.1". Thread-safe: connections
// that are open keep what they began with, new ones get what was loaded last.
class TlsContext {
 public:
  using Handle = std::shared_ptr<ssl_ctx_st>;

  // A server with a certificate chain and its private key, both PEM. Errors: `invalid_argument`
  // with the file at fault and what is wrong with it.
  static core::Result<std::shared_ptr<TlsContext>> server(const std::string& certificate_file,
                                                          const std::string& key_file);
  // A client that trusts the certificates in `ca_file` (PEM); with an empty name it trusts those
  // of this computer.
  static core::Result<std::shared_ptr<TlsContext>> client(const std::string& ca_file);

  // Reads both files again, for new connections. On an error all stays as it was.
  core::Result<void> load(const std::string& certificate_file, const std::string& key_file);

  explicit TlsContext(Handle handle) : handle_(std::move(handle)) {}
  Handle handle() const;

 private:
  mutable std::mutex mutex_;
  Handle handle_;
};

// TLS over another Network: what listens or connects here speaks TLS. The inner Network outlives
// it. A peer that has not finished its handshake after kHandshakeTimeout is cut.
class TlsNetwork final : public Network {
 public:
  // `client` may be null if connect() is not used.
  TlsNetwork(Network& inner, std::shared_ptr<TlsContext> server,
             std::shared_ptr<TlsContext> client = nullptr);

  // Hands a stream over as soon as it is accepted: what is written before the handshake is done
  // waits for it.
  core::Result<std::unique_ptr<Listener>> listen(core::Scheduler& scheduler, const Endpoint& at,
                                                 AcceptHandler accept) override;
  // The host of `to` must be in the server's certificate; a certificate that is not trusted ends
  // the stream with on_closed().
  void connect(core::Scheduler& scheduler, const Endpoint& to,
               absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) override;

  static constexpr core::Millis kHandshakeTimeout{10'000};

 private:
  Network& inner_;
  std::shared_ptr<TlsContext> server_;
  std::shared_ptr<TlsContext> client_;
};

}  // namespace parley::net
