// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "auth/guest_verifier.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/work_gate.h"
#include "event/session_store.h"
#include "net/http/http.h"
#include "runtime/run/run_service.h"
#include "runtime/run/run_watchers.h"
#include "session/hub.h"
#include "study/kit.h"
#include "study/study_archive.h"

// Parley's own API, below /v1: sessions, events, interactions and tokens as plain JSON over HTTP.
// docs/openapi.json is its contract; a test holds the two together.
namespace parley::api {

// What the API works on. Outlives the router and every answer.
struct Context {
  session::Hub& hub;
  event::SessionStore& store;
  auth::TokenStore& tokens;
  core::Entropy& entropy;
  core::Scheduler& disk;           // a thread that may wait: the token store's calls are made there
  core::Millis heartbeat{15'000};  // a comment in a stream that has nothing to say
  study::StudyArchive* studies = nullptr;   // null: the server keeps no studies
  run::RunService* runs = nullptr;          // null: the server runs no agents
  run::RunWatchers* run_changes = nullptr;  // null: the list of runs is not streamed
  const study::Kit* kit = nullptr;          // null: there is none
  core::WorkGate* gate = nullptr;           // asked before a question is taken; null: all are
  // Knows whom a request stands for; null: `tokens`.
  auth::Verifier* verifier = nullptr;
  // Lets callers in where the table says that guests may come; null: as all others.
  auth::Verifier* guests = nullptr;
  std::shared_ptr<std::atomic<std::size_t>> waiting_for_tokens =
      std::make_shared<std::atomic<std::size_t>>(0);

  auth::Verifier& door() const { return verifier != nullptr ? *verifier : tokens; }
};

// One request by somebody who has been let in.
struct Call {
  net::Request request;
  net::Responder responder;
  auth::Identity identity;
};

using Handler = void (*)(const Context&, Call);

struct Route {
  std::string_view method;
  std::string_view pattern;
  Handler handler;
};

// The routes that need a token; what right each needs is in access/access_table.cpp. GET
// /v1/openapi.json stands beside them, open to all.
std::span<const Route> routes();

// Adds every route of the API, and a 404 in JSON for the rest of /v1.
void install(net::Router& router, const Context& context);

// The OpenAPI document, as built in.
std::string_view openapi_document();

// The session in which the agents and people of a token meet.
std::string own_session_id(const auth::Identity& identity);

void send_error(Call& call, const core::Error& error);
void send_json(Call& call, int status, std::string body);

// Finds a session of the caller by id (empty: its own one, which need not exist yet) and goes on
// with `use`; answers 404 if it is not there or not theirs.
using UseSession = absl::AnyInvocable<void(Call, event::SessionRow)>;
void with_owned_session(const Context& context, Call call, std::string id, UseSession use);

// A whole number in the query. Errors: `invalid_argument`, with the name as field.
core::Result<std::uint64_t> query_number(const net::Request& request, std::string_view name,
                                         std::uint64_t fallback, std::uint64_t min,
                                         std::uint64_t max);

// The parts of the target below `prefix`, each percent-decoded by itself, so that a key may hold
// any character ("/" as %2F).
std::vector<std::string> target_parts(const net::Request& request, std::string_view prefix);

}  // namespace parley::api
