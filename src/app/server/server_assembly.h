// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/server/settings.h"
#include "app/server/start_failure.h"
#include "base/core/result.h"

namespace parley::app {

// The whole server: the only class that depends on every library. Owns the threads. Call all
// functions on the thread that created the object.
class ServerAssembly {
 public:
  enum class Scope : std::uint8_t {
    everything,
    runs,  // without studies, booking and other front ends; for the server of one `parley run`
  };

  // Locks the data directory, recovers pending interactions, and listens. On return, connections
  // are accepted.
  static tl::expected<std::unique_ptr<ServerAssembly>, StartFailure> start(
      const Settings& settings, Scope scope = Scope::everything);
  ~ServerAssembly();  // stop()

  // The origin of the server on this computer: "http://127.0.0.1:22080".
  const std::string& url() const;
  // The origin under which devices reach the server from anywhere: public_url, else that of the
  // tailnet; empty: neither.
  std::string away_origin() const;
  // A valid token for links; empty: the server knows the text of no valid token.
  const std::string& token() const;
  // The token for the code that a phone scans, see phone_token.h; made if there is none yet.
  core::Result<std::string> phone_token();
  const net::Endpoint& endpoint() const;

  // The reason why a node of a cluster must end: another start has taken its place.
  std::optional<core::Error> ended() const;

  // Applies changes of tokens, users and ComfyUI servers that other processes made. Call about once
  // a second.
  void poll_tokens();
  // Reads certificate and key again; open connections keep the old certificate. With tls.mode
  // "auto" they are first made again if they must be. Does nothing without TLS.
  core::Result<void> reload_tls();
  // Gives the sessions of a node to other nodes, stops accepting work, notifies pending calls and
  // streams, and closes the connections that have not ended after `patience`. `done` is called on
  // another thread.
  void drain(core::Millis patience, std::function<void()> done);
  // Ends the threads and closes the stores; accepted events are committed. Idempotent.
  void stop();

 private:
  struct Parts;
  explicit ServerAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parley::app
