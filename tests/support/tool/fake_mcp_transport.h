// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/tool/mcp/mcp_transport.h"

namespace parley::tool {

// Record and control of a fake transport for a test. Outlives the transport.
struct FakeMcpLine {
  McpTransport::Events events;
  std::vector<std::string> sent;
  std::vector<std::int64_t> dropped;
  std::string agreed;
  bool open = false;
  bool closed = false;

  void say(std::string_view json) { events.on_message(json); }
  void die(const std::string& why) { events.on_closed(why); }
};

class FakeMcpTransport final : public McpTransport {
 public:
  explicit FakeMcpTransport(std::shared_ptr<FakeMcpLine> line) : line_(std::move(line)) {}

  void open(Events events) override {
    line_->events = std::move(events);
    line_->open = true;
  }
  void send(std::string json, std::int64_t request) override {
    static_cast<void>(request);
    line_->sent.push_back(std::move(json));
  }
  void drop(std::int64_t request) override { line_->dropped.push_back(request); }
  void agreed(const std::string& protocol_version) override { line_->agreed = protocol_version; }
  void close() override { line_->closed = true; }

 private:
  std::shared_ptr<FakeMcpLine> line_;
};

}  // namespace parley::tool
