// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agents/mcp/mcp_server.h"
#include "base/net/http/http.h"
#include "dialects/mcp_http/mcp_http_context.h"
#include "dialects/mcp_http/reply_channel.h"
#include "identity/auth/token_store.h"

namespace parley::mcp_http {

// One request of revision 2026-07-28. A client that disconnects cancels it. Used on the thread of
// the connection; the context keeps it until its end.
class ModernCall : public std::enable_shared_from_this<ModernCall> {
 public:
  ModernCall(McpHttpContext& context, auth::Identity caller, std::string token, std::string peer,
             net::Responder responder);
  ~ModernCall();

  void start(mcp::RpcMessage message, const net::Headers& headers);
  // Ends the request without an answer.
  void close(std::string_view reason);

 private:
  void on_outgoing(mcp::Outgoing message);
  void check_token();
  void finish();

  McpHttpContext& context_;
  const auth::Identity caller_;
  const std::string token_;
  const std::string peer_;
  bool over_ = false;
  ReplyChannelPtr channel_;
  std::unique_ptr<mcp::Offer> offer_;
  mcp::McpServer server_;
  auth::TokenWatch token_watch_;
};

}  // namespace parley::mcp_http
