// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "agents/mcp/exchange.h"
#include "agents/mcp/json_rpc.h"
#include "agents/mcp/offer.h"
#include "base/core/scheduler.h"

namespace parley::mcp {

// A JSON-RPC message for the client.
struct Outgoing {
  std::string text;       // without a line end
  std::string request;    // key of the request that it belongs to; empty: none, or a whole batch
  bool last = false;      // the answer to that request
  int error = 0;          // code of an error answer
  bool envelope = false;  // the error concerns the message itself, not its parameters
};

// The MCP server of one client. Performs no I/O: it receives messages and passes messages to
// `send`.
//
// Serves both generations of MCP. Up to 2025-11-25 a client sends `initialize` once; since
// 2026-07-28 each request names its revision in `params._meta`, and `server/discover` lists the
// server's features. A request that names its revision there is answered in the new form, any other
// request in the old form.
//
// Requests are served side by side, up to kMaxExchanges. A cancelled request
// (notifications/cancelled) gets no answer.
class McpServer {
 public:
  using Send = absl::AnyInvocable<void(Outgoing message)>;

  struct Identity {
    std::string_view name;
    std::string_view title;
    std::string version;
  };

  // `offer` must outlive the server. Used on one thread.
  McpServer(Offer& offer, Identity identity, Send send);
  ~McpServer();
  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;

  // Handles the messages of one line: a message or, up to revision 2025-03-26, a batch.
  void on_line(std::string_view line);
  // Reports a line that was longer than kMaxLineBytes and was skipped.
  void on_oversized_line();
  // Handles one message. Its answer is never part of a batch.
  void on_message(RpcMessage message);
  // Ends one request without an answer, as a cancellation by the client does.
  void cancel(const std::string& key, std::string_view reason);
  // Ends the listening requests of revision 2026-07-28 as the end of the server does: each is told
  // that it is cancelled, and then answered.
  void end_listening(std::string_view reason);
  // Call when the client has disconnected. Cancels all open requests with this reason; no message
  // is sent afterwards.
  void close(std::string_view reason);

  // The revision of the last `initialize`; empty before.
  const std::string& negotiated() const { return negotiated_; }
  std::size_t exchanges() const { return exchanges_.size(); }
  bool is_open(const std::string& key) const { return exchanges_.contains(key); }

  // Limit (MCP over HTTP): open requests of a session. Reached: -32603.
  static constexpr std::size_t kMaxExchanges = 512;
  // Limit (MCP over HTTP): resources that a client subscribes to, or names in a listening request.
  // Reached: -32602; the others are not reported.
  static constexpr std::size_t kMaxSubscriptions = 100;

 private:
  friend class Exchange;
  struct Batch;
  // The listening request of a client, and what it wants to be told of.
  struct Listener {
    ExchangePtr exchange;
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    std::set<std::string> uris;
    std::set<std::string> tasks;
  };
  // A request to the client that awaits its response.
  struct Question {
    std::string exchange;  // key
    Exchange::Replied done;
  };

  void receive(RpcMessage message, const std::shared_ptr<Batch>& batch);
  void on_request(RpcMessage message, const std::shared_ptr<Batch>& batch);
  void on_notification(const RpcMessage& message);
  void on_response(const RpcMessage& message);
  // Reads the generation and the facts of a request. Errors are answered: then false.
  bool read_envelope(const RpcMessage& message, Exchange::Request& request,
                     const std::shared_ptr<Batch>& batch);
  void dispatch(const ExchangePtr& exchange);
  bool dispatch_legacy(const ExchangePtr& exchange);
  void initialize(const ExchangePtr& exchange);
  void discover(const ExchangePtr& exchange);
  void set_log_level(const ExchangePtr& exchange);
  void subscribe(const ExchangePtr& exchange, bool wanted);
  void listen(const ExchangePtr& exchange);
  void watch(const Interests& interests);
  void on_change(const Change& change);
  void tell(const Listener& listener, const Change& change);
  void write_capabilities(core::JsonWriter& json, std::string_view revision) const;

  // For Exchange.
  std::string result_line(const Exchange& exchange, std::string_view result, std::string_view meta,
                          std::string_view type) const;
  void send_for(const Exchange& exchange, std::string line);
  void end_exchange(Exchange& exchange, std::string line, int error);
  void ask_client(Exchange& exchange, std::string_view method, std::string_view params,
                  Exchange::Replied done);

  void withdraw_questions(const std::string& key);
  void refuse(const RpcMessage& message, const std::shared_ptr<Batch>& batch, int code,
              std::string_view text, std::string_view data = {});
  void answer(const std::shared_ptr<Batch>& batch, Outgoing message);
  std::string server_info() const;

  Offer& offer_;
  const Identity identity_;
  Send send_;
  bool closed_ = false;
  std::string negotiated_;
  std::string client_name_;                  // of the last initialize
  boost::json::object client_capabilities_;  // the same
  int log_level_ = 1;                        // "info"
  std::map<std::string, ExchangePtr> exchanges_;
  std::map<std::string, std::shared_ptr<Batch>> batches_;  // by key of an open request
  std::map<std::string, Question> questions_;              // by id
  std::uint64_t last_question_ = 0;
  std::set<std::string> subscribed_;           // URIs, of a client up to 2025-11-25
  std::map<std::string, Listener> listeners_;  // by key of the request
};

}  // namespace parley::mcp
