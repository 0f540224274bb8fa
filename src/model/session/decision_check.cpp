// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/decision_check.h"

#include <algorithm>
#include <utility>

#include "base/core/hex.h"
#include "base/core/sha256.h"
#include "base/core/visible_text.h"
#include "model/event/store_report.h"
#include "model/session/interaction.h"
#include "model/session/shown.h"

namespace parley::session {

void DecisionCheck::note(std::string sentence) {
  if (findings_.size() < event::kMaxFindings) {
    findings_.push_back(std::move(sentence));
  } else {
    ++more_;
  }
}

void DecisionCheck::note(const event::Decision& of, const std::string& what) {
  note("Decision " + std::to_string(of.number) + " of workspace " +
       core::visible_line(of.workspace) + " (session " + core::visible_line(of.session) +
       ", event " + std::to_string(of.seq) + "): " + what);
}

DecisionCount& DecisionCheck::workspace(const std::string& id) {
  const auto known = std::find_if(workspaces_.begin(), workspaces_.end(),
                                  [&](const DecisionCount& one) { return one.workspace == id; });
  if (known != workspaces_.end()) return *known;
  workspaces_.emplace_back().workspace = id;
  return workspaces_.back();
}

void DecisionCheck::add(const event::RecordedDecision& recorded) {
  const event::Decision& decision = recorded.decision;
  if (workspaces_.empty() || workspaces_.back().workspace != decision.workspace) {
    workspaces_.emplace_back().workspace = decision.workspace;
    workspaces_.back().first_at = decision.at;
    last_number_ = 0;
    last_hash_ = event::kNoDecision;
  }
  DecisionCount& count = workspaces_.back();
  if (decision.number != last_number_ + 1) {
    note(decision,
         "it follows decision " + std::to_string(last_number_) + "; those between are missing.");
  } else if (core::hex_text(event::decision_hash(decision, last_hash_)) != decision.hash) {
    note(decision, "its hash does not follow from the decision before it: one of the two changed.");
  }
  ++count.count;
  count.last_at = decision.at;
  count.head = decision.hash;
  last_number_ = decision.number;
  last_hash_ = decision.hash;
  wanted_.erase(decision.hash);
  check_events(recorded);
}

void DecisionCheck::check_events(const event::RecordedDecision& recorded) {
  if (!recorded.closed_payload) {
    if (!recorded.dropped) return note(recorded.decision, "its event is missing.");
    ++workspaces_.back().dropped;
    return;
  }
  if (core::sha256_hex(*recorded.closed_payload) != recorded.decision.closed) {
    return note(recorded.decision, "its event is not the one that was recorded.");
  }
  check_answer(recorded);
}

void DecisionCheck::check_answer(const event::RecordedDecision& recorded) {
  if (!recorded.opened_payload) {
    if (!recorded.dropped) return note(recorded.decision, "the event of its question is missing.");
    ++workspaces_.back().dropped;
    return;
  }
  auto read = interaction_from_payloads(*recorded.opened_payload, *recorded.closed_payload);
  if (!read) return note(recorded.decision, "its events cannot be read: " + read.error().message);
  const Interaction& asked = *read;
  if (asked.opened_sha256 != core::sha256_hex(*recorded.opened_payload)) {
    return note(recorded.decision, "its question is not the one that was answered.");
  }
  Shown shown = asked.outcome.shown;
  if (shown.source == Shown::Source::nothing) return;
  if (shown.sha256 != shown_digest(asked)) {
    return note(recorded.decision, "another text was shown than that of the question.");
  }
  ++workspaces_.back().shown;
}

void DecisionCheck::add(const event::Undecided& undecided) {
  DecisionCount& count = workspace(undecided.workspace);
  if (count.count == 0 || undecided.at < count.first_at) {
    ++count.older;
    return;
  }
  note("The question " + core::visible_line(undecided.key) + " of session " +
       core::visible_line(undecided.session) + " ended at a time of the chain of workspace " +
       core::visible_line(undecided.workspace) + " and is missing in it.");
}

void DecisionCheck::finish() {
  for (const std::string& head : wanted_) {
    note("No decision has the hash " + core::visible_line(head) +
         ": it was changed or removed, or belongs to another data directory.");
  }
  if (more_ > 0) findings_.push_back("And " + std::to_string(more_) + " more.");
}

}  // namespace parley::session
