// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/mcp_server.h"
#include "dialects/mcp_http/mcp_http_context.h"
#include "dialects/mcp_http/reply_channel.h"
#include "identity/auth/token_store.h"

namespace parley::mcp_http {

// The place of a message in a session: "STREAM-NUMBER", the id of its event.
struct EventPlace {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;

  std::string text() const;
  static std::optional<EventPlace> parse(std::string_view text);
};

// A session of a client up to revision 2025-11-25. Each request has a stream of its own, stream 0
// is for messages that belong to no request. A client that disconnects can take a stream up again:
// the messages of a stream are kept; of an ended one kReplayTime after it was sent, and until
// kMaxKeptBytes or kMaxEndedStreams of the session are newer. A disconnect cancels nothing. Used on
// the thread of the session; the channels belong to the threads of their connections.
class LegacySession : public std::enable_shared_from_this<LegacySession> {
 public:
  // Limit (MCP over HTTP): messages kept for an older client that comes back, beside the newest
  // answer. Reached: the oldest are dropped; 404.
  static constexpr std::size_t kMaxKeptBytes = 4U << 20U;  // beside the newest answer
  // Limit (MCP over HTTP): time that messages are kept for such a client. Reached: the oldest are
  // dropped; 404.
  static constexpr core::Millis kReplayTime = std::chrono::minutes(5);
  // Limit (MCP over HTTP): ended streams kept for a client that comes back. Reached: the oldest are
  // dropped; 404.
  static constexpr std::size_t kMaxEndedStreams = 64;
  // Limit (MCP over HTTP): readers (`GET`) of a session of an older client. Reached: the oldest is
  // cut.
  static constexpr std::size_t kMaxReaders = 4;  // of the stream 0

  LegacySession(McpHttpContext& context, std::size_t thread, std::string id, auth::Identity caller,
                std::string token, std::string peer);
  ~LegacySession();

  const std::string& id() const { return id_; }
  bool belongs_to(const auth::Identity& caller) const;
  // The revision that a request without MCP-Protocol-Version has; empty before `initialize`.
  const std::string& revision() const { return server_.negotiated(); }

  // Begins: watches the token and the idle time. Called once, when the context has the session.
  void begin();
  bool takes_batches() const;
  // Handles the messages of one HTTP request: the answers go to `channel`, which ends after the
  // last one, or at once if there is no request among them.
  void on_messages(std::vector<mcp::RpcMessage> messages, ReplyChannelPtr channel);
  // Opens the stream of messages that belong to no request. The newest reader gets the messages;
  // up to kMaxReaders stay connected, since a client that comes back for a stream that was cut
  // would cut another one for ever.
  void open_stream(ReplyChannelPtr channel);
  enum class Resumed : std::uint8_t {
    yes,
    unknown,  // the stream is not known (any more)
    over,     // nothing is left to send, now or later; the channel is not used
  };
  // Takes a stream up behind an event. A former reader of a request's stream is cut off.
  Resumed resume(const EventPlace& behind, const ReplyChannelPtr& channel);
  // Ends the session: all requests are cancelled with this reason.
  void close(std::string_view reason);

 private:
  struct PendingReply {
    std::uint64_t number = 0;
    std::shared_ptr<const std::string> text;
  };
  struct Stream {
    std::uint64_t last_number = 0;
    std::uint64_t sent = 0;  // the last number that a channel was given
    std::size_t open = 0;    // requests without an answer
    bool ended = false;
    std::deque<PendingReply> kept;
    ReplyChannelPtr channel;  // null: nobody reads
  };

  void adopt(std::uint64_t number, std::uint64_t behind, const ReplyChannelPtr& channel);
  void set_aside(std::uint64_t number, Stream& stream);
  void on_reader_disconnect(std::uint64_t number, const ReplyChannel* channel);
  void on_cancelled(const std::string& key);
  void on_outgoing(mcp::Outgoing message);
  void attach(std::uint64_t number, Stream& stream, ReplyChannelPtr channel);
  void deliver(std::uint64_t number, Stream& stream, const PendingReply& message, bool last,
               int status);
  void keep_within_limits();
  void drop(std::map<std::uint64_t, Stream>::iterator stream);
  void drop_later(std::uint64_t number);
  void check_token();
  void arm_idle();
  void on_idle();

  McpHttpContext& context_;
  const std::size_t thread_;
  core::Scheduler& scheduler_;
  const std::string id_;
  const auth::Identity caller_;
  const std::string token_;
  const std::string peer_;
  bool closed_ = false;
  std::map<std::uint64_t, Stream> streams_;
  std::deque<ReplyChannelPtr> former_readers_;      // of the stream 0, still connected; newest last
  std::map<std::string, std::uint64_t> stream_of_;  // by key of an open request
  std::uint64_t last_stream_ = 0;
  std::size_t kept_bytes_ = 0;
  std::size_t ended_streams_ = 0;
  core::MonoTime used_at_;
  core::TimerId idle_timer_ = 0;
  auth::TokenWatch token_watch_;
  std::unique_ptr<mcp::Offer> offer_;
  mcp::McpServer server_;
};

}  // namespace parley::mcp_http
