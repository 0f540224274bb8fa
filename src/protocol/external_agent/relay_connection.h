// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/address_key.h"
#include "core/scheduler.h"
#include "net/websocket/websocket.h"
#include "protocol/external_agent/relay_context.h"
#include "protocol/external_agent/relay_frames.h"
#include "protocol/external_agent/relay_session.h"

namespace parley::external_agent {

// What the opening handshake says about a client.
struct RelayCaller {
  std::string owner;  // id of its token
  std::string token;  // empty: a guest
  bool full_history = false;
};

// A client on `/agent/ws`: says hello, waits for relay.join, moves to the shard of that session and
// gives what comes to its relay session. All calls come on the thread that the socket belongs to.
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
  // The longest time that a host may be silent; 0: as long as the server allows everybody.
  void set_patience(core::Millis silence);
  // Says good-bye; the relay session has let go of it, or does so next.
  void close(std::uint16_t code, std::string_view reason);
  // The address of a guest; empty: it brought a token.
  std::string guest_address() const {
    return caller_.token.empty() && socket_ != nullptr ? core::address_key(socket_->peer())
                                                       : std::string();
  }
  // Answers a message that the relay session did not take.
  void refuse(RelayError error, std::string_view reply_to);
  // A relay.join of a client that is in a relay session already.
  void join(const Envelope& envelope);

 private:
  enum class State : std::uint8_t { waiting, moving, joined, closed };
  // Points at the connection as long as it is there; used on its thread only.
  using Link = std::shared_ptr<RelayConnection*>;

  void take(std::string_view data);
  void handle_before_join(std::string_view data);
  std::optional<JoinRequest> read_join(const Envelope& envelope);
  void refuse_join(RelayError error, std::string_view reply_to);
  void leave_relay_session();
  // What came before this join is heard a turn of the loop later at the latest.
  enum class Heard : std::uint8_t { some, all };
  void enter(Heard heard = Heard::some);
  void cut_link();
  // From now on the end of the token is heard on this thread. False: it has ended, and so has this.
  bool watch_token();
  void unwatch_token();
  bool still_allowed();
  RelayShard& shard() { return context_.shard(socket_->scheduler()); }

  RelayContext& context_;
  RelayCaller caller_;
  net::WebSocket* socket_ = nullptr;
  std::string client_id_;
  std::shared_ptr<RelaySession> relay_session_;  // while joined
  std::shared_ptr<Member> member_;               // its place there
  std::unique_ptr<JoinRequest> wanted_;
  // Messages that waited in the relay session that it left; they come before the next.
  std::vector<std::string> carried_;
  Link link_;
  std::unique_ptr<auth::TokenWatch> token_watch_;
  std::shared_ptr<bool> watching_;  // false once token_watch_ is given up
  core::TimerId join_timer_ = 0;
  State state_ = State::waiting;
};

}  // namespace parley::external_agent
