// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"

namespace parley::http_client {

struct HttpPost {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"; may hold a token: never logged
  std::string body;
  core::Millis timeout{};     // for the whole exchange; there is no idle timeout
  std::size_t max_bytes = 0;  // limit of the answer's body, after decompression
  std::string ca_file;        // PEM certificates to trust instead of the system's; empty: the
                              // system's
  std::string proxy;          // empty: the environment's, if environment_proxy is set
  bool environment_proxy = true;
};

struct HttpAnswer {
  // 0 if no complete answer came; then `failure` gives the reason, for a person.
  int status = 0;
  std::string body;
  std::string failure;
  bool sent = false;       // with status 0: a connection was made and the request was sent
  bool too_large = false;  // with status 0: the body exceeded max_bytes
};

// Id of an exchange in progress. Never 0.
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
  // Ends an exchange at once; `done` will not run. A no-op for an unknown id.
  virtual void abort(TransferId transfer) = 0;
};

}  // namespace parley::http_client
