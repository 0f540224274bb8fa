// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/entropy.h"
#include "net/http/http.h"
#include "net/http/http_gate.h"
#include "net/http/http_parser.h"
#include "net/http/origin_policy.h"
#include "net/loop/stream.h"
#include "net/server/server.h"

namespace parley::net {

// A request that was read, with its route; or the refusal of bytes that are no request.
struct Incoming {
  Request request;
  bool http_1_1 = true;
  bool keep_alive = true;  // the client's wish
  bool upgrade = false;    // to a WebSocket: what follows may not be HTTP
  bool last = false;       // nothing behind it is read
  GateResult gate;         // of a request that could not be read: the answer alone

  std::size_t bytes() const { return request.body.size(); }
};

// Turns the bytes of one connection into requests. Host, Origin, route and token are checked when a
// head is complete; its body is read afterwards, up to the limit of its admission. A small body
// that is refused is read and dropped, so that the connection goes on; with a larger one the
// request is the last.
class HttpIntake {
 public:
  // All outlive this.
  HttpIntake(const Router& router, const ServerOptions& options, core::Entropy& entropy);

  // Takes bytes and returns how many; at most up to the end of a request.
  std::size_t feed(std::string_view bytes, const Stream& from, const OriginPolicy& policy);
  // The request that was read by feed(), once.
  std::optional<Incoming> take();
  // Refuses the request that is being read, and makes it the last of its connection.
  Incoming fail(int status, std::string_view rejected, std::string reason);

  HttpParser::State state() const { return parser_.state(); }
  // True if the client waits for "100 Continue" and may send its body.
  bool expects_continue() const { return parser_.expects_continue(); }
  // Bytes held of an incomplete request.
  std::size_t held() const { return parser_.buffered(); }
  // Bytes taken of the body that is being read, with its framing.
  std::uint64_t body_taken() const { return body_taken_; }
  // The account to whose budget the request that is being read counts; empty: an unknown sender.
  std::string_view account() const { return account_; }

 private:
  void begin(ParsedRequest head, const Stream& from, const OriginPolicy& policy);
  void admit();
  void check_length();
  void refuse(int status, std::string_view rejected, std::string reason);

  const Router& router_;
  const ServerOptions& options_;
  core::Entropy& entropy_;
  HttpParser parser_;
  std::optional<Incoming> reading_;  // from a complete head on
  bool ready_ = false;               // reading_ is complete, or was given up
  std::uint64_t body_taken_ = 0;
  std::size_t body_limit_ = 0;
  std::string account_;
};

// A request's id: what the client sent, if it is safe, else a new one.
std::string request_id_of(const Headers& headers, core::Entropy& entropy);

}  // namespace parley::net
