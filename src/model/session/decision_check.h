// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "model/event/decision.h"

namespace parley::session {

// The figures of one workspace.
struct DecisionCount {
  std::string workspace;
  std::uint64_t count = 0;
  std::uint64_t dropped = 0;  // an event was dropped by retention: its hash alone is checked
  std::uint64_t shown = 0;    // answers whose shown text is on record
  std::uint64_t older = 0;    // interactions that ended before the chain began
  core::WallTime first_at;
  core::WallTime last_at;
  std::string head;  // hash of the last decision
};

// Checks decisions as they come, by workspace and number: that each hash follows from the one
// before it, that the events are those that were hashed, that the answer belongs to the question
// that was opened and was given on its text, for the arguments that were asked about.
class DecisionCheck {
 public:
  // `heads`: hashes that must occur; an earlier check has told them.
  explicit DecisionCheck(std::vector<std::string> heads = {})
      : wanted_(heads.begin(), heads.end()) {}

  void add(const event::RecordedDecision& recorded);
  void add(const event::Undecided& undecided);
  // The end of the decisions. Call once.
  void finish();

  const std::vector<DecisionCount>& workspaces() const { return workspaces_; }
  // Sentences; empty: everything is as it was recorded. At most event::kMaxFindings and a line that
  // counts the others.
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  void note(const event::Decision& of, const std::string& what);
  void note(std::string sentence);
  void check_events(const event::RecordedDecision& recorded);
  void check_answer(const event::RecordedDecision& recorded);
  DecisionCount& workspace(const std::string& id);

  std::vector<DecisionCount> workspaces_;  // in the order of their first decisions
  std::vector<std::string> findings_;
  std::uint64_t more_ = 0;  // findings that are not listed
  std::uint64_t last_number_ = 0;
  std::string last_hash_;
  std::set<std::string> wanted_;
};

}  // namespace parley::session
