// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/server/settings.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/work_gate.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "identity/auth/guest_verifier.h"
#include "model/event/session_store.h"
#include "model/session/hub.h"
#include "services/study/kit.h"
#include "services/study/sqlite_study_service.h"
#include "services/study/study_service.h"

namespace parley::app {

// Services below studies. They must outlive the assembly.
struct StudyDependencies {
  const Settings& settings;
  session::Hub& hub;
  event::SessionStore& store;
  auth::Verifier& tokens;
  const core::Clock& clock;
  core::Entropy& entropy;
  net::Metrics& metrics;
  core::WorkGate& gate;  // consulted before a study or a booking starts
  // Token whose workspace is shared by callers without a token; empty: such callers are refused.
  std::string default_token;
  study::OwnerFilter is_home = nullptr;                 // StudyOptions::is_home
  std::function<bool()> is_home_of_bookings = nullptr;  // BookingOptions::is_home
};

// The studies of a server: their service and kit, the relay, the booking backend.
class StudyAssembly {
 public:
  // Errors: those of the databases; `invalid_argument` with the field "studies.kit" (the study kit
  // cannot be used: the message has a line for each fault).
  static core::Result<std::unique_ptr<StudyAssembly>> open(const StudyDependencies& dependencies);
  ~StudyAssembly();

  void install(net::Router& router);
  study::StudyService& studies();
  const study::Kit* kit() const;  // null: none
  auth::GuestVerifier& guests();
  void take_up(study::OwnerFilter owners, core::Task done);  // SqliteStudyService::take_up()
  // BookingService::take_up().
  void take_up_bookings(core::Scheduler& scheduler, core::Task done);

  // Passes gathered records to the event store; see SqliteStudyService::write_out().
  void write_out();
  // Ends the threads of the services. Call after the shards have stopped and the event store is
  // closed.
  void stop();

 private:
  struct Parts;
  explicit StudyAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parley::app
