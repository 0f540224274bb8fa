// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "base/net/http/http.h"

namespace parley::link {

// Limit (Cluster, bytes): head of another node's answer to a request. Reached: 502.
inline constexpr std::uint32_t kMaxAnswerHeadBytes = 64U << 10U;

// Reads the answer of a node to one request, from bytes in any pieces. Fields that concern one
// connection, and those that a server adds to every answer by itself, are left out.
class ResponseReader {
 public:
  ResponseReader();
  ~ResponseReader();
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  // Error: `data_loss` (the bytes are no HTTP answer, or go on behind its end).
  core::Result<void> feed(std::string_view bytes);
  // The connection has ended, which may be the end of a body. Error: `data_loss` (it is not).
  core::Result<void> finish();

  bool has_begun() const { return has_begun_; }  // a byte has arrived
  bool has_head() const;
  bool is_complete() const;
  // The calls below: once there is a head.
  //
  // Status and fields, without a body. To be moved from.
  net::Response& head() { return head_; }
  // The announced bytes of the body; std::nullopt: unknown.
  std::optional<std::uint64_t> length() const;
  // True if the connection can have another request, once the answer is complete.
  bool keeps_alive() const;
  // The bytes of the body that arrived since the last call.
  std::string take_body() { return std::exchange(body_, {}); }
  std::size_t body_bytes() const { return body_.size(); }

 private:
  class Parser;

  std::unique_ptr<Parser> parser_;
  std::string unparsed_;  // a head that is cut
  net::Response head_;
  std::string body_;
  bool has_begun_ = false;
};

}  // namespace parley::link
