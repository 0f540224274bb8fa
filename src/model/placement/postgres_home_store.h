// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/array.h"
#include "base/sql/database.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "model/placement/home_store.h"

namespace parley::placement {

// The store of nodes and homes: the schema parley_cluster.
inline constexpr std::string_view kClusterStore = "cluster";
sql::Schema cluster_schema();

// The lock of a slot, as the arguments of SQL; `slot` is an expression. Transactions that store
// something of a slot share it, one that takes the slot has it alone. In a statement after that
// lock, and no earlier one, a transaction reads the home of the slot: its snapshot has the newest.
inline constexpr std::string_view kSlotLockClass = "hashtext('parley_cluster.slots')";

// The longest wait of a node that takes a slot for the commits in flight of its former home; then
// it tries again.
inline constexpr core::Millis kTakeWait{1'000};

// Makes the tables of nodes and homes if there are none. Errors: those of sql::open_store().
core::Result<void> make_cluster(const sql::StorePlace& place);

// The slots of a server that is no node of a cluster: all of them, with a lease that has no end.
struct EveryHome {
  NodeId node = kNobody;
  std::vector<TakenSlot> slots;
};
// Gives a server every slot, whoever had them, in the open transaction of `database`, a connection
// to another schema. The caller lets no commit be in flight. Errors: `failed_precondition` (nodes
// of a cluster are live), those of Database.
core::Result<EveryHome> take_every_home(sql::Database& database);
// Ends that, when the server ends.
core::Result<void> leave_every_home(sql::Database& database, NodeId node);

// The nodes and homes in a PostgreSQL database, on a connection of its own.
class PostgresHomeStore final : public HomeStore {
 public:
  // Makes the tables if there are none. Errors: those of sql::open_store().
  static core::Result<std::unique_ptr<PostgresHomeStore>> open(const sql::StorePlace& place);

  // The view without a renewal, for those that are no node.
  core::Result<View> view();

  core::Result<NodeId> join(const NodeDescription& node) override;
  core::Result<View> renew(NodeId node) override;
  core::Result<std::vector<TakenSlot>> take(NodeId node, std::span<const Slot> slots) override;
  core::Result<void> give_back(NodeId node, std::span<const Slot> slots) override;
  core::Result<void> set_draining(NodeId node, bool is_draining) override;
  core::Result<void> leave(NodeId node) override;

 private:
  explicit PostgresHomeStore(sql::Database database) : database_(std::move(database)) {}
  core::Result<void> replace_earlier(const NodeDescription& node);
  core::Result<void> extend(NodeId node);
  // Locks those of the slots that nobody commits to; at least one, which it waits for.
  core::Result<sql::Array> lock(const sql::Array& slots);

  sql::Database database_;
  std::string name_;  // of the node that has joined
};

}  // namespace parley::placement
