// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/http/http.h"
#include "net/http/http_chunks.h"

namespace parley::net {

struct HttpParserLimits {
  std::size_t max_target_bytes = 8U << 10U;
  std::size_t max_header_bytes = 16U << 10U;  // request line and fields; also of trailer fields
  std::size_t max_header_fields = 128;
  std::size_t max_body_bytes = 64U << 20U;
};

// A request as it stood on the wire; the target is not taken apart yet.
struct ParsedRequest {
  std::string method;
  std::string target;
  Headers headers;
  std::string body;  // without chunk framing; trailer fields are dropped
  bool http_1_1 = true;
  bool keep_alive = true;  // what the client wants: Connection, and the default of its version
};

// Reads HTTP/1.x requests (RFC 9112) from bytes that come in any pieces; the same bytes give the
// same requests however they are cut. Takes nothing that two parsers could understand differently:
// both Content-Length and Transfer-Encoding, differing lengths, folded lines, a bare CR or LF, NUL,
// blanks before a colon, extensions of chunks with control characters.
class HttpParser {
 public:
  enum class State {
    idle,      // between requests: not a byte of the next one has come
    head,      // inside the request line or the fields
    body,      // the head is read, the body is not
    complete,  // take() has a request
    failed,    // no more can be read from this connection; status() says why
  };

  explicit HttpParser(HttpParserLimits limits);
  ~HttpParser();
  HttpParser(const HttpParser&) = delete;
  HttpParser& operator=(const HttpParser&) = delete;

  // Takes bytes and returns how many. Stops behind a head, so that the caller decides on it before
  // a byte of the body is taken, and behind a complete request. Takes none while complete or
  // failed.
  std::size_t feed(std::string_view bytes);

  State state() const { return state_; }
  // In state body: the head, moved out; the later take() has the body alone.
  ParsedRequest take_head();
  // In state body: fails with 413 when the body is announced as longer, or becomes so.
  void limit_body(std::size_t max_bytes);
  // The request that was read; the parser is idle again. Only when complete.
  ParsedRequest take();

  // In state body: the client waits for "100 Continue" before it sends (RFC 9110 section 10.1.1).
  bool expects_continue() const { return expects_continue_; }
  // The request as far as it is read and not moved out: for the log and the answer of a failure.
  const ParsedRequest& partial() const { return request_; }

  // When failed: 400, 408 never, 413, 414, 417, 431, 501 or 505, and a sentence for a person.
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }
  // In state body with Content-Length: bytes of the body that have not come; 0 if chunked.
  std::uint64_t body_left() const { return body_left_; }
  // Frees what is here of the body. Nothing may be fed from then on.
  void drop_body();
  // The number of bytes that this parser holds.
  std::size_t buffered() const {
    return head_.size() + (request_.body.empty() ? 0 : request_.body.capacity());
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
  bool skipped_line_ = false;  // the empty line that may stand before a request
  int status_ = 0;
  std::size_t scanned_ = 0;  // of head_, while looking for its end
  std::string reason_;
  std::string head_;  // while it comes in pieces
  ParsedRequest request_;
  std::uint64_t body_left_ = 0;           // with Content-Length
  std::unique_ptr<ChunkDecoder> chunks_;  // with Transfer-Encoding: chunked
};

}  // namespace parley::net
