// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/mcp_http/modern_call.h"

#include <utility>

#include "agents/mcp/mcp_revision.h"
#include "base/core/ask.h"
#include "base/core/json_member.h"
#include "dialects/mcp_http/http_envelope.h"

namespace parley::mcp_http {

ModernCall::ModernCall(McpHttpContext& context, auth::Identity caller, std::string token,
                       std::string peer, net::Responder responder)
    : context_(context),
      caller_(std::move(caller)),
      token_(std::move(token)),
      peer_(std::move(peer)),
      channel_(ReplyChannel::make(std::move(responder))),
      offer_(context.make_offer(caller_, channel_->scheduler())),
      server_(*offer_, context.identity(),
              [this](mcp::Outgoing message) { on_outgoing(std::move(message)); }) {}

ModernCall::~ModernCall() = default;

void ModernCall::start(mcp::RpcMessage message, const net::Headers& headers) {
  const boost::json::object* params = message.params.if_object();
  const auto mirrored = message.method == "tools/call" && params != nullptr
                            ? offer_->mirrored_arguments(core::string_member(*params, "name"))
                            : std::vector<mcp::MirroredArgument>();
  if (const auto fits = check_fields(headers, message, mirrored); !fits) {
    return channel_->finish(400, {},
                            mcp::rpc_error(message.id, mcp::kHeaderMismatch, fits.error().message));
  }
  if (message.kind == mcp::RpcMessage::Kind::notification) return channel_->end(202);
  if (!names_revision(message)) {
    return channel_->finish(
        400, {},
        mcp::rpc_error(message.id, mcp::kInvalidParams,
                       "_meta: " + std::string(mcp::kVersionKey) + " must be a string"));
  }
  McpShard& shard = context_.shard(context_.index_of(channel_->scheduler()));
  std::size_t& open = shard.calls_of[caller_.workspace];
  if (open >= context_.options().max_calls) {
    return channel_->finish(429, {},
                            mcp::rpc_error(message.id, mcp::kInternalError,
                                           "Too many requests of this workspace are open (" +
                                               std::to_string(context_.options().max_calls) +
                                               "). Wait for one of them to end."));
  }
  ++open;
  shard.calls.emplace(this, shared_from_this());
  channel_->wait();
  channel_->on_disconnect(core::unless_gone(weak_from_this(), [](ModernCall& self) {
    self.context_.counters().callers_disconnected.add();
    self.close("The agent has gone: it closed its request.");
  }));
  const bool listens = message.method == "subscriptions/listen";
  server_.on_message(std::move(message));
  if (over_) return;
  if (listens) channel_->start_stream();
  token_watch_ = context_.verifier().watchers().watch(
      caller_.workspace, channel_->scheduler(),
      core::unless_gone(weak_from_this(), &ModernCall::check_token));
  check_token();
}

void ModernCall::check_token() {
  if (over_ || context_.verifier().may_continue(caller_, token_, peer_)) return;
  channel_->end(401);
  close("The agent's token is no longer valid.");
}

void ModernCall::on_outgoing(mcp::Outgoing message) {
  if (!message.last) return channel_->send({}, message.text);
  channel_->finish(status_of(message.error, true, message.envelope), {}, std::move(message.text));
  finish();
}

void ModernCall::close(std::string_view reason) {
  if (over_) return;
  const auto self = shared_from_this();
  server_.end_listening(reason);
  if (over_) return;
  finish();
  server_.close(reason);
  channel_->end(503);
}

// Drops the call; the caller holds a reference, or does not touch the call again.
void ModernCall::finish() {
  if (std::exchange(over_, true)) return;
  token_watch_.reset();
  McpShard& shard = context_.shard(context_.index_of(channel_->scheduler()));
  const auto count = shard.calls_of.find(caller_.workspace);
  if (count != shard.calls_of.end() && --count->second == 0) shard.calls_of.erase(count);
  // Not destroyed here: the server is calling.
  channel_->scheduler().post([self = shard.calls.extract(this)] {});
}

}  // namespace parley::mcp_http
