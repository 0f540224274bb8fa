// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The part of the service that completes the rows of runs from their events: of runs whose process
// or home did not write their end to the list.
#include <simdjson.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/json_member.h"
#include "base/core/result.h"
#include "runtime/run/run_launch.h"
#include "runtime/stream/frame.h"

namespace parley::run {

using core::Result;
using Impl = LocalRunService::Impl;

namespace {

// Copies the fields of a stored reply into a run; false if the reply is another run's.
bool take_reply(const event::Event& reply, Run& run) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(reply.payload).get(object) != simdjson::SUCCESS) return false;
  if (core::string_member(object, "run_id") != run.id) return false;
  const std::string stop_reason = core::string_member(object, "stop_reason");
  run.state = stop_reason == "cancelled" ? RunState::cancelled
              : stop_reason == "error"   ? RunState::failed
                                         : RunState::finished;
  run.reply = core::string_member(object, "reply");
  run.error = core::string_member(object, "error");
  run.lost_numbers = false;
  run.last_seq = reply.seq;
  run.ended_at = reply.at;
  return true;
}

bool is_start_of(const event::Event& event, const Run& run) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  return parser.parse(event.payload).get(object) == simdjson::SUCCESS &&
         core::string_member(object, "run_id") == run.id;
}

// Reads of the end of a run that the process did not list as ended, and the pause between them.
// Limit (Runs): reads of the end of a run after a kill, one a second. Reached: the run stays
// interrupted until a resume.
constexpr int kEndReads = 600;
constexpr core::Millis kEndReadPause{1'000};

// True if a run in this state is over, and its row has its last event.
bool has_end(RunState state) {
  return state == RunState::finished || state == RunState::failed || state == RunState::cancelled;
}

}  // namespace

// The runs without an end that are not live here.
Result<std::vector<Run>> Impl::unfinished_of(const OwnerFilter& owners) {
  PARLEY_TRY(std::vector<Run> unfinished, index_->unfinished());
  std::erase_if(unfinished, [this, &owners](const Run& run) {
    return (owners && !owners(run.owner)) || is_live(run.id);
  });
  return unfinished;
}

// Repeated until the list can be read. If the owners have another home by then, it refuses the
// rows.
void Impl::take_up(const OwnerFilter& owners) {
  Result<std::vector<Run>> unfinished = unfinished_of(owners);
  if (unfinished) return recover(std::move(*unfinished));
  spdlog::warn("runs: those of a former home: {}", unfinished.error().message);
  worker.after(kEndReadPause, [self = shared_from_this(), owners] { self->take_up(owners); });
}

// Completes the rows that the process did not write before it ended, from the stored events.
void Impl::recover(std::vector<Run> unfinished) {
  for (Run& run : unfinished) find_end(std::move(run), kEndReads);
}

// Completes the row of a run that is listed without an end; a failed read is repeated. The row
// stays as it is until the end is known: a home that loses the run meanwhile leaves it to the next
// one.
void Impl::find_end(Run run, int reads_left) {
  read_end(run, [self = shared_from_this(), run, reads_left](const Result<void>& taken) mutable {
    if (taken) return;
    if (reads_left == kEndReads || reads_left == 1) {
      spdlog::warn("run {}: its end: {}", run.id, taken.error().message);
    }
    if (reads_left == 1) return self->record(self->as_it_stands(run));
    self->worker.after(kEndReadPause, [self, run, reads_left]() mutable {
      self->find_end(std::move(run), reads_left - 1);
    });
  });
}

// The last event of one of these types. On the worker.
void Impl::read_last(const Run& run, std::vector<std::string> types,
                     Done<std::optional<event::Event>> done) {
  event::ReadQuery query;
  query.session = run.session;
  query.before = UINT64_MAX;
  query.limit = 1;
  query.types = std::move(types);
  services.store.read(std::move(query), worker,
                      [done = std::move(done)](Result<event::EventPage> page) mutable {
                        if (!page) return done(core::fail(std::move(page.error())));
                        if (page->events.empty()) return done(std::nullopt);
                        done(std::move(page->events.back()));
                      });
}

// A reply is the end unless a checkpoint follows it: then the run was resumed after it.
void Impl::read_end(const Run& run, Done<void> done) {
  read_last(run, {"run_start", "checkpoint", std::string(runtime::kReplyType)},
            [self = shared_from_this(), run,
             done = std::move(done)](Result<std::optional<event::Event>> last) mutable {
              if (!last) return done(core::fail(std::move(last.error())));
              if (run.first_seq != 0) return done(self->take_end(run, *last, std::nullopt));
              self->read_last(run, {"run_start"},
                              [self, run, last = std::move(*last), done = std::move(done)](
                                  const Result<std::optional<event::Event>>& start) mutable {
                                if (!start) return done(core::fail(start.error()));
                                done(self->take_end(run, last, *start));
                              });
            });
}

Result<void> Impl::take_end(const Run& listed, const std::optional<event::Event>& last,
                            const std::optional<event::Event>& start) {
  if (is_live(listed.id)) return {};  // a resume is under way
  Run run = as_it_stands(listed);
  if (last && last->type == runtime::kReplyType) take_reply(*last, run);
  if (start && is_start_of(*start, run)) run.first_seq = start->seq;
  if (run.first_seq == 0) {  // The session's conversation goes on from the run before it.
    run.state = RunState::failed;
    run.error = "The server ended before the run began.";
    run.ended_at = services.clock.wall();
  }
  if (run.state == listed.state && run.first_seq == listed.first_seq) return {};
  PARLEY_TRY(const std::optional<Run> now, index_->find(run.id));
  // A resume may have ended since.
  if (now && now->state == listed.state) record(run);
  return {};
}

// Completes the row of a run that may have ended without it, before `then` goes on from the run.
void Impl::settle(Result<std::optional<Run>> found, const std::string& owner, Done<void> then) {
  if (!found) return then(core::fail(std::move(found.error())));
  const std::optional<Run>& run = *found;
  const bool is_settled = !run || run->owner != owner || is_live(run->id) ||
                          late_rows_->find(run->id) != nullptr || has_end(run->state);
  if (is_settled) return then({});
  read_end(*run, std::move(then));
}

// A run that is listed without an end, and is not live at its home, was interrupted, unless its end
// waits to be written.
Run Impl::as_it_stands(Run run) const {
  if (has_end(run.state) || is_live(run.id)) return run;
  if (const Run* const late = late_rows_->find(run.id)) return *late;
  if (run.state == RunState::interrupted) return run;
  run.state = RunState::interrupted;
  run.lost_numbers = true;
  return run;
}

}  // namespace parley::run
