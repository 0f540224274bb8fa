// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/decision_chain.h"

#include <utility>

#include "base/core/hex.h"
#include "base/core/sha256.h"
#include "base/core/try.h"
#include "model/event/decision.h"

namespace parley::event {
namespace {

// Workspaces whose last decision is cached.
constexpr std::size_t kMaxHeads = 4'096;

}  // namespace

core::Result<void> DecisionChain::prepare(sql::Database& database) {
  return database.prepare_all({
      {&find_workspace_, "SELECT owner FROM sessions WHERE number = ?1"},
      {&find_head_,
       "SELECT number, hash FROM decisions WHERE workspace = ?1 ORDER BY number DESC LIMIT 1"},
      {&insert_,
       "INSERT INTO decisions (workspace, number, session, seq, at, closed, hash)"
       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
  });
}

core::Result<void> DecisionChain::add(std::int64_t session, const Event& closed) {
  Decision decision;
  PARLEY_TRY(auto workspace, find_workspace_.bind_all(session).first(
                                 [](const sql::Statement& row) { return row.string(0); }));
  if (!workspace) return core::fail(core::Code::data_loss, "The session of a decision is missing.");
  decision.workspace = std::move(*workspace);
  PARLEY_TRY(Head* const head, find_head(decision.workspace));
  const std::string digest = core::sha256(closed.payload);
  decision.number = head->number + 1;
  decision.session = closed.session;
  decision.seq = closed.seq;
  decision.at = closed.at;
  decision.closed = core::hex_text(digest);
  const std::string hash = decision_hash(decision, head->hash);
  PARLEY_TRY_VOID(insert_
                      .bind_all(decision.workspace, decision.number, session, decision.seq,
                                decision.at, sql::Blob{digest}, sql::Blob{hash})
                      .run());
  *head = {decision.number, core::hex_text(hash)};
  return {};
}

core::Result<DecisionChain::Head*> DecisionChain::find_head(const std::string& workspace) {
  const auto known = heads_.find(workspace);
  if (known != heads_.end()) return &known->second;
  PARLEY_TRY(auto head, find_head_.bind_all(workspace).first([](const sql::Statement& row) {
    return Head{row.number(0), core::hex_text(row.text(1))};
  }));
  if (heads_.size() >= kMaxHeads) heads_.clear();
  if (!head) head = Head{0, std::string(kNoDecision)};
  return &heads_.insert_or_assign(workspace, std::move(*head)).first->second;
}

}  // namespace parley::event
