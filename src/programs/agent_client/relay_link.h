// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/entropy.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "net/loop/stream.h"
#include "net/websocket/websocket_client.h"
#include "programs/agent_client/envelope.h"
#include "programs/agent_client/server_url.h"

namespace parley::agent_client {

enum class LinkRole : std::uint8_t { agent, host };

struct LinkOptions {
  ServerUrl server = {};
  std::string token = {};  // empty: none is sent; goes in the Authorization field
  LinkRole role = LinkRole::agent;
  std::string session = "default";
  std::string name = {};          // of an agent, shown to the host; empty: the relay gives one
  bool full_history = false;      // ask for past specs in full (?full=1)
  bool takeover = false;          // of a host, at the first join: replaces the one that is there
  core::Millis first_pause{100};  // before the first attempt to come back; doubled each time
  core::Millis longest_pause{5'000};
  core::Millis join_timeout{10'000};   // connect, hello, joined
  core::Millis ping_interval{15'000};  // a server that is silent for two of these is lost
};

// What happens on a link. Called on its scheduler; the link must not be destroyed inside.
class LinkHandler {
 public:
  virtual ~LinkHandler() = default;
  // Joined, for the first time or again. `payload` of relay.joined, raw.
  virtual void on_joined(std::string_view payload) = 0;
  // Every message but relay.hello and the answer to the join.
  virtual void on_envelope(const Envelope& envelope) = 0;
  // The connection is lost, or could not be made; the next attempt is after `pause`.
  virtual void on_lost(const core::Error& why, core::Millis pause) = 0;
  // It makes no sense to try again: a wrong token, a refused join, replaced by another host.
  virtual void on_ended(const core::Error& why) = 0;
};

// A client's connection to a relay session: connects, joins, and comes back with growing pauses
// when it is lost. Belongs to one scheduler.
class RelayLink final : private net::WebSocketClientHandler {
 public:
  // All references outlive the link.
  RelayLink(core::Scheduler& scheduler, core::Entropy& entropy, net::Network& network,
            LinkHandler& handler, LinkOptions options);
  ~RelayLink() override;

  // Begins to connect. Once.
  void start();
  // Says good-bye; no call of the handler follows.
  void stop();
  // Sends if it is joined; false: it is not, and nothing was sent.
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
  bool heard_ = false;  // since the last ping
  // Why the relay is about to close this connection for good; empty: it has not said so.
  std::string replaced_;
  int failures_ = 0;
  core::TimerId timer_ = 0;
};

}  // namespace parley::agent_client
