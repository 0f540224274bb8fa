// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/core/result.h"
#include "base/sql/store_place.h"
#include "model/event/decision.h"
#include "model/event/session_reader.h"
#include "model/event/store_report.h"

namespace parley::event {

// A session store that a command opens for reading only, while its server is running or not. Never
// changes the store. One thread.
class OfflineStore {
 public:
  OfflineStore() = default;
  OfflineStore(const OfflineStore&) = delete;
  OfflineStore& operator=(const OfflineStore&) = delete;
  virtual ~OfflineStore() = default;

  // The reader may outlive this object. Errors: `not_found` (the store is empty),
  // `failed_precondition` (an older or a newer Parley or another program wrote it), `data_loss` (it
  // is damaged).
  virtual core::Result<std::unique_ptr<SessionReader>> make_reader() = 0;
  // Examines the whole store (model/event/doctor.h); takes as long as reading it once. Errors: the
  // store cannot be read at all.
  virtual core::Result<StoreReport> examine() = 0;
  // Passes on all decisions, by workspace and number, then the interactions that ended and have
  // none, all of one moment. Errors: as make_reader(), and that of `use`, which ends the call.
  virtual core::Result<void> decisions(const DecisionSink& use, const UndecidedSink& missing) = 0;
};

// Opens the store at its place. Errors: `not_found` (there is none), `permission_denied`,
// `data_loss`, `resource_exhausted`, `unavailable`.
core::Result<std::unique_ptr<OfflineStore>> open_offline_store(const sql::StorePlace& place);

// A reader of the store at its place; null if there is no store, or an empty one. Errors: those of
// OfflineStore::make_reader().
core::Result<std::unique_ptr<SessionReader>> open_offline_reader(const sql::StorePlace& place);

}  // namespace parley::event
