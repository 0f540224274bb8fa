// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_server.h"

#include <spdlog/spdlog.h>

#include "base/core/ask.h"

namespace parley::tool {

using core::Code;
using core::Result;

McpServer::~McpServer() {
  home_.cancel(idle_timer_);
  if (client_) client_->close("it is shut down");
}

void McpServer::tools(Done<std::vector<McpToolInfo>> done) {
  if (tools_) return done(*tools_);
  if (failure_ && home_.clock().mono() < retry_at_) return done(core::fail(*failure_));
  list(std::move(done));
}

void McpServer::list(Done<std::vector<McpToolInfo>> done) {
  with_client([self = shared_from_this(),
               done = std::move(done)](Result<std::shared_ptr<McpClient>> client) mutable {
    if (!client) return done(core::fail(client.error()));
    (*client)->list_tools(
        [self, done = std::move(done)](Result<std::vector<McpToolInfo>> tools) mutable {
          if (tools) self->tools_ = *tools;
          done(std::move(tools));
        });
  });
}

std::shared_ptr<McpServer::Call> McpServer::call(std::string tool, boost::json::object arguments,
                                                 McpClient::Progress progress,
                                                 Done<boost::json::object> done) {
  auto call = std::make_shared<Call>();
  touch();
  with_client([self = shared_from_this(), call, tool = std::move(tool),
               arguments = std::move(arguments), progress = std::move(progress),
               done = std::move(done)](Result<std::shared_ptr<McpClient>> client) mutable {
    if (call->cancelled_) return;
    if (!client) return done(core::fail(client.error()));
    call->client_ = *client;
    call->request_ = (*client)->call_tool(
        tool, std::move(arguments), std::move(progress),
        [self, call, done = std::move(done)](Result<boost::json::object> result) mutable {
          call->client_.reset();
          self->touch();
          done(std::move(result));
        });
  });
  return call;
}

void McpServer::Call::cancel(const std::string& why) {
  cancelled_ = true;
  if (const auto client = std::exchange(client_, nullptr)) client->cancel(request_, why);
}

void McpServer::with_client(WithClient use) {
  if (client_ && ready_) return use(client_);
  waiting_.push_back(std::move(use));
  if (client_) return;
  if (may_start()) return start();
  notify_waiting(core::fail(Code::unavailable,
                            "MCP server " + name_ + " has ended " + std::to_string(deaths_.size()) +
                                " times within a minute. Try again after a minute."));
}

void McpServer::notify_waiting(const Result<std::shared_ptr<McpClient>>& client) {
  for (WithClient& use : std::exchange(waiting_, {})) use(client);
}

void McpServer::note_failure(core::Error error) {
  failure_ = std::move(error);
  retry_at_ = home_.clock().mono() + options_.pause_after_failure;
}

bool McpServer::may_start() {
  const core::MonoTime now = home_.clock().mono();
  while (!deaths_.empty() && now - deaths_.front() >= kRestartWindow) deaths_.pop_front();
  return deaths_.size() <= kMaxRestarts;
}

void McpServer::start() {
  client_ = std::make_shared<McpClient>(name_, make_transport_(), home_, options_.client);
  McpClient::Events events;
  const std::weak_ptr<McpServer> weak = weak_from_this();
  events.on_tools_changed = core::unless_gone(weak, [](McpServer& self) { self.tools_.reset(); });
  events.on_closed =
      core::unless_gone(weak, [client = client_.get()](McpServer& self, const std::string& why) {
        self.on_closed(client, why);
      });
  client_->initialize(
      std::move(events),
      core::unless_gone(weak, [client = client_.get()](McpServer& self, Result<void> result) {
        if (self.client_.get() == client) self.on_started(std::move(result));
      }));
}

void McpServer::on_started(Result<void> result) {
  failure_.reset();
  if (!result) {
    spdlog::debug("{}", result.error().message);
    deaths_.push_back(home_.clock().mono());
    note_failure(result.error());
    detach();
    return notify_waiting(core::fail(result.error()));
  }
  ready_ = true;
  touch();
  notify_waiting(client_);
}

// The server closed by itself; the client has answered all pending requests.
void McpServer::on_closed(const McpClient* client, const std::string& why) {
  if (client_.get() != client) return;
  deaths_.push_back(home_.clock().mono());
  spdlog::warn("MCP server {}: {}", name_, why);
  tools_.reset();
  detach();
}

void McpServer::stop(const std::string& why) {
  if (client_) client_->close(why);
  detach();
}

// May run inside a call of the client, so the client is destroyed later.
void McpServer::detach() {
  ready_ = false;
  home_.cancel(std::exchange(idle_timer_, 0));
  if (!client_) return;
  client_->close("it is closed");
  home_.post([client = std::move(client_)] { static_cast<void>(client); });
  client_.reset();
}

void McpServer::touch() {
  home_.cancel(std::exchange(idle_timer_, 0));
  if (!client_) return;
  idle_timer_ =
      home_.after(options_.idle_end, core::unless_gone(weak_from_this(), [](McpServer& self) {
                    self.idle_timer_ = 0;
                    if (self.client_ && self.client_->waiting() == 0) {
                      self.stop("it was not used");
                    } else {
                      self.touch();
                    }
                  }));
}

}  // namespace parley::tool
