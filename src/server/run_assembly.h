// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "auth/token_store.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/result.h"
#include "core/work_gate.h"
#include "event/session_store.h"
#include "net/http/http.h"
#include "net/http/metrics.h"
#include "runtime/run/run_service.h"
#include "server/settings.h"
#include "session/hub.h"

namespace parley::app {

// Services below runs. They must outlive the assembly.
struct RunGround {
  const Settings& settings;
  session::Hub& hub;
  event::SessionStore& store;
  auth::Verifier& tokens;
  const core::Clock& clock;
  core::Entropy& entropy;
  net::Metrics& metrics;
  core::WorkGate& gate;  // consulted before a run starts
};

// The agents of a server: models, tools, the service that runs them, and the Loom dialect.
class RunAssembly {
 public:
  // Errors: those of the databases; `invalid_argument` for settings that cannot be used.
  static core::Result<std::unique_ptr<RunAssembly>> open(const RunGround& ground);
  ~RunAssembly();

  void install(net::Router& router);
  run::RunService& runs();
  run::RunWatchers& changes();  // watchers of the list of runs

  // Ends the threads of the services and the processes that tools have started. Call after the
  // shards have stopped and the event store is closed.
  void stop();

 private:
  struct Parts;
  explicit RunAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parley::app
