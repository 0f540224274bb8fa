// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/cancel.h"
#include "base/core/clock.h"
#include "base/core/scheduler.h"

namespace parley::http_client {

struct FetchRequest {
  std::string method = "GET";
  std::string url;                   // http or https
  std::vector<std::string> headers;  // "Name: value"; may hold a key: never logged
  std::string body;
  core::Millis connect_timeout{10'000};
  core::Millis idle_timeout{120'000};  // longest time without a byte from the server
  core::Millis total_timeout{600'000};
  std::size_t max_bytes = 16U << 20U;  // limit of the answer's body, after decompression
  int max_redirects = 0;
  // Connects only to addresses of the public internet (public_address.h), whatever the names in the
  // URL and in redirects resolve to at that moment, over a new connection. If `proxy`, or the
  // environment for the URL's scheme and host (proxy_choice.h), names a proxy, the whole exchange
  // goes through the proxy, which resolves names and is then responsible for this check.
  bool public_only = false;
  // Empty: the environment's. Loopback addresses are always reached directly.
  std::string proxy;
  bool environment_proxy = true;  // false: whatever the environment says, `proxy` or none
  std::string ca_file;  // PEM certificates to trust instead of the system's; empty: the system's
};

struct FetchHead {
  int status = 0;
  std::string url;                                           // after redirects
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::optional<std::string> header(std::string_view name) const;
};

// The end of an exchange.
struct FetchEnd {
  enum class Kind : std::uint8_t {
    complete,
    unreachable,  // no connection, no TLS, or no such name
    cut,          // ended before the answer was complete
    timed_out,
    too_large,
    cancelled,
    invalid,  // an invalid URL or header
    refused,  // public_only is set and the address is not public
  };
  Kind kind = Kind::complete;
  std::string failure;  // for a person; never contains a header or a key
  bool sent = false;    // a connection was made and the request was sent
};

struct FetchEvents {
  std::function<void(const FetchHead& head)> on_head;   // once, before the first byte
  std::function<void(std::string_view bytes)> on_body;  // as bytes arrive
};

// HTTP exchanges with streamed answers, thousands at a time on one thread (libcurl's multi
// interface). Thread-safe.
class Fetcher {
 public:
  using Done = absl::AnyInvocable<void(FetchEnd)>;

  Fetcher() = default;
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  virtual ~Fetcher() = default;

  // Events and `done` run on `scheduler`, never inside this call; no event follows `done`. Up to 1
  // MiB is buffered for a scheduler that does not keep up; beyond it reading from the server
  // pauses. A cancel ends the exchange at once with `cancelled`.
  virtual void fetch(FetchRequest request, FetchEvents events, core::Scheduler& scheduler,
                     const core::CancelToken& cancel, Done done) = 0;
};

}  // namespace parley::http_client
