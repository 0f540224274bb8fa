// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/net/http/http.h"
#include "base/net/http/http_chunks.h"

namespace parley::net {

struct HttpParserLimits {
  std::size_t max_target_bytes = 8U << 10U;
  std::size_t max_header_bytes = 16U << 10U;  // limit of request line and fields, and again of
                                              // trailer fields
  // Limit (HTTP): fields in a head. Reached: 431, closed; counted as `header_too_large`.
  std::size_t max_header_fields = 128;
  std::size_t max_body_bytes = 64U << 20U;
};

// A request as received; the target is not parsed yet.
struct ParsedRequest {
  std::string method;
  std::string target;
  Headers headers;
  std::string body;  // without chunk framing; trailer fields are dropped
  bool http_1_1 = true;
  bool keep_alive = true;  // the client's choice: Connection, or the default of its version
};

// Parses HTTP/1.x requests (RFC 9112) from bytes in pieces of any size, which do not affect the
// result. Refuses requests that two parsers could read differently: both Content-Length and
// Transfer-Encoding, differing lengths, folded lines, a bare CR or LF, NUL, blanks before a colon,
// chunk extensions with control characters.
class HttpParser {
 public:
  enum class State {
    idle,      // between requests: no byte of the next one has arrived
    head,      // inside the request line or the fields
    body,      // the head is complete, the body is not
    complete,  // take() returns a request
    failed,    // no further request can be read from this connection; see status()
  };

  explicit HttpParser(HttpParserLimits limits);
  ~HttpParser();
  HttpParser(const HttpParser&) = delete;
  HttpParser& operator=(const HttpParser&) = delete;

  // Consumes bytes and returns their number. Stops after a head, so that the caller can decide on
  // it before the body is read, and after a complete request. Consumes none while complete or
  // failed.
  std::size_t feed(std::string_view bytes);

  State state() const { return state_; }
  // In state body: moves the head out; the later take() returns only the body.
  ParsedRequest take_head();
  // In state body: sets the limit of the body. Fails with 413 if the announced or received body
  // exceeds it.
  void limit_body(std::size_t max_bytes);
  // Returns the request, and the parser is idle again. Only in state complete.
  ParsedRequest take();

  // In state body: true if the client waits for "100 Continue" before it sends the body (RFC 9110
  // section 10.1.1).
  bool expects_continue() const { return expects_continue_; }
  // The parts of the request that are read and not moved out: for the log and the answer to a
  // failure.
  const ParsedRequest& partial() const { return request_; }

  // After a failure: 400, 413, 414, 417, 431, 501 or 505, with the reason as a sentence.
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }
  // In state body with Content-Length: bytes of the body not yet received; 0 if chunked.
  std::uint64_t body_left() const { return body_left_; }
  // Frees what was received of a request but its method. feed() must not be called afterwards.
  void drop();
  // Number of bytes held by the parser.
  std::size_t buffered() const {
    return (head_.empty() ? 0 : head_.capacity()) +
           (request_.body.empty() ? 0 : request_.body.capacity());
  }

 private:
  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  void read_head(std::string_view head);
  bool read_lines(std::string_view head);
  bool read_request_line(std::string_view line);
  bool read_fields();
  void check_unfinished_head();
  void fail(int status, std::string_view reason);
  // "HTTP parser in state 2, 10 bytes of a body missing", for assertions.
  std::string label() const;

  HttpParserLimits limits_;
  State state_ = State::idle;
  bool expects_continue_ = false;
  bool skipped_line_ = false;  // the empty line allowed before a request was skipped
  int status_ = 0;
  std::size_t scanned_ = 0;  // bytes of head_ already searched for its end
  std::string reason_;
  std::string head_;  // the head as received so far
  ParsedRequest request_;
  std::uint64_t body_left_ = 0;           // with Content-Length
  std::unique_ptr<ChunkDecoder> chunks_;  // with Transfer-Encoding: chunked
};

}  // namespace parley::net
