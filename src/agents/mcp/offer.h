// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/exchange.h"
#include "base/core/json_writer.h"

namespace parley::mcp {

// A change that clients can ask to be told of.
struct Change {
  enum class Kind : std::uint8_t { tools, prompts, resources, resource, task };
  Kind kind = Kind::resource;
  std::string what = {};    // the URI of a resource, the id of a task
  std::string detail = {};  // of a task: JSON, its whole state
};

// The changes that a client is told of, beside those of the other lists.
struct Interests {
  std::vector<std::string> uris = {};
  std::vector<std::string> tasks = {};
  bool resource_list = false;
};

// An argument of a tool whose value HTTP clients repeat in the field "Mcp-Param-" + `field`.
struct MirroredArgument {
  std::string field;
  std::vector<std::string> path;  // from "arguments" to the value
};

// The tools, prompts and resources of an MCP server. One object serves one client; used on the
// thread of its McpServer.
class Offer {
 public:
  Offer() = default;
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;
  virtual ~Offer() = default;

  // Appends the members of "capabilities" but for "logging".
  virtual void write_capabilities(core::JsonWriter& json, std::string_view revision) const = 0;
  // Instructions for the client's model.
  virtual std::string_view instructions() const = 0;

  // Serves a request, now or later, unless its method is unknown: then the result is false.
  virtual bool handle(const ExchangePtr& exchange) = 0;

  virtual std::vector<MirroredArgument> mirrored_arguments(std::string_view /*tool*/) const {
    return {};
  }

  // Reports changes from now on, at least those that are named; called again for further ones.
  // `changed` is called on the server's thread, never within this call.
  virtual void watch(const Interests& /*interests*/,
                     std::function<void(const Change&)> /*changed*/) {}
};

}  // namespace parley::mcp
