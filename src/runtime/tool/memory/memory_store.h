// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"

namespace parley::tool {

// One memory of an agent.
struct Memory {
  std::int64_t id = 0;
  std::string key;  // may be empty
  std::string content;
  core::WallTime at;  // time of the last write
};

// Memories by owner, in one SQLite file, with search by words of any script: each character of a
// script without spaces (such as Chinese, Japanese, Korean) counts as a word, and a text matches a
// longer word of a query if it has two adjacent characters of it; other words are compared without
// case, accents and English endings. Opened at the first call. Thread-safe; calls block.
class MemoryStore {
 public:
  static const sql::Schema& schema();
  // Makes the index of words from the rows of the table.
  static core::Result<void> index_all(sql::Database& database);
  static std::unique_ptr<MemoryStore> at(sql::StorePlace place, const core::Clock& clock);
  virtual ~MemoryStore() = default;

  // Stores a text; replaces the one with the same key. Errors: `invalid_argument` (empty, too
  // long), `resource_exhausted` (kMaxMemories, a full disk), those of SQLite.
  virtual core::Result<Memory> remember(std::string_view owner, std::string_view key,
                                        std::string_view content) = 0;
  // Best matches first.
  virtual core::Result<std::vector<Memory>> search(std::string_view owner, std::string_view query,
                                                   std::size_t limit) = 0;
  virtual core::Result<std::optional<Memory>> find(std::string_view owner,
                                                   std::string_view key) = 0;
  // Newest first.
  struct Page {
    std::vector<Memory> memories;
    std::size_t total = 0;
  };
  virtual core::Result<Page> list(std::string_view owner, std::size_t limit,
                                  std::size_t offset) = 0;
  // By id or by key. The value is false if the owner has no such memory.
  virtual core::Result<bool> forget(std::string_view owner, std::int64_t id) = 0;
  virtual core::Result<bool> forget(std::string_view owner, std::string_view key) = 0;

  // Limit (Tools): memories of an owner. Reached: refused.
  static constexpr std::size_t kMaxMemories = 10'000;  // per owner
  // Limit (Tools): a memory. Reached: refused.
  static constexpr std::size_t kMaxContentBytes = 16U << 10U;
  static constexpr std::size_t kMaxKeyBytes = 256;
};

}  // namespace parley::tool
