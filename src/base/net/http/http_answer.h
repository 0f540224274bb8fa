// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/net/http/http.h"

namespace parley::net {

// The facts about a request that its answer depends on. Kept while the request is in progress, so
// only small values are copied.
struct AnswerContext {
  bool http_1_1 = true;
  bool keep_alive = true;  // the connection stays open after this answer
  bool head_only = false;  // HEAD
  bool takes_gzip = false;
  bool has_origin = false;
  bool strict_transport = false;  // send Strict-Transport-Security: over TLS, and the host is not a
                                  // name of this computer
  std::string allowed_origin;     // the request's Origin if it is allowed
  std::string request_id;
};

enum class BodyFraming : std::uint8_t {
  sized,      // Content-Length
  chunked,    // Transfer-Encoding: chunked
  until_end,  // HTTP/1.0: ended by closing the connection
};

// True if a status never has a body (1xx, 204, 304).
bool is_bodyless(int status);

// Compresses `response.body` with gzip if it is of a compressible type, has kMinCompressedBytes to
// kMaxCompressedBytes and no Content-Encoding yet, and the client accepts gzip. Adds Vary.
// Cache-Control: no-transform and status 206 prevent it.
void compress_if_worthwhile(Response& response, const AnswerContext& context);

// The head including the empty line: the status line, Date and Server, the fields of `response`,
// and those of every answer (request id, security, CORS for an allowed origin). Fields of
// `response` that would corrupt the message (line ends, framing) are omitted.
std::string render_head(const Response& response, const AnswerContext& context, BodyFraming framing,
                        std::string_view date);

// The value of Date, formatted only when the second changes. One thread.
class DateField {
 public:
  // The view is valid until the next call.
  std::string_view at(core::WallTime now);

 private:
  std::string text_;
  std::int64_t second_ = 0;
};

// Adds the CORS fields of the answer to a preflight (OPTIONS with Access-Control-Request-Method).
// `methods`: as in Allow. `asked`: Access-Control-Request-Headers, of which "Mcp-Param-" fields are
// repeated.
void add_preflight_fields(Response& response, std::string_view methods, std::string_view asked);

// The line before one chunk of a chunked body. CR LF follows the chunk; "0\r\n\r\n" ends the body.
std::string chunk_line(std::size_t size);

}  // namespace parley::net
