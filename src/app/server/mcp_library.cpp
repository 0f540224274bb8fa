// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/mcp_library.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "app/server/mcp_transcript.h"
#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "base/core/utf8.h"
#include "dialects/api/run/run_list.h"
#include "dialects/api/session/interaction_json.h"
#include "model/session/workspace.h"

namespace parley::app {
namespace {

using core::Code;
using core::Result;
using mcp::ResourceContent;
using mcp::ResourceKind;
using mcp::ResourcePage;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kMarkdown = "text/markdown";
constexpr std::string_view kUnknownMedia = "application/octet-stream";
constexpr std::size_t kMaxTitleBytes = 100;
// An event is committed this long after its time at most; later ones are missed by catch_up().
constexpr core::Millis kCommitPatience = std::chrono::seconds(1);
constexpr std::size_t kMissedChanges = 100;
constexpr std::size_t kMissedBytes = 4U << 20U;
constexpr auto kNewest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

core::Error not_found() { return {Code::not_found, "There is no such resource.", "uri"}; }
core::Error not_a_place() { return {Code::invalid_argument, "Unknown cursor.", "cursor"}; }
core::Error too_large() { return {Code::resource_exhausted, "The resource is too large.", {}}; }

// The first line of a text, shortened, or `otherwise` if it is blank.
std::string title_of(std::string_view text, std::string_view otherwise) {
  text = text.substr(0, text.find_first_of("\r\n"));
  if (text.find_first_not_of(" \t") == std::string_view::npos) return std::string(otherwise);
  const std::string_view cut = core::utf8_truncate(text, kMaxTitleBytes);
  return cut.size() == text.size() ? std::string(cut) : std::string(cut) + "…";
}

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<session::Interaction> interaction_of(const event::StoredInteraction& stored) {
  return session::interaction_from_payloads(stored.opened_payload, stored.closed_payload);
}

Result<ResourcePage> page_of_questions(const event::InboxPage& inbox) {
  ResourcePage page;
  for (auto at = inbox.interactions.rbegin(); at != inbox.interactions.rend(); ++at) {
    PARLEY_TRY(auto asked, session::interaction_from_payloads(at->opened_payload, {}));
    page.rows.push_back({asked.key, title_of(asked.prompt.text, session::kind_name(asked.kind))});
  }
  if (inbox.more && !inbox.interactions.empty()) {
    page.next = std::to_string(inbox.interactions.front().row.change);
  }
  return page;
}

std::string session_title(const event::SessionRow& row) {
  return title_of(row.title, session::is_inbox(row) ? "Inbox" : "Conversation with an agent");
}

// The order of the list of sessions does not change while a client reads its pages.
bool is_newer(const event::SessionRow& left, const event::SessionRow& right) {
  return std::pair(left.created_at, left.id) > std::pair(right.created_at, right.id);
}

std::string place_after(const event::SessionRow& row) {
  return std::to_string(core::to_unix_ms(row.created_at)) + ":" + row.id;
}

Result<ResourcePage> page_of_sessions(std::vector<event::SessionRow> rows, const std::string& place,
                                      std::size_t limit) {
  std::erase_if(rows, [](const event::SessionRow& row) {
    return !session::is_inbox(row) && !run::may_have_runs(row.dialect);
  });
  std::sort(rows.begin(), rows.end(), is_newer);
  auto at = rows.begin();
  if (!place.empty()) {
    event::SessionRow last;
    const std::size_t colon = place.find(':');
    const auto created = number_in<std::int64_t>(std::string_view(place).substr(0, colon));
    if (!created || colon == std::string::npos) return core::fail(not_a_place());
    last.created_at = core::from_unix_ms(*created);
    last.id = place.substr(colon + 1);
    at = std::upper_bound(rows.begin(), rows.end(), last, is_newer);
  }
  ResourcePage page;
  for (; at != rows.end() && page.rows.size() < limit; ++at) {
    page.rows.push_back({at->id, session_title(*at)});
  }
  if (at != rows.end() && at != rows.begin()) page.next = place_after(*(at - 1));
  return page;
}

Result<ResourceContent> attachment_of(const event::StoredInteraction& stored, std::size_t number) {
  PARLEY_TRY(const session::Interaction interaction, interaction_of(stored));
  const auto all = attachments_of(interaction);
  if (number == 0 || number > all.size()) return core::fail(not_found());
  const session::Content& content = *all[number - 1];
  return ResourceContent{content.mime_type.empty() ? std::string(kUnknownMedia) : content.mime_type,
                         content.data, true};
}

Result<ResourceContent> transcript_of(const event::InboxPage& page) {
  ResourceContent content{std::string(kMarkdown), {}};
  if (page.more) content.bytes = "*Older questions are left out.*\n";
  for (const event::StoredInteraction& stored : page.interactions) {
    PARLEY_TRY(const session::Interaction interaction, interaction_of(stored));
    append_interaction(content.bytes, interaction);
    if (content.bytes.size() > mcp::kMaxResourceBytes) return core::fail(too_large());
  }
  return content;
}

}  // namespace

McpLibrary::McpLibrary(const McpLibraryDependencies& dependencies, core::Scheduler& scheduler,
                       std::string workspace, std::string nickname)
    : dependencies_(dependencies),
      scheduler_(scheduler),
      inbox_(session::assistant_workspace(workspace)),
      nickname_(std::move(nickname)) {}

McpLibrary::~McpLibrary() { scheduler_.cancel(follow_timer_); }

void McpLibrary::list(ResourceKind kind, std::string place, std::size_t limit,
                      Done<ResourcePage> done) {
  switch (kind) {
    case ResourceKind::question:
      return list_questions(std::move(place), limit, std::move(done));
    case ResourceKind::run:
      return list_runs(std::move(place), limit, std::move(done));
    case ResourceKind::session:
      return list_sessions(std::move(place), limit, std::move(done));
    case ResourceKind::attachment:
      return done(ResourcePage());
  }
}

void McpLibrary::list_questions(std::string place, std::size_t limit, Done<ResourcePage> done) {
  event::InboxQuery query;
  query.owner = inbox_.owner;
  query.before = place.empty() ? kNewest : number_in<std::uint64_t>(place).value_or(0);
  if (*query.before == 0 || *query.before > kNewest) return done(core::fail(not_a_place()));
  query.limit = limit;
  dependencies_.store.inbox(
      std::move(query), scheduler_,
      core::while_alive(alive_,
                        [done = std::move(done)](const Result<event::InboxPage>& page) mutable {
                          done(page ? page_of_questions(*page) : core::fail(page.error()));
                        }));
}

void McpLibrary::list_runs(std::string place, std::size_t limit, Done<ResourcePage> done) {
  run::RunQuery query;
  query.owner = inbox_.owner;
  query.before = std::move(place);
  query.limit = limit;
  dependencies_.runs.list(std::move(query), scheduler_,
                          core::while_alive(alive_, [done = std::move(done)](
                                                        const Result<run::RunPage>& found) mutable {
                            if (!found) return done(core::fail(found.error()));
                            ResourcePage page;
                            for (const run::Run& run : found->runs) {
                              page.rows.push_back({run.id, title_of(run.message, run.agent)});
                            }
                            if (found->more && !found->runs.empty())
                              page.next = found->runs.back().id;
                            done(std::move(page));
                          }));
}

void McpLibrary::list_sessions(std::string place, std::size_t limit, Done<ResourcePage> done) {
  using Rows = std::vector<event::SessionRow>;
  dependencies_.store.sessions(
      inbox_.owner, kListedSessions, scheduler_,
      core::while_alive(alive_, [place = std::move(place), limit,
                                 done = std::move(done)](Result<Rows> rows) mutable {
        if (!rows) return done(core::fail(rows.error()));
        done(page_of_sessions(*std::move(rows), place, limit));
      }));
}

void McpLibrary::read(mcp::ResourceName name, Done<ResourceContent> done) {
  switch (name.kind) {
    case ResourceKind::question:
      return read_question(std::move(name.id), std::move(done));
    case ResourceKind::run:
      return read_run(std::move(name.id), std::move(done));
    case ResourceKind::session:
      return read_session(std::move(name.id), std::move(done));
    case ResourceKind::attachment:
      return read_attachment(std::move(name), std::move(done));
  }
}

void McpLibrary::find_question(std::string key, Done<Stored> done) {
  dependencies_.store.inbox_interaction(
      inbox_.owner, std::move(key), inbox_.id, scheduler_,
      core::while_alive(alive_,
                        [done = std::move(done)](Result<std::optional<Stored>> stored) mutable {
                          if (!stored) return done(core::fail(stored.error()));
                          if (!stored->has_value()) return done(core::fail(not_found()));
                          done(std::move(**stored));
                        }));
}

void McpLibrary::read_question(std::string key, Done<ResourceContent> done) {
  find_question(std::move(key), [done = std::move(done)](const Result<Stored>& stored) mutable {
    if (!stored) return done(core::fail(stored.error()));
    ResourceContent content{std::string(kJson), {}};
    core::JsonWriter json(content.bytes);
    if (auto written = api::write_interaction(json, *stored); !written) {
      return done(core::fail(written.error()));
    }
    done(std::move(content));
  });
}

void McpLibrary::read_attachment(mcp::ResourceName name, Done<ResourceContent> done) {
  const std::size_t number = name.number;
  find_question(std::move(name.id),
                [number, done = std::move(done)](const Result<Stored>& stored) mutable {
                  if (!stored) return done(core::fail(stored.error()));
                  done(attachment_of(*stored, number));
                });
}

void McpLibrary::count_attachments(std::string key, Done<std::size_t> done) {
  find_question(std::move(key), [done = std::move(done)](const Result<Stored>& stored) mutable {
    if (!stored) return done(core::fail(stored.error()));
    const auto interaction = interaction_of(*stored);
    if (!interaction) return done(core::fail(interaction.error()));
    done(attachments_of(*interaction).size());
  });
}

void McpLibrary::read_run(std::string id, Done<ResourceContent> done) {
  dependencies_.runs.find(
      inbox_.owner, std::move(id), scheduler_,
      core::while_alive(alive_, [done = std::move(done)](const Result<run::Run>& run) mutable {
        if (!run) return done(core::fail(run.error()));
        done(ResourceContent{std::string(kJson), core::json_object([&run](core::JsonWriter& json) {
                               api::write_run(json, *run);
                             })});
      }));
}

void McpLibrary::read_session(std::string id, Done<ResourceContent> done) {
  if (!core::is_safe_id(id)) return done(core::fail(not_found()));
  dependencies_.store.session(
      std::move(id), scheduler_,
      core::while_alive(
          alive_, [this, done = std::move(done)](const Result<event::SessionRow>& row) mutable {
            if (!row) return done(core::fail(row.error()));
            if (row->owner != inbox_.owner) return done(core::fail(not_found()));
            if (session::is_inbox(*row)) return read_inbox(std::move(done));
            if (!run::may_have_runs(row->dialect)) return done(core::fail(not_found()));
            read_conversation(row->id, std::move(done));
          }));
}

void McpLibrary::read_inbox(Done<ResourceContent> done) {
  event::InboxQuery query;
  query.owner = inbox_.owner;
  query.limit = kTranscriptQuestions;
  dependencies_.store.inbox(
      std::move(query), scheduler_,
      core::while_alive(alive_,
                        [done = std::move(done)](const Result<event::InboxPage>& page) mutable {
                          done(page ? transcript_of(*page) : core::fail(page.error()));
                        }));
}

// A session without a run has no message yet.
void McpLibrary::read_conversation(std::string id, Done<ResourceContent> done) {
  using Messages = std::vector<model::Message>;
  dependencies_.runs.messages(
      inbox_.owner, std::move(id), scheduler_,
      core::while_alive(alive_, [done = std::move(done)](const Result<Messages>& messages) mutable {
        if (!messages && messages.error().code != Code::not_found) {
          return done(core::fail(messages.error()));
        }
        ResourceContent content{std::string(kMarkdown), {}};
        if (!messages) return done(std::move(content));
        for (const model::Message& message : *messages) {
          append_message(content.bytes, message);
          if (content.bytes.size() > mcp::kMaxResourceBytes) return done(core::fail(too_large()));
        }
        done(std::move(content));
      }));
}

void McpLibrary::watch(OnChange changed) {
  changed_ = std::move(changed);
  since_ = scheduler_.clock().wall();
  run_watch_ = dependencies_.run_changes.watch(
      inbox_.owner, scheduler_,
      core::while_alive(alive_, [this](const run::Run& run) { on_run(run); }),
      core::while_alive(alive_,
                        [this](const std::string& /*session*/) { changed_({.listed = true}); }));
  // The hub may call back within its call; watch() promises not to.
  scheduler_.post(core::while_alive(alive_, [this] { follow(); }));
}

void McpLibrary::follow() {
  session::ParticipantInfo info;
  info.client_id = core::new_id(scheduler_.clock(), dependencies_.entropy);
  info.nickname = nickname_;
  info.role = session::ParticipantRole::observer;
  info.dialect = "mcp";
  info.connected_at = scheduler_.clock().wall();
  session::Subscription::Events events;
  events.joined = [this](const Result<std::uint64_t>& visible) {
    if (!visible) return follow_later();
    joined_at_ = scheduler_.clock().wall();
    catch_up();
  };
  events.opened = [this](const session::InteractionPtr& opened) {
    // Questions that were pending before are reported as well; one that was being stored when the
    // observer joined is new.
    if (opened->opened_at + kCommitPatience >= joined_at_) on_question(opened->key, true);
  };
  events.closed = [this](const session::InteractionPtr& closed) {
    on_question(closed->key, false);
  };
  events.left = [this](session::LeaveReason reason) {
    if (reason != session::LeaveReason::home_moved) return;
    since_ = scheduler_.clock().wall();
    follow_later();
  };
  inbox_watch_ = session::Subscription(dependencies_.hub, inbox_, scheduler_);
  inbox_watch_.watch(std::move(info), std::move(events));
}

void McpLibrary::follow_later() {
  scheduler_.cancel(follow_timer_);
  follow_timer_ = scheduler_.after(kFollowAgainAfter, [this] { follow(); });
}

// Reports the changes between the call of watch() and the observer's joining.
void McpLibrary::catch_up() {
  event::InboxQuery query;
  query.owner = inbox_.owner;
  query.limit = kMissedChanges;
  query.max_bytes = kMissedBytes;
  dependencies_.store.inbox(std::move(query), scheduler_,
                            core::while_alive(alive_, [this](const Result<event::InboxPage>& page) {
                              if (!page) return;
                              for (const event::StoredInteraction& stored : page->interactions) {
                                const auto interaction = interaction_of(stored);
                                if (interaction) catch_up_with(*interaction);
                              }
                            }));
}

void McpLibrary::catch_up_with(const session::Interaction& interaction) {
  const auto is_missed = [this](core::WallTime at) { return at + kCommitPatience >= since_; };
  if (is_missed(interaction.opened_at)) on_question(interaction.key, true);
  const bool has_ended = interaction.state != session::InteractionState::pending;
  if (has_ended && is_missed(interaction.outcome.at)) on_question(interaction.key, false);
}

void McpLibrary::on_question(const std::string& key, bool begins) {
  changed_({{{ResourceKind::question, key}, {ResourceKind::session, inbox_.id}}, begins});
}

// A run without a step has just begun.
void McpLibrary::on_run(const run::Run& run) {
  const bool begins = run.state == run::RunState::running && run.steps == 0;
  changed_({{{ResourceKind::run, run.id}, {ResourceKind::session, run.session}}, begins});
}

}  // namespace parley::app
