// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "core/scheduler.h"
#include "mcp/assistant_call.h"
#include "mcp/json_rpc.h"
#include "mcp/tool_catalog.h"

namespace parley::mcp {

// The MCP server of one client. Performs no I/O: it receives lines in on_line() and passes lines to
// `send`.
//
// Serves both generations of MCP. Up to 2025-11-25 a client sends `initialize` once; since
// 2026-07-28 each request names its revision in `params._meta`, and `server/discover` lists the
// server's features. A request that names its revision there is answered in the new form, any other
// request in the old form.
//
// Tool calls run concurrently, up to kMaxCalls. Cancelling a call (notifications/cancelled) also
// cancels its question on the server, and the call gets no answer. A waiting call with a
// progressToken gets a progress message every kProgressEvery.
class McpServer {
 public:
  // Sends one line, without its end, to the client.
  using Send = absl::AnyInvocable<void(std::string line)>;

  // All references must outlive the server. Used on the scheduler's thread.
  McpServer(core::Scheduler& scheduler, AssistantCalls& assistant, std::string version,
            ToolChoice tools, Send send);
  ~McpServer();
  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;

  void on_line(std::string_view line);
  // Reports a line that was longer than kMaxLineBytes and was skipped.
  void on_oversized_line();
  // Call when the client has disconnected. Cancels all waiting calls with this reason; no line is
  // sent afterwards.
  void close(std::string_view reason);

  std::size_t calls() const { return calls_.size(); }

  static constexpr core::Millis kProgressEvery = std::chrono::seconds(25);
  static constexpr std::size_t kMaxCalls = 256;
  static constexpr std::string_view kName = "Agent-Assistant";

 private:
  struct Batch;
  struct Call;
  struct Request;

  void on_message(RpcMessage message, const std::shared_ptr<Batch>& batch);
  void on_request(Request& request);
  void dispatch(Request& request);
  void on_notification(const RpcMessage& message);
  void on_cancelled(const RpcMessage& message);
  void initialize(Request& request);
  void discover(Request& request);
  void list_tools(Request& request);
  void call_tool(Request& request);
  void start_call(Request& request, ToolArguments arguments);
  void on_outcome(const std::string& key, const AssistantOutcome& outcome);
  void send_progress(const std::string& key);
  std::string client_name(const Request& request) const;
  std::string server_info() const;
  std::string modern_meta() const;

  void answer(const std::shared_ptr<Batch>& batch, std::string line);
  void answer_result(const Request& request, std::string_view result);
  void answer_error(const Request& request, int code, std::string_view text,
                    std::string_view data = {});

  core::Scheduler& scheduler_;
  AssistantCalls& assistant_;
  const std::string version_;
  const ToolChoice tools_;
  Send send_;
  bool closed_ = false;
  std::string negotiated_;   // revision of the last initialize; empty before
  std::string client_name_;  // client name in the last initialize
  std::map<std::string, std::unique_ptr<Call>> calls_;  // waiting tool calls, by rpc_id_key()
};

}  // namespace parley::mcp
