// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/agent_client/relay_link.h"

#include <algorithm>
#include <utility>

#include "base/core/json_writer.h"

namespace parley::agent_client {
namespace {

constexpr std::string_view kJoinId = "\"join\"";
constexpr std::uint16_t kReplaced = 4409;
constexpr int kMostDoublings = 16;

core::Error error_of(core::Code code, std::string message) { return {code, std::move(message)}; }

}  // namespace

RelayLink::RelayLink(core::Scheduler& scheduler, core::Entropy& entropy, net::Network& network,
                     LinkHandler& handler, LinkOptions options)
    : scheduler_(scheduler),
      entropy_(entropy),
      network_(network),
      handler_(handler),
      options_(std::move(options)),
      takeover_(options_.takeover) {}

RelayLink::~RelayLink() { scheduler_.cancel(timer_); }

void RelayLink::start() {
  if (state_ == State::idle) connect();
}

void RelayLink::stop() {
  scheduler_.cancel(std::exchange(timer_, 0));
  state_ = State::ended;
  if (socket_) socket_->close(net::close_code::kNormal, "");
}

bool RelayLink::send(const Envelope& envelope) {
  if (state_ != State::joined) return false;
  socket_->send_text(write_envelope(envelope));
  return true;
}

void RelayLink::connect() {
  state_ = State::connecting;
  replaced_.clear();
  net::WebSocketClientOptions options;
  options.target = options_.server.path + (options_.full_history ? "?full=1" : "");
  options.host = options_.server.authority;
  options.handshake_timeout = options_.join_timeout;
  if (!options_.token.empty()) {
    options.headers.emplace_back("Authorization", "Bearer " + options_.token);
  }
  socket_ = std::make_unique<net::WebSocketClient>(
      entropy_, static_cast<net::WebSocketClientHandler&>(*this), std::move(options));
  set_timer(options_.join_timeout, &RelayLink::on_join_timeout);
  socket_->connect(network_, scheduler_, options_.server.endpoint);
}

void RelayLink::on_open(net::WebSocketClient& /*client*/) {
  if (state_ != State::connecting) return;
  state_ = State::joining;
  send_join();
}

// Sent without waiting for relay.hello: the relay accepts relay.join at once.
void RelayLink::send_join() {
  Envelope join{"relay.join", std::string(kJoinId)};
  core::JsonWriter json(join.payload);
  json.begin_object().key("role").string(options_.role == LinkRole::agent ? "agent" : "host");
  json.key("sessionId").string(options_.session);
  if (!options_.name.empty()) json.key("agentName").string(options_.name);
  if (takeover_) json.key("takeover").boolean(true);
  json.end_object();
  socket_->send_text(write_envelope(join));
}

void RelayLink::on_message(net::WebSocketClient& /*client*/, net::MessageType /*type*/,
                           std::string_view data) {
  if (state_ != State::joining && state_ != State::joined) return;
  heard_ = true;
  const core::Result<Envelope> envelope = read_envelope(data);
  if (!envelope || envelope->type == "relay.hello") return;
  if (state_ == State::joining && envelope->reply_to == kJoinId) {
    take_answer(*envelope);
  } else {
    take(*envelope);
  }
}

void RelayLink::take_answer(const Envelope& envelope) {
  if (envelope.type == "relay.joined") {
    state_ = State::joined;
    failures_ = 0;
    takeover_ = false;
    set_timer(options_.ping_interval, &RelayLink::on_ping_time);
    handler_.on_joined(envelope.payload);
    return;
  }
  core::Error why =
      error_of(core::Code::failed_precondition, text_member(envelope.payload, "message"));
  if (text_member(envelope.payload, "code") == "SESSION_NOT_ACTIVE") {
    lose(std::move(why));  // another host is active; a later attempt may succeed
    return;
  }
  why.code = core::Code::invalid_argument;
  end(std::move(why));
}

void RelayLink::take(const Envelope& envelope) {
  if (state_ != State::joined) return;
  if (options_.role == LinkRole::host && envelope.type == "error" && envelope.reply_to.empty() &&
      text_member(envelope.payload, "code") == "SESSION_NOT_ACTIVE") {
    replaced_ = text_member(envelope.payload, "message");
  }
  handler_.on_envelope(envelope);
}

void RelayLink::on_pong(net::WebSocketClient& /*client*/, std::string_view /*payload*/) {
  heard_ = true;
}

void RelayLink::on_close(net::WebSocketClient& /*client*/, std::uint16_t code,
                         std::string_view reason) {
  if (state_ == State::ended || state_ == State::waiting) return;
  std::string why = "The server closed the connection (" + std::to_string(code) +
                    (reason.empty() ? ")." : ": " + std::string(reason) + ").");
  if (code == net::close_code::kUnauthenticated) {
    end(error_of(core::Code::unauthenticated, std::move(why)));
  } else if (!replaced_.empty() || (code == kReplaced && state_ == State::joined)) {
    end(error_of(core::Code::aborted, replaced_.empty() ? std::move(why) : replaced_));
  } else {
    lose(error_of(core::Code::unavailable, std::move(why)));
  }
}

void RelayLink::on_refused(net::WebSocketClient& /*client*/, const core::Error& error,
                           const net::Response& response) {
  if (state_ == State::ended || state_ == State::waiting) return;
  if (response.status == 401) {
    end(error_of(core::Code::unauthenticated, "The server requires a valid token."));
  } else if (response.status == 403 || response.status == 404) {
    end(error_of(core::Code::permission_denied,
                 "The server refused the connection (" + std::to_string(response.status) + ")."));
  } else {
    lose(error);
  }
}

// Destroys the socket in a later turn, because it may be in the middle of a callback.
void RelayLink::drop_socket() {
  if (!socket_) return;
  socket_->cut();
  scheduler_.post([socket = std::shared_ptr<net::WebSocketClient>(std::move(socket_))] {});
}

void RelayLink::lose(core::Error why) {
  state_ = State::waiting;
  drop_socket();
  const core::Millis pause = next_pause();
  set_timer(pause, &RelayLink::connect);
  handler_.on_lost(why, pause);
}

void RelayLink::end(core::Error why) {
  scheduler_.cancel(std::exchange(timer_, 0));
  state_ = State::ended;
  drop_socket();
  handler_.on_ended(why);
}

// Doubled each time, minus a random part of up to half, so that many clients do not reconnect at
// the same moment.
core::Millis RelayLink::next_pause() {
  const core::Millis full = std::min(
      options_.longest_pause, options_.first_pause * (1 << std::min(failures_, kMostDoublings)));
  ++failures_;
  const auto half = static_cast<std::uint64_t>(full.count() / 2);
  const std::uint64_t part = half == 0 ? 0 : entropy_.next_u64() % half;
  return full - core::Millis(static_cast<std::int64_t>(part));
}

void RelayLink::set_timer(core::Millis delay, void (RelayLink::*then)()) {
  scheduler_.cancel(timer_);
  timer_ = scheduler_.after(delay, [this, then] {
    timer_ = 0;
    (this->*then)();
  });
}

void RelayLink::on_join_timeout() {
  lose(error_of(core::Code::deadline_exceeded, "The server did not answer in time."));
}

void RelayLink::on_ping_time() {
  if (!std::exchange(heard_, false)) {
    lose(error_of(core::Code::unavailable, "The server has sent nothing for too long."));
    return;
  }
  socket_->ping("");
  set_timer(options_.ping_interval, &RelayLink::on_ping_time);
}

}  // namespace parley::agent_client
