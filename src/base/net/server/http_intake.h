// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/entropy.h"
#include "base/net/http/http.h"
#include "base/net/http/http_gate.h"
#include "base/net/http/http_parser.h"
#include "base/net/http/origin_policy.h"
#include "base/net/loop/stream.h"
#include "base/net/server/server.h"

namespace parley::net {

// A request with its route, or the refusal of bytes that are not a request.
struct Incoming {
  Request request;
  bool http_1_1 = true;
  bool keep_alive = true;  // the client's choice
  bool upgrade = false;    // to a WebSocket: the following bytes may not be HTTP
  bool last = false;       // no request after it is read
  GateResult gate;         // for an unreadable request: only the answer
  std::string account;     // of the token that admitted it; empty: none did

  // Bytes that it holds, about.
  std::size_t bytes() const;
};

// Turns the bytes of one connection into requests. Host, Origin, route and token are checked when a
// head is complete; its body is read afterwards, up to the limit of its admission. A small body of
// a refused request is read and dropped, so that the connection continues; with a larger one the
// request is the last.
class HttpIntake {
 public:
  // `hops`: of the requests. The other arguments outlive this object.
  HttpIntake(const Router& router, const ServerOptions& options, core::Entropy& entropy, int hops);

  // Consumes bytes, at most up to the end of a request, and returns their number.
  std::size_t feed(std::string_view bytes, const Stream& from, const OriginPolicy& policy);
  // Returns the request completed by feed(), once.
  std::optional<Incoming> take();
  // Refuses the request being read, and makes it the last of its connection.
  Incoming fail(int status, std::string_view rejected, std::string reason);
  // Frees what is read of a request. Nothing is read afterwards.
  void drop();

  HttpParser::State state() const { return parser_.state(); }
  // True if the client waits for "100 Continue".
  bool expects_continue() const { return parser_.expects_continue(); }
  // Bytes held of an incomplete request.
  std::size_t held() const { return parser_.buffered() + (reading_ ? head_bytes_ : 0); }
  // Bytes received of the body being read, with its framing.
  std::uint64_t body_taken() const { return body_taken_; }
  // The account to which the request being read counts; empty: an unknown sender.
  std::string_view account() const { return account_; }

 private:
  void begin(ParsedRequest head, const Stream& from, const OriginPolicy& policy);
  void admit();
  void check_length();
  void refuse(int status, std::string_view rejected, std::string reason);

  const Router& router_;
  const ServerOptions& options_;
  core::Entropy& entropy_;
  const int hops_;
  HttpParser parser_;
  std::optional<Incoming> reading_;  // set once the head is complete
  std::size_t head_bytes_ = 0;       // held by reading_, without its body
  bool ready_ = false;               // reading_ is complete or was refused
  std::uint64_t body_taken_ = 0;
  std::size_t body_limit_ = 0;
  std::string account_;
};

// The id of a request: the client's, if it is safe, otherwise a new one.
std::string request_id_of(const Headers& headers, core::Entropy& entropy);

}  // namespace parley::net
