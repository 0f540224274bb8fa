// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"

namespace parley::mcp {

class McpServer;

// The client of a request: what it has declared.
struct ClientFacts {
  std::string revision;  // of the protocol
  std::string name;      // as the client calls itself; may be empty
  boost::json::object capabilities;

  bool modern() const;
  // True if the capability is declared; `part` names a member of it.
  bool declares(std::string_view capability, std::string_view part = {}) const;
  // True if an extension of the protocol is declared.
  bool extends(std::string_view extension) const;
};

// Severity of a log message, as MCP names them. Errors: std::nullopt for another word.
std::optional<int> log_level_named(std::string_view word);

// One request of a client, from its arrival to its answer. Used on the thread of its McpServer.
// After the answer, after a cancellation and after the end of the server every call is a no-op.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  struct Request {
    std::string id;   // JSON, as the client wrote it
    std::string key;  // rpc_id_key() of the id
    std::string method;
    boost::json::object params;  // empty if absent
    ClientFacts client;
    std::string progress_token;    // JSON; empty: none
    std::optional<int> log_level;  // the lowest level that the client wants; none: no log
  };
  using Cancelled = absl::AnyInvocable<void(std::string_view reason)>;
  using Replied = absl::AnyInvocable<void(core::Result<boost::json::object>)>;

  Exchange(McpServer& server, Request request);

  const std::string& key() const { return request_.key; }
  const std::string& id() const { return request_.id; }
  const std::string& method() const { return request_.method; }
  const boost::json::object& params() const { return request_.params; }
  const ClientFacts& client() const { return request_.client; }
  bool wants_progress() const { return !request_.progress_token.empty(); }
  bool open() const { return server_ != nullptr; }

  // Answers with `result`, a JSON object without "_meta" and "resultType"; `meta`: members of its
  // "_meta". `type`: the "resultType" of revision 2026-07-28.
  void reply(std::string_view result, std::string_view meta = {},
             std::string_view type = "complete");
  // Answers with an error; `data` is JSON.
  void fail(int code, std::string_view text, std::string_view data = {});
  // Answers `invalid params` or, by its code, another error.
  void fail(const core::Error& error);

  // Sends a notification that belongs to this request; `params` is a JSON object.
  void notify(std::string_view method, std::string_view params);
  // Sends the progress, if the client wants it; `done` must rise.
  void progress(std::int64_t done, std::int64_t total, std::string_view message);
  // Sends a log message, if the client wants this level; `data` is JSON.
  void log(std::string_view level, std::string_view data);
  // Sends a request to the client and passes on its result; not to a client of revision
  // 2026-07-28. An end of the exchange withdraws the request. Errors: `failed_precondition` with
  // the client's words.
  void ask_client(std::string_view method, std::string_view params, Replied done);

  // `task` runs once if the client cancels the request or has gone, not after an answer.
  void on_cancel(Cancelled task) { cancelled_ = std::move(task); }

 private:
  friend class McpServer;
  // Ends the exchange without an answer.
  void cancel(std::string_view reason);

  McpServer* server_;  // null: ended
  Request request_;
  Cancelled cancelled_;
};

using ExchangePtr = std::shared_ptr<Exchange>;

}  // namespace parley::mcp
