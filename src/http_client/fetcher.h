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
#include "core/cancel.h"
#include "core/clock.h"
#include "core/scheduler.h"

namespace parley::http_client {

struct FetchRequest {
  std::string method = "GET";
  std::string url;                   // http or https
  std::vector<std::string> headers;  // "Name: value"; may hold a key: never logged
  std::string body;
  core::Millis connect_timeout{10'000};
  core::Millis idle_timeout{120'000};  // without a byte from the other side
  core::Millis total_timeout{600'000};
  std::size_t max_bytes = 16U << 20U;  // of the answer's body, after decompression
  int max_redirects = 0;
  // Connects only to addresses of the public internet (public_address.h), whatever the names in the
  // URL and in redirects resolve to at that moment, over a connection of its own. Where `proxy`, or
  // the environment for the URL's scheme and host (proxy_choice.h), names a proxy, the whole
  // exchange goes through it, and the proxy resolves names: then this is its business.
  bool public_only = false;
  std::string proxy;    // empty: the environment's; a loopback address is always reached directly
  std::string ca_file;  // of PEM certificates to trust beside none other; empty: system's
};

struct FetchHead {
  int status = 0;
  std::string url;                                           // after redirects
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::optional<std::string> header(std::string_view name) const;
};

// How an exchange ended.
struct FetchEnd {
  enum class Kind : std::uint8_t {
    complete,
    unreachable,  // no connection, no TLS, no such name
    cut,          // ended before the answer was whole
    timed_out,
    too_large,
    cancelled,
    invalid,  // the URL, a header
    refused,  // public_only, and the address is not
  };
  Kind kind = Kind::complete;
  std::string failure;  // for a person; never has a header or a key
  bool sent = false;    // a connection stood and the request went out
};

struct FetchEvents {
  std::function<void(const FetchHead& head)> on_head;   // once, before the first byte
  std::function<void(std::string_view bytes)> on_body;  // as it comes
};

// HTTP exchanges whose answers are read as they come, thousands at a time on one thread of its own
// (libcurl's multi interface). Thread-safe.
class Fetcher {
 public:
  using Done = absl::AnyInvocable<void(FetchEnd)>;

  Fetcher() = default;
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  virtual ~Fetcher() = default;

  // Events and `done` come on `scheduler`, never inside this call, and nothing after `done`. What
  // comes faster than the scheduler takes it is held up to 1 MiB, then the other side waits. A
  // cancel ends the exchange with `cancelled` at once.
  virtual void fetch(FetchRequest request, FetchEvents events, core::Scheduler& scheduler,
                     const core::CancelToken& cancel, Done done) = 0;
};

}  // namespace parley::http_client
