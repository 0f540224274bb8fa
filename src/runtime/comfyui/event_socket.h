// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/error.h"
#include "base/core/scheduler.h"
#include "base/net/websocket/websocket.h"
#include "runtime/comfyui/server_address.h"

namespace parley::comfyui {

struct SocketRequest {
  ServerAddress address;
  std::string target;         // path and query: "/ws?clientId=..."
  std::string authorization;  // empty: none
  std::string ca_file;        // as ClientOptions::ca_file
  core::Millis handshake_timeout{10'000};
  std::size_t max_message_bytes = 8U << 20U;
};

// Events of a socket, on the scheduler passed to open(). The socket may be destroyed in any of
// these calls.
class EventSocketHandler {
 public:
  virtual ~EventSocketHandler() = default;
  virtual void on_socket_open() = 0;
  virtual void on_socket_message(net::MessageType type, std::string message) = 0;
  // The socket failed to open, or has closed. The last call.
  virtual void on_socket_end(const core::Error& why) = 0;
};

// One client WebSocket that mostly receives. Destruction closes it at once; the handler is not
// called after that.
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

  // Call on the thread of `home`, which must outlive the socket. `handler` is called there, never
  // inside this call, and must outlive the socket.
  virtual std::unique_ptr<EventSocket> open(SocketRequest request, EventSocketHandler& handler,
                                            core::Scheduler& home) = 0;
};

// Sockets on a thread of their own with its own event loop, so that any scheduler can use them.
// Names are resolved on a second thread. Messages that `home` has not processed are buffered up to
// kHeldBytes; then reading pauses (back-pressure). Thread-safe.
class SocketThread final : public EventSockets {
 public:
  // Both must outlive this object.
  SocketThread(const core::Clock& clock, core::Entropy& entropy);
  // Closes all sockets without calling their handlers. Waits for a name lookup in progress.
  ~SocketThread() override;

  std::unique_ptr<EventSocket> open(SocketRequest request, EventSocketHandler& handler,
                                    core::Scheduler& home) override;

  static constexpr std::size_t kHeldBytes = 4U << 20U;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace parley::comfyui
