// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/clock.h"

namespace parley::http_client {

// A received request.
struct ServedRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  // Empty if there is none of that name.
  std::string header(std::string_view name) const;
};

// The answer to a request.
struct ScriptedAnswer {
  struct Piece {
    core::Millis delay{0};  // before the piece is sent
    std::string bytes;
  };
  enum class Framing : std::uint8_t { chunked, length, until_close };
  enum class End : std::uint8_t {
    whole,    // complete, with the end that the framing requires
    cut,      // the connection is closed after the last piece, in the middle of the answer
    reset,    // the same, with a TCP reset
    hang,     // no further byte is sent, and the connection stays open
    endless,  // the last piece is sent again and again, as fast as the client reads
  };
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<Piece> pieces;
  Framing framing = Framing::chunked;
  End end = End::whole;
  core::Millis head_delay{0};
  bool no_head = false;  // with `cut` or `hang`: no head is sent either
  bool stamped = false;  // kStampMark in a piece becomes the time when it is sent
};

// Placeholder that a stamped answer replaces with the steady clock in nanoseconds, in as many
// digits; processes of one computer share that clock.
inline constexpr std::string_view kStampMark = "@@@@@@@@@@@@@@@@@@@@";

// An HTTP/1.1 server on a loopback port that the kernel chooses, with one thread for all
// connections. Understands only the requests that our clients send (Content-Length bodies).
class ScriptedServer {
 public:
  // Called on the server's thread for each request, one after the other.
  using Handler = std::function<ScriptedAnswer(const ServedRequest& request)>;

  // Port 0: any free port. Throws std::runtime_error if there is none.
  explicit ScriptedServer(Handler handler, std::uint16_t port = 0);
  ~ScriptedServer();  // ends all connections
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // All requests received so far. Any thread.
  std::vector<ServedRequest> requests() const;
  // Number of connections that the client ended before their answer was complete. Any thread.
  std::size_t abandoned() const;

 private:
  class Worker;
  std::uint16_t port_ = 0;
  std::unique_ptr<Worker> worker_;
  std::thread thread_;
};

}  // namespace parley::http_client
