// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "identity/oauth/client.h"
#include "identity/oauth/grant_store.h"

namespace parley::oauth {

// Limit (Logins of agents): a client's document: no redirects, public addresses only. Reached: 400.
inline constexpr std::size_t kMaxDocumentBytes = 16U << 10U;
// Limit (Logins of agents): time to fetch a client's document. Reached: 400.
inline constexpr core::Millis kDocumentTime = std::chrono::seconds(5);
// Limit (Logins of agents): fetches of documents at a time. Reached: 429.
inline constexpr std::size_t kMaxFetches = 8;  // at a time
// Limit (Logins of agents): fetches of documents in a minute. Reached: 429.
inline constexpr std::size_t kMaxFetchesInMinute = 60;  // anybody can cause one
// Limit (Logins of agents): kept documents. Reached: the one that ends first goes.
inline constexpr std::size_t kMaxKeptDocuments = 256;
// Validity of a fetched document; Cache-Control: max-age of its answer decides between the two.
// Limit (Logins of agents): shortest time that a document is kept, whatever `max-age` says.
// Reached: fetched again.
inline constexpr core::Millis kLeastDocumentLife = std::chrono::minutes(1);
// Limit (Logins of agents): longest time that a document is kept. Reached: fetched again.
inline constexpr core::Millis kLongestDocumentLife = std::chrono::hours(24);

// Finds clients by their id: those of the settings, registered ones, and those whose id is the
// address of a document, which is fetched from the public internet and kept. Thread-safe.
class ClientRegistry {
 public:
  using Done = absl::AnyInvocable<void(core::Result<Client>)>;

  // All outlive the book. No document is fetched without a fetcher.
  ClientRegistry(std::vector<Client> preregistered, const GrantStore& grants,
                 http_client::Fetcher* fetcher, const core::Clock& clock);

  // `done` runs on `scheduler`, within this call or later. Errors: `invalid_client` (unknown, or
  // its document cannot be used), `resource_exhausted` (too many documents are being fetched).
  void find(std::string_view id, core::Scheduler& scheduler, Done done);
  // True if a client that has access may keep it: it is known, or its id is that of a document.
  bool may_stay(std::string_view id);
  std::uint64_t fetches() const;  // since the start

 private:
  struct Entry {
    Client client;
    core::MonoTime until;
  };
  struct Fetch;

  std::optional<Client> known(std::string_view id);
  bool may_fetch();
  void fetch(std::string id, core::Scheduler& scheduler, Done done);
  core::Result<Client> finish(const Fetch& fetch, const http_client::FetchEnd& end);

  const std::vector<Client> preregistered_;
  const GrantStore& grants_;
  http_client::Fetcher* const fetcher_;
  const core::Clock& clock_;

  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, Entry, std::less<>> clients_;
  std::size_t fetching_ = 0;
  std::uint64_t fetches_ = 0;
  std::deque<core::MonoTime> recent_;  // begins of fetches within the last minute
};

}  // namespace parley::oauth
