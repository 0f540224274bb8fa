// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/mcp/resource_provider.h"

namespace parley::mcp {

// A provider whose resources the test sets. A place is the index of a row. For tests.
class FakeResourceProvider final : public ResourceProvider {
 public:
  void list(ResourceKind kind, std::string place, std::size_t limit,
            Done<ResourcePage> done) override {
    const std::vector<ResourceRow>& all = rows[kind];
    std::size_t at = 0;
    const char* end = place.data() + place.size();
    if (!place.empty() && std::from_chars(place.data(), end, at).ptr != end) {
      return done(core::fail(core::Code::invalid_argument, "Unknown cursor."));
    }
    ResourcePage page;
    while (at < all.size() && page.rows.size() < limit) page.rows.push_back(all[at++]);
    if (at < all.size()) page.next = std::to_string(at);
    done(std::move(page));
  }
  void read(ResourceName name, Done<ResourceContent> done) override {
    const auto found = contents.find(uri_of(name));
    if (found == contents.end()) return done(core::fail(core::Code::not_found, "None."));
    done(found->second);
  }
  void count_attachments(std::string key, Done<std::size_t> done) override {
    const auto found = attachments.find(key);
    if (found == attachments.end()) return done(core::fail(core::Code::not_found, "None."));
    done(found->second);
  }
  void watch(OnChange changed) override {
    ++watches;
    on_change = std::move(changed);
  }

  std::map<ResourceKind, std::vector<ResourceRow>> rows;
  std::map<std::string, core::Result<ResourceContent>> contents;  // by URI
  std::map<std::string, std::size_t> attachments;                 // by key
  std::size_t watches = 0;
  OnChange on_change;
};

}  // namespace parley::mcp
