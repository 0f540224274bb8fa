// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/conformance/channel.h"
#include "tools/conformance/wire.h"

namespace parley::conformance {

struct HttpRequest {
  std::string method = "GET";
  std::string path;
  HeaderList headers;  // Host and Content-Length are added if missing
  std::string body;
};

struct HttpHead {
  int status = 0;
  boost::json::object headers;  // names in lower case; fields of one name joined by ", "
};

// One request on a connection of its own, and its response, which is read on demand. One thread.
class HttpExchange {
 public:
  // Connects and sends. Errors: those of Channel.
  static core::Result<std::unique_ptr<HttpExchange>> start(const Target& target,
                                                           const HttpRequest& request,
                                                           Deadline deadline);

  // Errors: `deadline_exceeded`, `unavailable` (the connection ended), `data_loss` (not HTTP).
  core::Result<HttpHead> head(Deadline deadline);
  // Appends the next part of the body; false at its end. Call after head().
  core::Result<bool> read_body_some(std::string& into, Deadline deadline);
  // The rest of the body, decompressed if Content-Encoding is gzip.
  core::Result<std::string> body(Deadline deadline);
  // Releases the connection after a switch of protocols, with the bytes read beyond the head.
  std::pair<std::unique_ptr<Channel>, std::string> release();

 private:
  HttpExchange(std::unique_ptr<Channel> channel, bool is_head)
      : channel_(std::move(channel)), is_head_(is_head) {}

  core::Result<std::string> line(Deadline deadline);
  core::Result<bool> read_chunk(std::string& into, Deadline deadline);
  core::Result<bool> read_counted(std::string& into, Deadline deadline);
  core::Result<void> fill(Deadline deadline);

  std::unique_ptr<Channel> channel_;
  bool is_head_;
  std::string buffer_;
  HttpHead head_;
  bool head_read_ = false;
  bool chunked_ = false;
  bool until_close_ = false;
  bool body_done_ = false;
  bool chunk_end_due_ = false;
  std::size_t left_ = 0;
};

}  // namespace parley::conformance
