// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/address_key.h"
#include "base/core/scheduler.h"
#include "base/net/websocket/websocket.h"
#include "dialects/external_agent/relay_context.h"
#include "dialects/external_agent/relay_frames.h"
#include "dialects/external_agent/relay_session.h"

namespace parley::external_agent {

// Parameters of a client in its opening handshake.
struct RelayCaller {
  std::string owner;  // id of its token
  std::string token;  // empty: the client is a guest
  bool full_history = false;
};

// A client on `/agent/ws`: sends relay.hello, waits for relay.join, moves to the shard of that
// session and passes its messages to its relay session. All calls are on the thread of the socket.
class RelayConnection final : public net::WebSocketHandler {
 public:
  RelayConnection(RelayContext& context, RelayCaller caller);
  ~RelayConnection() override;

  void on_open(net::WebSocket& socket) override;
  void on_message(net::WebSocket& socket, net::MessageType type, std::string_view data) override;
  void on_close(net::WebSocket& socket, std::uint16_t code, std::string_view reason) override;

  // --- called by the relay session ------------------------------------------------------------

  void send_text(std::string_view text) {
    if (socket_ != nullptr) socket_->send_text(text);
  }
  void send(const net::OutgoingMessagePtr& message) {
    if (socket_ != nullptr) socket_->send(message);
  }
  void pause_reading(bool pause) {
    if (socket_ != nullptr) socket_->pause_reading(pause);
  }
  // Sets the longest silence of the client, after which its socket is closed; 0: the server's
  // default.
  void set_patience(core::Millis silence);
  // Closes the socket and leaves the relay session, if still in it.
  void close(std::uint16_t code, std::string_view reason);
  // Address of a guest; empty: the client has a token.
  std::string guest_address() const {
    return caller_.token.empty() && socket_ != nullptr ? core::address_key(socket_->peer())
                                                       : std::string();
  }
  // Answers a message with an error.
  void refuse(RelayError error, std::string_view reply_to);
  // Handles a relay.join of a client that is in a relay session already.
  void join(const Envelope& envelope);

 private:
  enum class State : std::uint8_t { waiting, moving, joined, closed };
  // Points at the connection while it exists; used on its thread only.
  using Link = std::shared_ptr<RelayConnection*>;

  void take(std::string_view data);
  void handle_before_join(std::string_view data);
  std::optional<JoinRequest> read_join(const Envelope& envelope);
  void refuse_join(RelayError error, std::string_view reply_to);
  void leave_relay_session();
  // `all`: this thread has handled every event that preceded the join, such as the close of the old
  // host's socket. That is certain once the loop has looked at its sockets again.
  enum class Heard : std::uint8_t { some, all };
  void enter(Heard heard = Heard::some);
  void cut_link();
  // Watches the token on this thread from now on. False: the token is no longer valid and the
  // connection is closed.
  bool watch_token();
  void unwatch_token();
  bool still_allowed();
  RelayShard& shard() { return context_.shard(socket_->scheduler()); }

  RelayContext& context_;
  RelayCaller caller_;
  net::WebSocket* socket_ = nullptr;
  std::string client_id_;
  std::shared_ptr<RelaySession> relay_session_;  // while joined
  std::shared_ptr<Member> member_;               // its membership there
  std::unique_ptr<JoinRequest> wanted_;
  // Messages held in the relay session that the client left; handled before any newer message.
  std::vector<std::string> carried_;
  Link link_;
  auth::TokenWatch token_watch_;
  std::shared_ptr<bool> watching_;  // false after unwatch_token()
  core::TimerId join_timer_ = 0;
  State state_ = State::waiting;
};

}  // namespace parley::external_agent
