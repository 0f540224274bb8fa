// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "agents/mcp/resource_name.h"
#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::mcp {

// Limit of the content of one resource, before its base64.
// Limit (MCP over HTTP): content of a resource. Reached: -32603.
inline constexpr std::size_t kMaxResourceBytes = 16U << 20U;

// An entry of the list of resources.
struct ResourceRow {
  std::string id;
  std::string title;  // one line
};

struct ResourcePage {
  std::vector<ResourceRow> rows;  // newest first
  std::string next;               // place after the last row, not empty; empty: the list ends here
};

struct ResourceContent {
  std::string mime_type;
  std::string bytes;
  bool binary = false;  // else UTF-8
};

struct ResourceChange {
  std::vector<ResourceName> updated = {};  // resources whose content has changed
  bool listed = false;                     // a resource begins, or is removed
};

// The resources that one client may read. Used on one thread. Callbacks run there, perhaps within
// the call but for those of watch(), and never after the destruction of the provider.
class ResourceProvider {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;
  using OnChange = std::function<void(const ResourceChange&)>;

  ResourceProvider() = default;
  ResourceProvider(const ResourceProvider&) = delete;
  ResourceProvider& operator=(const ResourceProvider&) = delete;
  virtual ~ResourceProvider() = default;

  // Lists resources of one kind, not attachments, from a place (empty: the newest), at most
  // `limit`. A page may be shorter, even empty, although the list goes on. Errors:
  // `invalid_argument` (not a place), those of the store.
  virtual void list(ResourceKind kind, std::string place, std::size_t limit,
                    Done<ResourcePage> done) = 0;
  // Errors: `not_found`, also for a resource that the client may not read; `resource_exhausted`
  // (more than kMaxResourceBytes); those of the store.
  virtual void read(ResourceName name, Done<ResourceContent> done) = 0;
  // The number of attachments of a question's answer. Errors: `not_found`, those of the store.
  virtual void count_attachments(std::string key, Done<std::size_t> done) = 0;
  // Reports changes from now on. At most one call.
  virtual void watch(OnChange changed) = 0;
};

}  // namespace parley::mcp
