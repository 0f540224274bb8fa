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

#include "core/clock.h"

namespace parley::http_client {

// A request as it came.
struct ServedRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  // Empty if there is none of that name.
  std::string header(std::string_view name) const;
};

// What the server does about a request.
struct ScriptedAnswer {
  struct Piece {
    core::Millis delay{0};  // before it is sent
    std::string bytes;
  };
  enum class Framing : std::uint8_t { chunked, length, until_close };
  enum class End : std::uint8_t {
    whole,    // as the framing says
    cut,      // the connection is closed after the last piece, in the middle of the answer
    reset,    // the same, with a TCP reset
    hang,     // nothing more comes, for ever
    endless,  // the last piece comes again and again, as fast as it is taken
  };
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<Piece> pieces;
  Framing framing = Framing::chunked;
  End end = End::whole;
  core::Millis head_delay{0};
  bool no_head = false;  // with `cut` or `hang`: not even that
  bool stamped = false;  // kStampMark in a piece becomes the time when it is sent
};

// In a stamped answer each of these becomes the steady clock in nanoseconds, in as many digits:
// processes of one computer share that clock.
inline constexpr std::string_view kStampMark = "@@@@@@@@@@@@@@@@@@@@";

// An HTTP/1.1 server on a port of loopback that the kernel chose, with one thread for any number of
// connections. Understands just what a client of ours sends (Content-Length bodies).
class ScriptedServer {
 public:
  // Called on the server's thread, for each request in turn.
  using Handler = std::function<ScriptedAnswer(const ServedRequest& request)>;

  // Port 0: any. Throws std::runtime_error if there is none.
  explicit ScriptedServer(Handler handler, std::uint16_t port = 0);
  ~ScriptedServer();  // ends all connections
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // All that came so far. Any thread.
  std::vector<ServedRequest> requests() const;
  // Connections that the other side ended before their answer was whole. Any thread.
  std::size_t abandoned() const;

 private:
  class Worker;
  std::uint16_t port_ = 0;
  std::unique_ptr<Worker> worker_;
  std::thread thread_;
};

}  // namespace parley::http_client
