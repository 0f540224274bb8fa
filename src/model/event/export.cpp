// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/export.h"

#include <algorithm>
#include <utility>

#include "base/core/assert.h"
#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/core/time_text.h"

namespace parley::event {
namespace {

constexpr std::size_t kSessionsPerPage = 256;

core::Result<std::uint64_t> export_session(SessionReader& reader, const std::string& session,
                                           const ExportSink& sink) {
  ReadQuery query;
  query.session = session;
  query.limit = core::limits::kMaxPageEvents;
  std::uint64_t count = 0;
  std::string lines;
  while (true) {
    PARLEY_TRY(const EventPage page, reader.read(query));
    if (page.events.empty()) return count;
    lines.clear();
    for (const Event& event : page.events) append_export_line(lines, event);
    PARLEY_TRY_VOID(sink(lines));
    count += page.events.size();
    PARLEY_ASSERT(page.events.back().seq > query.after,
                  "session " + session + ": the page after event " + std::to_string(query.after) +
                      " ends with event " + std::to_string(page.events.back().seq));
    query.after = page.events.back().seq;
  }
}

core::Result<std::uint64_t> export_all(SessionReader& reader, const ExportSink& sink) {
  std::uint64_t count = 0;
  std::int64_t after = 0;
  while (true) {
    PARLEY_TRY(const auto sessions, reader.all_sessions(after, kSessionsPerPage));
    if (sessions.empty()) return count;
    for (const ListedSession& session : sessions) {
      core::Result<std::uint64_t> done = export_session(reader, session.id, sink);
      if (!done) return done;
      count += *done;
      after = session.place;
    }
  }
}

}  // namespace

core::Result<std::uint64_t> export_events(SessionReader& reader, const std::string& session,
                                          const ExportSink& sink) {
  if (session.empty()) return export_all(reader, sink);
  PARLEY_TRY_VOID(reader.session(session));
  return export_session(reader, session, sink);
}

void append_export_line(std::string& out, const Event& event) {
  // In JSON, line ends occur only between tokens, where a space is equivalent.
  std::string payload = event.payload.empty() ? "{}" : event.payload;
  std::replace_if(
      payload.begin(), payload.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  core::JsonWriter json(out);
  json.begin_object();
  json.key("session").string(event.session);
  json.key("seq").number(event.seq);
  json.key("at").string(core::time_text_ms(event.at));
  json.key("direction").string(event.direction);
  json.key("type").string(event.type);
  json.key("payload").raw(payload);
  json.end_object();
  out.push_back('\n');
}

}  // namespace parley::event
