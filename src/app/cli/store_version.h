// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/known_stores.h"
#include "base/core/result.h"
#include "base/sql/store_place.h"

namespace parley::app {

// The version of a store, beside the one that this program knows.
struct StoreVersion {
  enum class State : std::uint8_t {
    missing,  // the first start makes it
    current,
    older,
    refused,  // a newer Parley or another program made it, or it cannot be read
  };
  std::string name;  // of its file or schema
  State state = State::missing;
  std::int64_t version = 0;  // of `current` and `older`; 0: stores of this kind have none
  std::int64_t known = 0;
  std::string reason = {};  // of `refused`: a sentence
};

// Changes nothing.
StoreVersion version_of(const sql::StorePlace& place, const KnownStore& store);
// Brings an older store to the version of this program. A server may use a database meanwhile, but
// no file.
core::Result<void> migrate_store(const sql::StorePlace& place, const KnownStore& store);

// The stores that a place has or may have.
std::vector<KnownStore> stores_of(const sql::StorePlace& place);

}  // namespace parley::app
