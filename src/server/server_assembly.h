// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/result.h"
#include "server/exit_code.h"
#include "server/settings.h"
#include "server/terminal.h"

namespace parley::app {

// Reason why the server did not start, for a person and for a script.
struct StartFailure {
  ExitCode code = kExitFailure;
  Complaint complaint;
};

// The whole server: the only place that depends on every room. Owns the threads. All calls must
// come from the thread that created it.
class ServerAssembly {
 public:
  enum class Scope : std::uint8_t {
    everything,
    runs,  // no studies, no booking, no other front end: for the length of one `parley run`
  };

  // Locks the data directory, recovers pending interactions, and listens. On return, connections
  // are accepted.
  static tl::expected<std::unique_ptr<ServerAssembly>, StartFailure> start(
      const Settings& settings, Scope scope = Scope::everything);
  ~ServerAssembly();  // stop()

  // The origin of the server on this computer: "http://127.0.0.1:22080".
  const std::string& url() const;
  // A valid token for links; empty: the text of none is known.
  const std::string& token() const;
  const net::Endpoint& endpoint() const;

  // Applies changes of tokens and users that other processes made. Call about once a second.
  void poll_tokens();
  // Reads certificate and key again; open connections keep the old ones. Does nothing without TLS.
  core::Result<void> reload_tls();
  // Stops accepting work, notifies open waits and streams, and gives connections `patience` to
  // end. `done` is called on another thread.
  void drain(core::Millis patience, std::function<void()> done);
  // Ends the threads and closes the stores; accepted events are committed. Idempotent.
  void stop();

 private:
  struct Parts;
  explicit ServerAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parley::app
