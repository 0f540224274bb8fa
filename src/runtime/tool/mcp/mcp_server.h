// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/scheduler.h"
#include "runtime/tool/mcp/mcp_client.h"

namespace parley::tool {

struct McpServerOptions {
  McpClientOptions client;
  // After a failed start, no list of tools starts the server again before this time has passed.
  core::Millis pause_after_failure{30'000};
  // A server without calls for this time is stopped; the next call starts it again.
  // Limit (Tools): an idle MCP server. Reached: ended.
  core::Millis idle_end{900'000};
};

// One configured MCP server: started on demand, and restarted after it died, at most kMaxRestarts
// times a minute. All calls and callbacks are on the home scheduler.
class McpServer : public std::enable_shared_from_this<McpServer> {
 public:
  using MakeTransport = std::function<std::unique_ptr<McpTransport>()>;
  template <typename T>
  using Done = McpClient::Done<T>;

  // `digest`: of its configuration (mcp_config_digest()).
  McpServer(std::string name, std::string digest, MakeTransport make_transport,
            core::Scheduler& home, McpServerOptions options)
      : name_(std::move(name)),
        digest_(std::move(digest)),
        make_transport_(std::move(make_transport)),
        home_(home),
        options_(std::move(options)) {}
  ~McpServer();

  const std::string& name() const { return name_; }
  const std::string& digest() const { return digest_; }

  // Tools of the server; cached until the server reports a change. Errors: those of McpClient.
  void tools(Done<std::vector<McpToolInfo>> done);

  // Handle of one call. Destruction does not end the call; cancel() ends it without calling `done`.
  class Call {
   public:
    void cancel(const std::string& why);

   private:
    friend class McpServer;
    std::shared_ptr<McpClient> client_;
    std::int64_t request_ = 0;
    bool cancelled_ = false;
  };
  std::shared_ptr<Call> call(std::string tool, boost::json::object arguments,
                             McpClient::Progress progress, Done<boost::json::object> done);

  // Stops the server; pending calls get an error. The next use starts it again.
  void stop(const std::string& why);
  bool running() const { return client_ != nullptr; }

  // Limit (Tools): restarts of an MCP server within `kRestartWindow`. Reached: calls fail.
  static constexpr std::size_t kMaxRestarts = 3;
  // Limit (Tools): window in which the restarts of an MCP server are counted.
  static constexpr core::Millis kRestartWindow{60'000};

 private:
  using WithClient = Done<std::shared_ptr<McpClient>>;

  void with_client(WithClient use);
  bool may_start();
  void notify_waiting(const core::Result<std::shared_ptr<McpClient>>& client);
  void note_failure(core::Error error);
  void start();
  void on_started(core::Result<void> result);
  void on_closed(const McpClient* client, const std::string& why);
  void list(Done<std::vector<McpToolInfo>> done);
  void detach();
  void touch();

  const std::string name_;
  const std::string digest_;
  const MakeTransport make_transport_;
  core::Scheduler& home_;
  const McpServerOptions options_;
  std::shared_ptr<McpClient> client_;
  bool ready_ = false;
  std::vector<WithClient> waiting_;    // callbacks until it is ready
  std::deque<core::MonoTime> deaths_;  // times of deaths and failed starts
  std::optional<std::vector<McpToolInfo>> tools_;
  std::optional<core::Error> failure_;  // of the last start, until retry_at_
  core::MonoTime retry_at_;
  core::TimerId idle_timer_ = 0;
};

}  // namespace parley::tool
