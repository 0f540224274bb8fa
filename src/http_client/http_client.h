// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/clock.h"

namespace parley::http_client {

struct HttpPost {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"; may hold a token: never logged
  std::string body;
  core::Millis timeout{};     // for the whole exchange; there is no idle timeout beside it
  std::size_t max_bytes = 0;  // of the answer's body, after decompression
  std::string ca_file;        // of PEM certificates to trust beside none other; empty: system's
};

struct HttpAnswer {
  // 0 when no complete answer came; then `failure` says why, for a person.
  int status = 0;
  std::string body;
  std::string failure;
  bool sent = false;       // with status 0: a connection stood and the request went out
  bool too_large = false;  // with status 0: the body was over max_bytes
};

// Names an exchange that is under way. 0 is never one.
using TransferId = std::uint64_t;

// HTTP POST requests, many at a time. One thread.
class HttpClient {
 public:
  using Done = absl::AnyInvocable<void(HttpAnswer)>;

  HttpClient() = default;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  virtual ~HttpClient() = default;

  // `done` runs once, later (never inside post_to), unless the exchange is aborted.
  virtual TransferId post_to(HttpPost request, Done done) = 0;
  // Ends an exchange at once; `done` will not run. A no-op for one that is not under way.
  virtual void abort(TransferId transfer) = 0;
};

}  // namespace parley::http_client
