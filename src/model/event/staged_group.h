// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "base/core/result.h"
#include "base/sql/array.h"
#include "base/sql/database.h"
#include "model/event/home_fence.h"
#include "model/event/interaction_row.h"
#include "model/event/session_store.h"

namespace parley::event {

// The rows that a group of units writes, as arrays, and the statements that write them: one for
// each table, whatever the number of units, in a transaction that is sent at once.
class StagedGroup {
 public:
  StagedGroup() = default;
  StagedGroup(const StagedGroup&) = delete;
  StagedGroup& operator=(const StagedGroup&) = delete;

  core::Result<void> prepare(sql::Database& database);

  void clear();
  // The home of a session of the group. False: another epoch of its slot is in the group already.
  bool add_home(const placement::TakenSlot& home);
  // `number`: that of the session's row. Texts need to live until commit() where they are views.
  void add_session(std::int64_t number, const SessionRow& row);
  void set_title(std::int64_t number, std::string_view title);
  void add_event(std::int64_t number, const Event& event);
  // `event`: the one that changes the interaction.
  void add_change(std::int64_t number, std::string_view owner, const DerivedRow& row,
                  const Event& event);
  void note_activity(std::int64_t number, std::int64_t at);

  // Stores the rows, if each home stands and `writer` is registered.
  // Errors: those of Database::commit_all(); `failed_precondition` with the field kHomeField,
  // kWriterField or kInteractionField, for a condition that is not met.
  core::Result<void> commit(sql::Database& database, std::int64_t writer);

  static constexpr std::string_view kWriterField = "writer";
  static constexpr std::string_view kInteractionField = "interaction";

 private:
  // The columns of the rows, in the order of the statement's parameters.
  struct Sessions {
    sql::Array numbers{sql::Array::Of::integers};
    sql::Array ids{sql::Array::Of::texts};
    sql::Array dialects{sql::Array::Of::texts};
    sql::Array owners{sql::Array::Of::texts};
    sql::Array titles{sql::Array::Of::texts};
    sql::Array created{sql::Array::Of::integers};
  };
  struct Events {
    sql::Array keys{sql::Array::Of::integers};
    sql::Array ats{sql::Array::Of::integers};
    sql::Array directions{sql::Array::Of::texts};
    sql::Array types{sql::Array::Of::texts};
    sql::Array payloads{sql::Array::Of::texts};
  };
  struct Changes {
    sql::Array owners{sql::Array::Of::texts};
    sql::Array sessions{sql::Array::Of::integers};
    sql::Array session_ids{sql::Array::Of::texts};
    sql::Array opens{sql::Array::Of::integers};
    sql::Array keys{sql::Array::Of::texts};
    sql::Array ids{sql::Array::Of::texts};
    sql::Array kinds{sql::Array::Of::texts};
    sql::Array states{sql::Array::Of::texts};
    sql::Array fingerprints{sql::Array::Of::texts};
    sql::Array ats{sql::Array::Of::integers};
    sql::Array at_texts{sql::Array::Of::texts};
    sql::Array deadlines{sql::Array::Of::integers};
    sql::Array seqs{sql::Array::Of::integers};
    sql::Array in_inbox{sql::Array::Of::integers};
    sql::Array digests{sql::Array::Of::blobs};
  };
  struct Statements {
    sql::Statement lock;
    sql::Statement expect;
    sql::Statement sessions;
    sql::Statement titles;
    sql::Statement events;
    sql::Statement changes;
    sql::Statement activity;
  };

  Statements statements_;
  absl::flat_hash_map<placement::Slot, placement::Epoch> homes_;
  HomeColumns home_columns_;
  Sessions sessions_;
  Events events_;
  Changes changes_;
  absl::flat_hash_map<std::int64_t, std::string_view> titles_;  // the last of each session
  absl::flat_hash_map<std::int64_t, std::int64_t> activity_;    // the last of each session
  sql::Array title_numbers_{sql::Array::Of::integers};
  sql::Array title_texts_{sql::Array::Of::texts};
  sql::Array active_numbers_{sql::Array::Of::integers};
  sql::Array active_ats_{sql::Array::Of::integers};
};

// The lock of a writer, as the arguments of SQL: commits share it, and the end of the writer's
// registration waits for them. ?1: the writer.
inline constexpr std::string_view kWriterLock = "hashtext('parley_events.writers'), ?1::int";

}  // namespace parley::event
