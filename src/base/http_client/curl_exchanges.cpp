// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/curl_exchanges.h"

#include "base/core/contain.h"

namespace parley::http_client {

std::optional<FetchEnd> CurlExchanges::start(Id id, std::unique_ptr<CurlExchange> exchange) {
  std::optional<FetchEnd> end;
  const core::Result<void> prepared = core::contain("fetcher", [&] { end = exchange->prepare(); });
  if (!prepared) end = FetchEnd{FetchEnd::Kind::unreachable, prepared.error().message};
  if (end) return end;
  CURL* easy = exchange->easy();
  exchange->looked_at_next = exchange->idle_at();
  idle_.emplace(exchange->looked_at_next, id);
  ids_.emplace(easy, id);
  exchanges_.emplace(id, std::move(exchange));
  curl_multi_add_handle(multi_.get(), easy);
  return std::nullopt;
}

std::unique_ptr<CurlExchange> CurlExchanges::take(Exchanges::iterator exchange) {
  std::unique_ptr<CurlExchange> taken = std::move(exchange->second);
  curl_multi_remove_handle(multi_.get(), taken->easy());
  ids_.erase(taken->easy());
  idle_.erase({taken->looked_at_next, exchange->first});
  exchanges_.erase(exchange);
  return taken;
}

void CurlExchanges::drop(Id id) {
  const auto found = exchanges_.find(id);
  if (found != exchanges_.end()) take(found);
}

void CurlExchanges::close_all() {
  while (!exchanges_.empty()) take(exchanges_.begin())->sink().close();
}

void CurlExchanges::unpause(Id id) {
  const auto found = exchanges_.find(id);
  if (found != exchanges_.end()) found->second->unpause();
}

void CurlExchanges::collect() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode result = message->data.result;
    const auto id = ids_.find(message->easy_handle);
    if (id == ids_.end()) continue;
    const std::unique_ptr<CurlExchange> exchange = take(exchanges_.find(id->second));
    exchange->sink().put_end(exchange->end_of(result));
  }
}

// idle_ holds each exchange's idle_at() as of its last check. At that time the exchange is checked
// again, and ended or given a new entry.
void CurlExchanges::end_idle() {
  const core::MonoTime now = clock_.mono();
  while (!idle_.empty() && idle_.begin()->first <= now) {
    const Id id = idle_.begin()->second;
    const auto found = exchanges_.find(id);
    const core::MonoTime idle_at = found->second->idle_at();
    if (idle_at <= now) {
      const std::unique_ptr<CurlExchange> exchange = take(found);
      exchange->sink().put_end(exchange->idle_end());
      continue;
    }
    idle_.erase(idle_.begin());
    found->second->looked_at_next = idle_at;
    idle_.emplace(idle_at, id);
  }
}

std::optional<core::MonoTime> CurlExchanges::next_idle() const {
  if (idle_.empty()) return std::nullopt;
  return idle_.begin()->first;
}

}  // namespace parley::http_client
