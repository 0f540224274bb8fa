// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket_client.h"
#include "programs/agent_client/envelope.h"
#include "programs/agent_client/server_url.h"

namespace parley::agent_client {

enum class LinkRole : std::uint8_t { agent, host };

struct LinkOptions {
  ServerUrl server = {};
  std::string token = {};  // sent in the Authorization field; empty: none
  LinkRole role = LinkRole::agent;
  std::string session = "default";
  std::string name = {};          // of an agent, shown to the host; empty: the relay chooses one
  bool full_history = false;      // asks for past specs in full (?full=1)
  bool takeover = false;          // of a host, at the first join: replaces the active host
  core::Millis first_pause{100};  // before the first reconnection; doubled each time
  core::Millis longest_pause{5'000};
  core::Millis join_timeout{10'000};   // for connection, hello and joined together
  core::Millis ping_interval{15'000};  // lost if a ping gets no message or pong within it
};

// Events of a link. Called on its scheduler; the link must not be destroyed inside.
class LinkHandler {
 public:
  virtual ~LinkHandler() = default;
  // The link has joined, for the first time or again. `payload`: that of relay.joined, raw.
  virtual void on_joined(std::string_view payload) = 0;
  // Receives every message except relay.hello and the answer to the join.
  virtual void on_envelope(const Envelope& envelope) = 0;
  // The connection was lost or could not be made; the next attempt follows after `pause`.
  virtual void on_lost(const core::Error& why, core::Millis pause) = 0;
  // The link does not reconnect: wrong token, refused handshake (403, 404) or join, or replaced by
  // another host.
  virtual void on_ended(const core::Error& why) = 0;
};

// A client's connection to a relay session: connects, joins, and reconnects with growing pauses.
// Belongs to one scheduler.
class RelayLink final : private net::WebSocketClientHandler {
 public:
  // All references must outlive the link.
  RelayLink(core::Scheduler& scheduler, core::Entropy& entropy, net::Network& network,
            LinkHandler& handler, LinkOptions options);
  ~RelayLink() override;

  // Starts the first attempt. Call once.
  void start();
  // Closes the connection; the handler is not called again.
  void stop();
  // Sends if the link is joined. False: nothing was sent.
  bool send(const Envelope& envelope);
  bool joined() const { return state_ == State::joined; }

 private:
  enum class State : std::uint8_t { idle, connecting, joining, joined, waiting, ended };

  void on_open(net::WebSocketClient& client) override;
  void on_message(net::WebSocketClient& client, net::MessageType type,
                  std::string_view data) override;
  void on_pong(net::WebSocketClient& client, std::string_view payload) override;
  void on_close(net::WebSocketClient& client, std::uint16_t code, std::string_view reason) override;
  void on_refused(net::WebSocketClient& client, const core::Error& error,
                  const net::Response& response) override;

  void connect();
  void send_join();
  void take_answer(const Envelope& envelope);
  void take(const Envelope& envelope);
  void lose(core::Error why);
  void end(core::Error why);
  void drop_socket();
  core::Millis next_pause();
  void set_timer(core::Millis delay, void (RelayLink::*then)());
  void on_join_timeout();
  void on_ping_time();

  core::Scheduler& scheduler_;
  core::Entropy& entropy_;
  net::Network& network_;
  LinkHandler& handler_;
  LinkOptions options_;
  std::unique_ptr<net::WebSocketClient> socket_;
  State state_ = State::idle;
  bool takeover_;
  bool heard_ = false;  // a message came since the last ping
  // Reason of the relay's announcement that it closes this connection for good; empty: none.
  std::string replaced_;
  int failures_ = 0;
  core::TimerId timer_ = 0;
};

}  // namespace parley::agent_client
