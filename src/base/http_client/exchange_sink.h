// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/http_client/fetcher.h"

namespace parley::http_client {

// Receives the parts of one exchange's answer, on the thread that drives the exchange.
class ExchangeSink {
 public:
  ExchangeSink() = default;
  ExchangeSink(const ExchangeSink&) = delete;
  ExchangeSink& operator=(const ExchangeSink&) = delete;
  virtual ~ExchangeSink() = default;

  // Once, before the first byte of the body.
  virtual void put_head(FetchHead head) = 0;
  // False: there is no room. The exchange pauses until CurlExchange::unpause().
  virtual bool put_body(std::string_view bytes) = 0;
  // The last call, once; not after the exchange was dropped.
  virtual void put_end(FetchEnd end) = 0;
  // The driver of the exchange is being destroyed; no further call follows.
  virtual void close() {}
};

}  // namespace parley::http_client
