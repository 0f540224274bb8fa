// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comfyui/server_address.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/error.h"
#include "core/scheduler.h"
#include "net/websocket/websocket.h"

namespace parley::comfyui {

struct SocketRequest {
  ServerAddress address;
  std::string target;         // of the address: "/ws?clientId=..."
  std::string authorization;  // empty: none
  std::string ca_file;        // as ClientOptions::ca_file
  core::Millis handshake_timeout{10'000};
  std::size_t max_message_bytes = 8U << 20U;
};

// Events of a socket, on the scheduler that it was opened for. The socket may be destroyed in
// any of these calls.
class EventSocketHandler {
 public:
  virtual ~EventSocketHandler() = default;
  virtual void on_socket_open() = 0;
  virtual void on_socket_message(net::MessageType type, std::string message) = 0;
  // It never opened, or is over. The last call.
  virtual void on_socket_end(const core::Error& why) = 0;
};

// One WebSocket to a server, as a client that mostly listens. Destroying it closes it at once; no
// call reaches the handler after that.
class EventSocket {
 public:
  EventSocket() = default;
  EventSocket(const EventSocket&) = delete;
  EventSocket& operator=(const EventSocket&) = delete;
  virtual ~EventSocket() = default;
};

class EventSockets {
 public:
  EventSockets() = default;
  EventSockets(const EventSockets&) = delete;
  EventSockets& operator=(const EventSockets&) = delete;
  virtual ~EventSockets() = default;

  // Called on the thread of `home`, which outlives the socket. `handler` is called there, never
  // inside this call, and outlives the socket.
  virtual std::unique_ptr<EventSocket> open(SocketRequest request, EventSocketHandler& handler,
                                            core::Scheduler& home) = 0;
};

// Sockets on one thread of their own with its own event loop, so that any scheduler may use them.
// Names are looked up on a second thread. Messages that `home` has not taken are kept up to
// kHeldBytes; then reading pauses, and the server waits. Thread-safe.
class SocketThread final : public EventSockets {
 public:
  // Both outlive it.
  SocketThread(const core::Clock& clock, core::Entropy& entropy);
  // Closes all sockets; their handlers are told nothing more. Waits for a name that is looked up.
  ~SocketThread() override;

  std::unique_ptr<EventSocket> open(SocketRequest request, EventSocketHandler& handler,
                                    core::Scheduler& home) override;

  static constexpr std::size_t kHeldBytes = 4U << 20U;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace parley::comfyui
