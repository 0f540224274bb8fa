// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "net/http/http.h"

namespace parley::net {

// Facts about a request that its answer needs. Kept while the request is in progress, so only small
// values are copied.
struct AnswerContext {
  bool http_1_1 = true;
  bool keep_alive = true;  // the connection stays open behind this answer
  bool head_only = false;  // HEAD
  bool takes_gzip = false;
  bool has_origin = false;
  bool strict_transport = false;  // over TLS, by a name that TLS may be asked of for good
  std::string allowed_origin;     // the Origin of the request, when it is allowed
  std::string request_id;
};

enum class BodyFraming : std::uint8_t {
  sized,      // Content-Length
  chunked,    // Transfer-Encoding: chunked
  until_end,  // HTTP/1.0: the end of the connection
};

// True if a status never has a body (1xx, 204, 304).
bool is_bodyless(int status);

// Packs `response.body` with gzip where it pays: 1 KiB or more of a compressible type, no
// Content-Encoding yet, and the client takes it.
void compress_if_worthwhile(Response& response, const AnswerContext& context);

// The whole head up to and with the empty line: the status line, Date and Server, the fields of
// `response` and those that every answer has (request id, security, CORS for an allowed origin).
// Fields of `response` that would break the message (line ends, framing) are left out.
std::string render_head(const Response& response, const AnswerContext& context, BodyFraming framing,
                        std::string_view date);

// The value of Date, written anew only when the second changes. One thread.
class DateField {
 public:
  // The view is valid until the next call.
  std::string_view at(core::WallTime now);

 private:
  std::string text_;
  std::int64_t second_ = 0;
};

// Adds what a preflight (OPTIONS with Access-Control-Request-Method) asks: `methods` as in Allow.
void add_preflight_fields(Response& response, std::string_view methods);

// One piece of a chunked body: the line before it. CR LF follows the piece; "0\r\n\r\n" ends all.
std::string chunk_line(std::size_t size);

}  // namespace parley::net
