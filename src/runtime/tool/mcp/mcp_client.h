// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "runtime/tool/mcp/mcp_transport.h"

namespace parley::tool {

// Description of a tool by an MCP server.
struct McpToolInfo {
  std::string name;
  std::string description;
  std::string input_schema;  // JSON Schema of an object, as JSON text
  bool read_only = false;    // its annotation readOnlyHint
};

struct McpClientOptions {
  std::string version;  // of this program, sent to servers
  // Limit (Tools): `initialize` of an MCP server. Reached: left out.
  core::Millis initialize_timeout{20'000};
  // Limit (Tools): list of tools of an MCP server. Reached: left out.
  core::Millis list_timeout{30'000};
  // Limit (Tools): a call of an MCP server without progress. Reached: the call fails.
  core::Millis call_timeout{600'000};  // without progress
};

// A connection to one MCP server over a transport, which it opens. All calls and callbacks are on
// the home scheduler. Each request calls its `done` once; errors: `deadline_exceeded`,
// `unavailable` (the server has gone or sent no answer), `internal` (the server answered with an
// error), `data_loss` (the answer is invalid).
class McpClient : public std::enable_shared_from_this<McpClient> {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;
  using Progress = std::function<void(std::string_view text)>;

  struct Events {
    std::function<void()> on_tools_changed;
    std::function<void(std::string why)> on_closed;  // closed by the server; called at most once
  };

  McpClient(std::string name, std::unique_ptr<McpTransport> transport, core::Scheduler& home,
            McpClientOptions options)
      : name_(std::move(name)),
        transport_(std::move(transport)),
        home_(home),
        options_(std::move(options)) {}

  // Opens the transport and agrees on a version: requests the first of kProtocolVersions, and
  // accepts another one if the server names it. Call first, and once.
  void initialize(Events events, Done<void> done);
  // Lists all pages, at most kMaxTools tools. A faulty tool is left out.
  void list_tools(Done<std::vector<McpToolInfo>> done);
  // The value is the result of tools/call. `progress` may be empty.
  std::int64_t call_tool(const std::string& tool, boost::json::object arguments, Progress progress,
                         Done<boost::json::object> done);
  // Tells the server that the answer is no longer needed; the call's `done` is not called.
  void cancel(std::int64_t request, const std::string& why);
  // Closes the connection. Pending requests get `unavailable`.
  void close(const std::string& why);

  // Number of pending requests.
  std::size_t waiting() const { return pending_.size(); }

  static constexpr std::string_view kProtocolVersions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                           "2024-11-05"};
  // Limit (Tools): tools of an MCP server. Reached: left out.
  static constexpr std::size_t kMaxTools = 1'000;
  static constexpr std::size_t kMaxPages = 100;
  // Limit of consecutive unreadable messages; the server is then taken to be no MCP server.
  static constexpr int kMaxGarbage = 20;

 private:
  struct Pending {
    Done<boost::json::value> done;
    Progress progress;
    core::Millis timeout{};
    core::TimerId timer = 0;
  };
  struct Listing;

  std::int64_t request(std::string_view method, boost::json::object params, core::Millis timeout,
                       Progress progress, Done<boost::json::value> done);
  void notify(std::string_view method, boost::json::object params);
  void on_initialized(core::Result<boost::json::value> result, Done<void> done);
  void list_page(std::shared_ptr<Listing> listing);
  void on_page(const std::shared_ptr<Listing>& listing, core::Result<boost::json::value> result);
  void on_text(std::string_view text);
  void on_message(const boost::json::object& message);
  void on_answer(const boost::json::object& message);
  void on_request(std::string_view method, const boost::json::value& id);
  void on_notification(std::string_view method, const boost::json::object& message);
  void on_progress(const boost::json::object& params);
  void on_timeout(std::int64_t id);
  void on_closed(const std::string& why);
  void arm(std::int64_t id, Pending& pending);
  void settle(std::int64_t id, core::Result<boost::json::value> result);
  tl::unexpected<core::Error> failed(core::Code code, const std::string& what) const;

  const std::string name_;
  std::unique_ptr<McpTransport> transport_;
  core::Scheduler& home_;
  const McpClientOptions options_;
  Events events_;
  std::map<std::int64_t, Pending> pending_;
  std::int64_t last_id_ = 0;
  int garbage_ = 0;
  bool closed_ = false;
};

}  // namespace parley::tool
