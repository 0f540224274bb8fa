// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/server/settings.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/work_gate.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "identity/auth/token_store.h"
#include "model/event/session_store.h"
#include "model/session/hub.h"
#include "runtime/run/local_run_service.h"
#include "runtime/run/run_service.h"

namespace parley::app {

// Services below runs. They must outlive the assembly.
struct RunDependencies {
  const Settings& settings;
  session::Hub& hub;
  event::SessionStore& store;
  auth::Verifier& tokens;
  const core::Clock& clock;
  core::Entropy& entropy;
  net::Metrics& metrics;
  core::WorkGate& gate;                // consulted before a run starts
  run::OwnerFilter is_home = nullptr;  // RunOptions::is_home
};

// The agents of a server: models, tools, the service that runs them, and the Loom dialect.
class RunAssembly {
 public:
  // Errors: those of the databases; `invalid_argument` for settings that cannot be used.
  static core::Result<std::unique_ptr<RunAssembly>> open(const RunDependencies& dependencies);
  ~RunAssembly();

  void install(net::Router& router);
  run::RunService& runs();
  run::RunWatchers& changes();            // watchers of the list of runs
  void take_up(run::OwnerFilter owners);  // LocalRunService::take_up()
  void poll();                            // ServerRegistry::poll()

  // Ends the threads of the services and the processes that tools have started. Call after the
  // shards have stopped and the event store is closed.
  void stop();

 private:
  struct Parts;
  explicit RunAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parley::app
