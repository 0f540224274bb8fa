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

// A request that was read, and where it goes; or why none could be read.
struct Incoming {
  Request request;
  bool http_1_1 = true;
  bool keep_alive = true;  // the client's wish
  bool upgrade = false;    // to a WebSocket: what follows may not be HTTP
  bool last = false;       // nothing behind it is read
  GateResult gate;         // of a request that could not be read: the answer alone

  std::size_t bytes() const { return request.body.size(); }
};

// Turns the bytes of one connection into requests. Host, Origin, route and token are looked at when
// a head is complete; only then is its body read, as far as the route admits it. A body that
// is refused is read and dropped when it is small, so that the connection goes on; else the
// request is the last.
class HttpIntake {
 public:
  // All outlive this.
  HttpIntake(const Router& router, const ServerOptions& options, core::Entropy& entropy);

  // Takes bytes and returns how many; at most up to the end of a request.
  std::size_t feed(std::string_view bytes, const Stream& from, const OriginPolicy& policy);
  // The request that was read by feed(), once.
  std::optional<Incoming> take();
  // Gives up the request that is being read, as the last.
  Incoming fail(int status, std::string_view rejected, std::string reason);

  HttpParser::State state() const { return parser_.state(); }
  // The client waits for "100 Continue", and may have it.
  bool expects_continue() const { return parser_.expects_continue(); }
  // Bytes held of what is not complete.
  std::size_t held() const { return parser_.buffered(); }
  // Bytes taken of the body that is being read, with its framing.
  std::uint64_t body_taken() const { return body_taken_; }
  // To whose budget the request that is being read counts; empty: nobody's.
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
