// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "program.h"
#include "tools/conformance/wire.h"

namespace parley::tests {

enum class Transport : std::uint8_t { ndjson, sse, websocket };
inline constexpr Transport kTransports[] = {Transport::ndjson, Transport::sse,
                                            Transport::websocket};
const char* name_of(Transport transport);

// A client that watches a run of a server, from after an event on. The last frame over HTTP is the
// reply; over the WebSocket the end comes in a message of its own.
class RunWatcher {
 public:
  RunWatcher(const Server& server, std::string token, Transport transport, std::string run_id,
             std::uint64_t after = 0);

  // The next frame, unchanged; std::nullopt at the end.
  std::optional<std::string> next();
  // run_end or error of the WebSocket, after next() has returned std::nullopt.
  const std::optional<boost::json::object>& ending() const { return ending_; }

 private:
  void open_http(const Server& server, const std::string& token);
  void open_websocket(const Server& server, const std::string& token);
  std::optional<std::string> event_in(const conformance::Received& received);

  const Transport transport_;
  const std::string run_id_;
  const std::uint64_t after_;
  std::unique_ptr<conformance::Wire> wire_;
  std::optional<boost::json::object> ending_;
};

}  // namespace parley::tests
