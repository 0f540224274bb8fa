// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "services/study/study.h"

namespace parley::study {

// Limit (Studies): studies in one list. Reached: the page ends; `next` goes on.
inline constexpr std::size_t kMaxStudiesPage = 1'000;

// A query for studies. Empty texts match all.
struct StudyQuery {
  std::string owner;
  bool all_owners = false;  // ignores `owner`; for administrators of the data directory
  std::optional<StudyState> state;
  std::string study_id;
  std::string participant_id;
  std::uint64_t before = 0;  // position from StudyPage::next; 0: from the newest
  std::size_t limit = 100;   // at most kMaxStudiesPage
};

struct StudyPage {
  std::vector<Study> studies;  // newest first
  std::uint64_t next = 0;      // `before` of the next page; 0: there is no further page
};

// The condition and scenario assigned to a participant of a study.
struct Assignment {
  std::string condition;
  std::string scenario;
  std::uint64_t position = 0;  // number of earlier participants of the study
};

// The list of studies, the store `studies`. A lost list is rebuilt from the event store. Blocks;
// use on one thread. Errors: those of sql::Database.
class StudyIndex {
 public:
  enum class Access : std::uint8_t { write, read };

  static const sql::Schema& schema();
  // Access::write makes a missing list; Access::read needs an existing one. Errors: those of
  // sql::open_store() and of sql::open_store_to_read().
  static core::Result<std::unique_ptr<StudyIndex>> open(const sql::StorePlace& place, Access access,
                                                        const std::string& vfs = {});
  virtual ~StudyIndex() = default;

  // Takes the next number of that day. Never returns a number twice.
  virtual core::Result<std::uint64_t> next_number(const std::string& day) = 0;
  // Marks the numbers of that day up to `number` as taken.
  virtual core::Result<void> take_number(const StudyNumber& number) = 0;

  virtual core::Result<void> insert(const Study& study) = 0;
  // Stores state, end, reason and count.
  virtual core::Result<void> end(const Study& study) = 0;
  virtual core::Result<void> remove(std::string_view id) = 0;
  virtual core::Result<std::optional<Study>> find(std::string_view id) = 0;
  // The open study of a relay session.
  virtual core::Result<std::optional<Study>> open_one(std::string_view placement_key) = 0;
  virtual core::Result<std::vector<Study>> open_ones() = 0;
  // Open studies of an owner, oldest first.
  virtual core::Result<std::vector<Study>> open_ones_of(std::string_view owner,
                                                        std::size_t limit) = 0;
  virtual core::Result<std::uint64_t> count_open(std::string_view owner) = 0;
  virtual core::Result<StudyPage> search(const StudyQuery& query) = 0;

  virtual core::Result<std::optional<Assignment>> assignment(std::string_view owner,
                                                             std::string_view study_id,
                                                             std::string_view participant_id) = 0;
  // Replaces an earlier assignment of the participant.
  virtual core::Result<void> assign(std::string_view owner, std::string_view study_id,
                                    std::string_view participant_id,
                                    const Assignment& assignment) = 0;
  virtual core::Result<std::uint64_t> count_assigned(std::string_view owner,
                                                     std::string_view study_id) = 0;
};

}  // namespace parley::study
