// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/certificate/tls_report.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/json_writer.h"
#include "base/core/work_gate.h"
#include "base/net/http/http.h"
#include "base/net/server/home_passage.h"
#include "identity/auth/guest_verifier.h"
#include "model/event/session_store.h"
#include "model/session/hub.h"
#include "runtime/run/run_service.h"
#include "runtime/run/run_watchers.h"
#include "runtime/tool/file/path_finder.h"
#include "services/notify/notification_service.h"
#include "services/search/search_service.h"
#include "services/study/kit.h"
#include "services/study/study_service.h"

// Parley's own API, below /v1: sessions, events, interactions and tokens as plain JSON over HTTP.
// docs/openapi.json is its contract; a test compares the two.
namespace parley::api {

// A rule as its maker has seen it.
struct RuleRequest {
  std::string agent;  // its word
  std::string command;
  std::string rule;
  std::string file;
  std::string by;  // name of the maker's token
};

// The permission rules in the settings of this computer's agents. The functions are called on
// Context::disk and answer in JSON.
struct RuleEditor {
  std::function<core::Result<std::string>(const std::vector<search::Habit>& habits)> list;
  std::function<core::Result<std::string>(const RuleRequest& request)> make;
  std::function<core::Result<void>(const std::string& id)> revoke;
};

// The dependencies of the API. Outlives the router and every answer.
struct Context {
  session::Hub& hub;
  event::SessionStore& store;
  auth::TokenStore& tokens;
  core::Entropy& entropy;
  core::Scheduler& disk;           // a thread that may block, also for the calls of `tokens`
  core::Millis heartbeat{15'000};  // interval of comments in a stream without events
  study::StudyService* studies = nullptr;   // null: the server keeps no studies
  run::RunService* runs = nullptr;          // null: the server runs no agents
  run::RunWatchers* run_changes = nullptr;  // null: the list of runs is not streamed
  tool::PathFinder* paths = nullptr;        // null: the server completes no paths
  // Folders whose paths are completed for callers that are not on this computer.
  std::vector<std::string> project_folders = {};
  search::SearchService* search = nullptr;        // null: the server has no search
  notify::NotificationService* notify = nullptr;  // null: the server sends no notifications
  const study::Kit* kit = nullptr;                // null: the server has no study kit
  core::WorkGate* gate = nullptr;                 // admits questions; null: all are admitted
  // Verifies the token of a request; null: `tokens`.
  auth::Verifier* verifier = nullptr;
  // Verifies callers of the routes for which the table allows guests; null: as on other routes.
  auth::Verifier* guests = nullptr;
  net::HomePassage* homes = nullptr;            // the way to other nodes of a cluster; null: none
  const certificate::TlsReport* tls = nullptr;  // null: as a server without TLS on loopback
  // Makes the running server listen on its tailnet; `done` is called once, on any thread. Null: it
  // cannot.
  std::function<void(std::function<void(core::Result<void>)> done)> open_tailnet = {};
  // The answer of GET /v1/setup; called on `disk`. Empty: 404.
  std::function<core::Result<std::string>()> setup = {};
  std::optional<RuleEditor> rules = std::nullopt;  // std::nullopt: 404
  std::shared_ptr<std::atomic<std::size_t>> waiting_for_disk =
      std::make_shared<std::atomic<std::size_t>>(0);

  auth::Verifier& door() const { return verifier != nullptr ? *verifier : tokens; }
};

// One request of an admitted caller.
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

// The routes that need a token; identity/access/access_table.cpp has the right of each. GET
// /v1/openapi.json is another route, open to all.
std::span<const Route> routes();

// Adds every route of the API, and a 404 in JSON for the rest of /v1.
void install(net::Router& router, const Context& context);

// The OpenAPI document, compiled into the program.
std::string_view openapi_document();

// Id of the session that the agents and people of a token share.
std::string own_session_id(const auth::Identity& identity);

void send_error(Call& call, const core::Error& error);
void send_json(Call& call, int status, std::string body);
// Sends one object; `write(json)` writes its members.
template <typename Write>
void send_object(Call& call, int status, const Write& write) {
  send_json(call, status, core::json_object(write));
}
// Writes a member: Unix milliseconds, or null.
void write_time(core::JsonWriter& json, std::string_view name,
                const std::optional<core::WallTime>& at);

// Finds a session of the caller by id (empty: its own session, which need not exist yet) and passes
// it to `use`; answers 404 if it does not exist or belongs to another owner.
using UseSession = absl::AnyInvocable<void(Call, event::SessionRow)>;
void with_owned_session(const Context& context, Call call, std::string id, UseSession use);

// Parses an integer in the query. Errors: `invalid_argument`, with the name as field.
core::Result<std::uint64_t> query_number(const net::Request& request, std::string_view name,
                                         std::uint64_t fallback, std::uint64_t min,
                                         std::uint64_t max);

// The segments of the target below `prefix`, each percent-decoded separately, so that a key may
// hold any character ("/" as %2F).
std::vector<std::string> target_parts(const net::Request& request, std::string_view prefix);

}  // namespace parley::api
