// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/core/number_text.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
#include "base/core/utf8.h"
#include "dialects/api/handlers.h"
#include "dialects/api/search/search_query.h"

namespace parley::api {
namespace {

constexpr std::uint64_t kDefaultHits = 20;
constexpr std::size_t kMaxTitleBytes = 200;
constexpr std::int64_t kMaxOffsetMinutes = std::int64_t{18} * 60;

core::Result<search::Query> read_query(const Call& call) {
  const net::Request& request = call.request;
  search::Query query;
  query.owner = call.identity.workspace;
  PARLEY_TRY(query.words, query_text(request, "q"));
  PARLEY_TRY(query.kinds, query_set(request, "kind", search::kAllKinds, search::kind_from_name,
                                    "question, run or chat"));
  PARLEY_TRY(query.states, query_set(request, "state", search::kAllStates, search::state_from_name,
                                     "pending, answered, cancelled or expired"));
  PARLEY_TRY(query.project, query_text(request, "project"));
  PARLEY_TRY(query.agent, query_text(request, "agent"));
  PARLEY_TRY(query.person, query_text(request, "person"));
  PARLEY_TRY(query.from, query_time(request, "from"));
  PARLEY_TRY(query.to, query_time(request, "to"));
  PARLEY_TRY(query.before, query_place(request));
  PARLEY_TRY(query.limit, query_number(request, "limit", kDefaultHits, 1, search::kMaxPage));
  return query;
}

std::string title_of(const search::Entry& entry) {
  const std::string_view line =
      std::string_view(entry.text).substr(0, std::min(entry.text.find('\n'), entry.text.size()));
  return std::string(core::utf8_truncate(line, kMaxTitleBytes));
}

void write_hit(core::JsonWriter& json, const search::Hit& hit) {
  const search::Entry& entry = hit.entry;
  json.key("kind").string(search::kind_name(entry.kind));
  json.key("session").string(entry.session).key("key").string(entry.key);
  json.key("title").string(title_of(entry)).key("snippet").begin_array();
  for (const search::SnippetPart& part : hit.snippet) {
    json.begin_object().key("text").string(part.text);
    json.key("match").boolean(part.match).end_object();
  }
  json.end_array().key("state").string(search::state_name(entry.state));
  json.key("project").string(entry.project).key("agent").string(entry.agent);
  json.key("person").string(entry.person).key("at").string(core::time_text_ms(entry.at));
}

void write_hits(core::JsonWriter& json, const search::Hits& found) {
  json.key("results").objects(found.hits, write_hit).key("next");
  found.more ? json.string(place_text(found.hits.back().entry)) : json.null();
}

void write_wait(core::JsonWriter& json, std::string_view name, std::optional<std::int64_t> ms) {
  json.key(name);
  ms ? json.number(*ms) : json.null();
}

void write_figures(core::JsonWriter& json, std::string_view name, const search::Figures& figures) {
  json.key(name).string(figures.name).key("asked").number(figures.asked);
  json.key("answered").number(figures.answered).key("expired").number(figures.expired);
  json.key("cancelled").number(figures.cancelled);
  write_wait(json, "median_ms", figures.median_ms);
  write_wait(json, "p90_ms", figures.p90_ms);
}

void write_statistics(core::JsonWriter& json, const search::Statistics& found) {
  const auto named = [](std::string_view name) {
    return [name](core::JsonWriter& out, const search::Figures& figures) {
      write_figures(out, name, figures);
    };
  };
  json.key("days").objects(found.days, named("day"));
  json.key("agents").objects(found.agents, named("name"));
  json.key("projects").objects(found.projects, named("name"));
  json.key("people").objects(found.people, named("name"));
  json.key("open").number(found.open);
}

struct Range {
  core::WallTime from;
  core::WallTime to;
  std::chrono::minutes offset{0};
};

core::Result<Range> read_range(const net::Request& request) {
  PARLEY_TRY(const auto from, query_time(request, "from"));
  PARLEY_TRY(const auto to, query_time(request, "to"));
  if (!from || !to) {
    return core::fail(core::Code::invalid_argument, "from and to are needed.",
                      from ? "to" : "from");
  }
  if (*to <= *from || *to - *from > std::chrono::days(search::kMaxStatisticDays)) {
    return core::fail(core::Code::invalid_argument,
                      "to must be after from, and at most " +
                          std::to_string(search::kMaxStatisticDays) + " days later.",
                      "to");
  }
  const auto offset =
      core::parse_number<std::int64_t>(request.query_param("offset_minutes").value_or("0"));
  if (!offset || *offset > kMaxOffsetMinutes || *offset < -kMaxOffsetMinutes) {
    return core::fail(core::Code::invalid_argument,
                      "offset_minutes must be a number from -1080 to 1080.", "offset_minutes");
  }
  return Range{*from, *to, std::chrono::minutes(*offset)};
}

}  // namespace

void search_entries(const Context& context, Call call) {
  if (context.search == nullptr) return send_error(call, no_search());
  core::Result<search::Query> query = read_query(call);
  if (!query) return send_error(call, query.error());
  core::Scheduler& home = call.responder.scheduler();
  context.search->search(std::move(*query), home,
                         [call = std::move(call)](const core::Result<search::Hits>& found) mutable {
                           if (!found) return send_error(call, found.error());
                           send_object(call, 200,
                                       [&](core::JsonWriter& json) { write_hits(json, *found); });
                         });
}

void get_statistics(const Context& context, Call call) {
  if (context.search == nullptr) return send_error(call, no_search());
  const core::Result<Range> range = read_range(call.request);
  if (!range) return send_error(call, range.error());
  core::Scheduler& home = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  context.search->statistics(
      std::move(owner), range->from, range->to, range->offset, home,
      [call = std::move(call)](const core::Result<search::Statistics>& found) mutable {
        if (!found) return send_error(call, found.error());
        send_object(call, 200, [&](core::JsonWriter& json) { write_statistics(json, *found); });
      });
}

}  // namespace parley::api
