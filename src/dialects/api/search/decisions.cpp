// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/core/result.h"
#include "base/core/time_text.h"
#include "dialects/api/handlers.h"
#include "dialects/api/search/search_query.h"
#include "model/session/interaction.h"

namespace parley::api {
namespace {

constexpr std::uint64_t kDefaultDecisions = 20;

core::Result<search::DecisionQuery> read_decision_query(const Call& call) {
  const net::Request& request = call.request;
  search::DecisionQuery query;
  query.owner = call.identity.workspace;
  PARLEY_TRY(query.verdicts, query_set(request, "verdict", search::kAllVerdicts,
                                       session::verdict_from_name, "allowed, lasting or denied"));
  PARLEY_TRY(query.project, query_text(request, "project"));
  PARLEY_TRY(query.agent, query_text(request, "agent"));
  PARLEY_TRY(query.from, query_time(request, "from"));
  PARLEY_TRY(query.to, query_time(request, "to"));
  PARLEY_TRY(query.before, query_place(request));
  PARLEY_TRY(query.limit, query_number(request, "limit", kDefaultDecisions, 1, search::kMaxPage));
  return query;
}

void write_decision(core::JsonWriter& json, const search::Entry& entry) {
  json.key("session").string(entry.session).key("key").string(entry.key);
  json.key("verdict").string(session::verdict_name(entry.verdict));
  json.key("answer").string(entry.answer);
  if (entry.action) json.key("action").raw(session::action_json(*entry.action));
  json.key("agent").string(entry.agent).key("project").string(entry.project);
  json.key("person").string(entry.person).key("channel").string(entry.channel);
  json.key("at").string(core::time_text_ms(entry.at));
  if (entry.closed_at) json.key("closed_at").string(core::time_text_ms(*entry.closed_at));
}

void write_tally(core::JsonWriter& json, const search::Tally& tally) {
  json.key("like").begin_object().key("allowed").number(tally.allowed);
  json.key("lasting").number(tally.lasting).key("denied").number(tally.denied).end_object();
}

void send_decisions(Call& call, const search::Decisions& found) {
  send_object(call, 200, [&](core::JsonWriter& json) {
    json.key("decisions").objects(found.page.entries, write_decision);
    if (found.tally) write_tally(json, *found.tally);
    json.key("next");
    found.page.more ? json.string(place_text(found.page.entries.back())) : json.null();
  });
}

void find_decisions(const Context& context, Call call, search::DecisionQuery query) {
  core::Scheduler& home = call.responder.scheduler();
  context.search->decisions(
      std::move(query), home,
      [call = std::move(call)](const core::Result<search::Decisions>& found) mutable {
        if (!found) return send_error(call, found.error());
        send_decisions(call, *found);
      });
}

// The decisions about the like of one question, which may wait still.
void find_like(const Context& context, Call call, search::DecisionQuery query,
               const std::string& key) {
  std::string session = call.request.query_param("session").value_or("");
  with_owned_session(
      context, std::move(call), std::move(session),
      [&context, key, query = std::move(query)](Call found, const event::SessionRow& row) mutable {
        core::Scheduler& home = found.responder.scheduler();
        find_interaction(
            context, row, key, home,
            [&context, call = std::move(found), query = std::move(query)](
                const core::Result<std::optional<event::StoredInteraction>>& stored) mutable {
              if (!stored) return send_error(call, stored.error());
              if (!stored->has_value()) {
                return send_error(call,
                                  {core::Code::not_found, "No interaction has this key.", "like"});
              }
              const auto asked = session::interaction_from_payloads((*stored)->opened_payload, {});
              if (!asked) return send_error(call, asked.error());
              if (!asked->prompt.action) return send_decisions(call, {});
              query.like = asked->prompt.action;
              find_decisions(context, std::move(call), std::move(query));
            });
      });
}

}  // namespace

void list_decisions(const Context& context, Call call) {
  if (context.search == nullptr) return send_error(call, no_search());
  core::Result<search::DecisionQuery> query = read_decision_query(call);
  if (!query) return send_error(call, query.error());
  const std::string like = call.request.query_param("like").value_or("");
  if (like.empty()) return find_decisions(context, std::move(call), *std::move(query));
  find_like(context, std::move(call), *std::move(query), like);
}

}  // namespace parley::api
