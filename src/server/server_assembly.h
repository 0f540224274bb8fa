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

// Why the server does not start, for the person and for the script.
struct StartFailure {
  ExitCode code = kExitFailure;
  Complaint complaint;
};

// The whole server, put together: the one place that knows every room. Owns the threads. All calls
// come from the thread that made it.
class ServerAssembly {
 public:
  enum class Scope : std::uint8_t {
    everything,
    runs,  // no studies, no booking, no other front end: for the length of one `parley run`
  };

  // Takes the data directory, recovers the pending interactions, and listens. When this returns,
  // connections are accepted.
  static tl::expected<std::unique_ptr<ServerAssembly>, StartFailure> start(
      const Settings& settings, Scope scope = Scope::everything);
  ~ServerAssembly();  // stop()

  // The origin to reach it on this computer: "http://127.0.0.1:22080".
  const std::string& url() const;
  // A token that lets its user in, for links; empty if none is known in words.
  const std::string& token() const;
  const net::Endpoint& endpoint() const;

  // Takes up changes of tokens. Call about once a second.
  void poll_tokens();
  // Reads certificate and key again; connections that are open keep the old ones. Without TLS:
  // nothing.
  core::Result<void> reload_tls();
  // No new work; open waits and streams are told; connections get `patience` to end. `done` runs on
  // another thread.
  void drain(core::Millis patience, std::function<void()> done);
  // Ends the threads and closes the stores; what was accepted is committed. Once.
  void stop();

 private:
  struct Parts;
  explicit ServerAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parley::app
