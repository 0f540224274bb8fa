// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/server_link.h"

#include <utility>

#include "programs/desktop/console_address.h"
#include "programs/desktop/link_frames.h"

namespace parley::desktop {
namespace {

constexpr guint kLoginTimeoutMs = 10'000;
constexpr guint kQueryMs = 30'000;
constexpr guint kSilenceMs = 15'000;
// A list of all open questions of one session fits.
constexpr guint64 kMaxFrameBytes = 128U << 20U;
constexpr gushort kDenied = 4401;

}  // namespace

ServerLink::ServerLink(const std::string& url, std::string token, std::string nickname,
                       ServerLinkHandler& handler)
    : url_(websocket_url(url)),
      token_(std::move(token)),
      nickname_(std::move(nickname)),
      handler_(handler),
      session_(soup_session_new()) {}

ServerLink::~ServerLink() { drop(); }

void ServerLink::start() {
  drop();
  attempt_ = std::make_shared<ServerLink*>(this);
  cancel_.reset(g_cancellable_new());
  const ObjectPtr<SoupMessage> message(soup_message_new(SOUP_METHOD_GET, url_.c_str()));
  soup_message_add_flags(message.get(), SOUP_MESSAGE_NO_REDIRECT);
  soup_session_websocket_connect_async(session_.get(), message.get(), nullptr, nullptr,
                                       G_PRIORITY_DEFAULT, cancel_.get(), &ServerLink::on_connected,
                                       new std::shared_ptr<ServerLink*>(attempt_));
  timer_.start(kLoginTimeoutMs, [this] { lost(); });
  set_phase(LinkPhase::connecting);
}

void ServerLink::on_connected(GObject* session, GAsyncResult* result, gpointer data) {
  const std::unique_ptr<std::shared_ptr<ServerLink*>> attempt(
      static_cast<std::shared_ptr<ServerLink*>*>(data));
  ObjectPtr<SoupWebsocketConnection> socket(
      soup_session_websocket_connect_finish(SOUP_SESSION(session), result, nullptr));
  if (**attempt == nullptr) return;
  ServerLink& self = ***attempt;
  if (!socket) {
    self.lost();
    return;
  }
  self.socket_ = std::move(socket);
  soup_websocket_connection_set_max_incoming_payload_size(self.socket_.get(), kMaxFrameBytes);
  connect<&ServerLink::on_message>(self.socket_.get(), "message", &self);
  connect<&ServerLink::on_closed>(self.socket_.get(), "closed", &self);
  const std::string login = login_message(self.token_, self.nickname_).SerializeAsString();
  soup_websocket_connection_send_binary(self.socket_.get(), login.data(), login.size());
}

bool ServerLink::send(const pb::WebsocketMessage& message) {
  if (phase_ != LinkPhase::online || !socket_ ||
      soup_websocket_connection_get_state(socket_.get()) != SOUP_WEBSOCKET_STATE_OPEN) {
    return false;
  }
  const std::string bytes = message.SerializeAsString();
  soup_websocket_connection_send_binary(socket_.get(), bytes.data(), bytes.size());
  return true;
}

void ServerLink::on_message(SoupWebsocketConnection* /*socket*/, gint type, GBytes* bytes) {
  if (type != SOUP_WEBSOCKET_DATA_BINARY) return;
  gsize size = 0;
  const void* const data = g_bytes_get_data(bytes, &size);
  pb::WebsocketMessage message;
  if (!message.ParseFromArray(data, static_cast<int>(size))) return;
  heard_ = true;
  if (message.cmd() == "UserLogin") {
    take_login(message.userloginresponse());
  } else if (phase_ == LinkPhase::online) {
    handler_.on_link_message(*this, message);
  }
}

void ServerLink::take_login(const pb::UserLoginResponse& answer) {
  if (!answer.success()) {
    refused(answer.error_message());
    return;
  }
  if (phase_ == LinkPhase::online) return;
  failures_ = 0;
  set_phase(LinkPhase::online);
  send(pending_query());
  watch();
}

// Detects a connection that looks open after a sleep or a loss of network.
void ServerLink::watch() {
  timer_.start(kQueryMs, [this] {
    heard_ = false;
    send(online_query());
    timer_.start(kSilenceMs, [this] {
      if (heard_) {
        watch();
      } else {
        lost();
      }
    });
  });
}

void ServerLink::on_closed(SoupWebsocketConnection* socket) {
  if (soup_websocket_connection_get_close_code(socket) == kDenied) {
    refused(text_or_empty(soup_websocket_connection_get_close_data(socket)));
  } else {
    lost();
  }
}

void ServerLink::refused(const std::string& reason) {
  drop();
  refusal_ = reason;
  set_phase(LinkPhase::denied);
}

void ServerLink::lost() {
  drop();
  const auto pause = reconnect_pause_ms(failures_++, g_random_double());
  timer_.start(static_cast<guint>(pause), [this] { start(); });
  set_phase(LinkPhase::waiting);
}

void ServerLink::retry_now() {
  if (phase_ == LinkPhase::waiting) start();
}

void ServerLink::drop() {
  timer_.cancel();
  if (attempt_) *attempt_ = nullptr;
  attempt_.reset();
  if (cancel_) g_cancellable_cancel(cancel_.get());
  cancel_.reset();
  if (!socket_) return;
  const ObjectPtr<SoupWebsocketConnection> socket = std::move(socket_);
  disconnect(socket.get(), this);
  if (soup_websocket_connection_get_state(socket.get()) == SOUP_WEBSOCKET_STATE_OPEN) {
    soup_websocket_connection_close(socket.get(), SOUP_WEBSOCKET_CLOSE_NORMAL, nullptr);
  }
}

void ServerLink::set_phase(LinkPhase phase) {
  phase_ = phase;
  handler_.on_link_phase(*this);
}

}  // namespace parley::desktop
