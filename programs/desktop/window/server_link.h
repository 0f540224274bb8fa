// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libsoup/soup.h>

#include <memory>
#include <string>

#include "agentassist.pb.h"
#include "programs/desktop/desktop_state.h"
#include "programs/desktop/window/glib_object.h"

namespace parley::desktop {

namespace pb = agentassistproto;

class ServerLink;

// Called on the main loop. The link must not be destroyed inside.
class ServerLinkHandler {
 public:
  virtual ~ServerLinkHandler() = default;
  virtual void on_link_phase(ServerLink& link) = 0;
  // Called for every message but the answer to the login.
  virtual void on_link_message(ServerLink& link, const pb::WebsocketMessage& message) = 0;
};

// The connection to the user interface socket of one server: logs in, requests the open questions
// and reports, detects a dead connection, reconnects with growing pauses until its destruction or
// until the token is refused. Follows no redirect, because the login contains the token. The
// transport is libsoup, so that proxies and certificates are those of the page.
class ServerLink {
 public:
  ServerLink(const std::string& url, std::string token, std::string nickname,
             ServerLinkHandler& handler);
  ServerLink(const ServerLink&) = delete;
  ServerLink& operator=(const ServerLink&) = delete;
  ~ServerLink();

  // Drops the connection, if there is one, and connects.
  void start();
  // No effect unless the link waits for its next attempt.
  void retry_now();
  // False: not connected; nothing is queued.
  bool send(const pb::WebsocketMessage& message);

  LinkPhase phase() const { return phase_; }
  // The server's reason for refusing the token.
  const std::string& refusal() const { return refusal_; }

 private:
  static void on_connected(GObject* session, GAsyncResult* result, gpointer data);
  void on_message(SoupWebsocketConnection* socket, gint type, GBytes* bytes);
  void on_closed(SoupWebsocketConnection* socket);

  void take_login(const pb::UserLoginResponse& answer);
  void lost();
  void refused(const std::string& reason);
  void drop();
  void watch();
  void set_phase(LinkPhase phase);

  std::string url_;
  std::string token_;
  std::string nickname_;
  ServerLinkHandler& handler_;
  ObjectPtr<SoupSession> session_;
  ObjectPtr<SoupWebsocketConnection> socket_;
  // Shared with a connection attempt; the inner pointer is null after the attempt was given up.
  std::shared_ptr<ServerLink*> attempt_;
  ObjectPtr<GCancellable> cancel_;
  Timer timer_;
  LinkPhase phase_ = LinkPhase::off;
  std::string refusal_;
  int failures_ = 0;
  bool heard_ = false;  // a message came since the last query
};

}  // namespace parley::desktop
