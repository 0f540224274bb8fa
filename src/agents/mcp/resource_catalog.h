// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agents/mcp/offer.h"
#include "agents/mcp/resource_provider.h"
#include "base/core/json_writer.h"
#include "base/core/scheduler.h"

namespace parley::mcp {

// The resources of an offer: resources/list, resources/templates/list, resources/read,
// completion/complete, and the notifications of their changes. Performs no I/O. Used on the
// scheduler's thread.
class ResourceCatalog {
 public:
  // Both must outlive the catalog; the provider calls nothing back after the catalog's destruction.
  ResourceCatalog(core::Scheduler& scheduler, ResourceProvider& provider)
      : scheduler_(scheduler), provider_(provider) {}
  ~ResourceCatalog() { scheduler_.cancel(timer_); }
  ResourceCatalog(const ResourceCatalog&) = delete;
  ResourceCatalog& operator=(const ResourceCatalog&) = delete;

  // As the functions of Offer.
  static void write_capabilities(core::JsonWriter& json);
  bool handle(const ExchangePtr& exchange);
  void watch(const Interests& interests, std::function<void(const Change&)> changed);

  // Limit (MCP over HTTP): a page of `resources/list`. Reached: `nextCursor`.
  static constexpr std::size_t kPageSize = 50;
  // Limit (MCP over HTTP): values of a completion. Reached: `hasMore`.
  static constexpr std::size_t kMaxValues = 100;  // of a completion
  // Limit (MCP over HTTP): newest ids that a completion looks at. Reached: `hasMore`.
  static constexpr std::size_t kMaxCandidates = 500;  // newest ids that a completion looks at
  // Shortest time between two notifications that the list has changed.
  // Limit (MCP over HTTP): pause between two notifications that the list of resources has changed.
  // Reached: sent later, as one.
  static constexpr core::Millis kListChangedEvery = std::chrono::seconds(1);

 private:
  struct Listing;

  void list(const ExchangePtr& exchange);
  void fill(const std::shared_ptr<Listing>& listing);
  void read(const ExchangePtr& exchange);
  void complete(const ExchangePtr& exchange);
  void complete_id(const ExchangePtr& exchange, ResourceKind kind, std::string begin);
  void complete_number(const ExchangePtr& exchange, std::string begin);
  void on_change(const ResourceChange& change);
  void on_list_changed();

  core::Scheduler& scheduler_;
  ResourceProvider& provider_;
  std::function<void(const Change&)> changed_;  // empty: nothing is watched
  core::MonoTime next_list_changed_;
  core::TimerId timer_ = 0;  // of a notification that waits for its time
};

}  // namespace parley::mcp
