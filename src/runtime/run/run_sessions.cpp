// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Operations on sessions of runs: list, show, delete.
#include <simdjson.h>

#include <algorithm>
#include <filesystem>

#include "base/core/result.h"
#include "runtime/run/run_launch.h"
#include "runtime/tool/file/session_folder.h"

namespace parley::run {

using core::Code;
using core::Result;
using Impl = LocalRunService::Impl;

namespace {

constexpr std::string_view kCheckpointType = "checkpoint";

// Copies the data of a session's last checkpoint.
void take_checkpoint(const event::Event& event, RunSession& session) {
  session.last_updated = std::max(session.last_updated, event.at);
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(event.payload).get(object) != simdjson::SUCCESS) return;
  std::int64_t step = 0;
  if (object["step"].get(step) == simdjson::SUCCESS) session.latest_step = step;
  std::string_view node;
  // Before the first node of a run the envelope has "run-0".
  if (object["node_id"].get(node) == simdjson::SUCCESS && node != "run-0") {
    session.latest_source = kSourceLoop;
  }
}

// Reads the checkpoints of sessions from the store, all at once: its threads share the reads.
class Survey : public std::enable_shared_from_this<Survey> {
 public:
  using Finished = absl::AnyInvocable<void(Result<std::vector<RunSession>>)>;

  Survey(event::SessionStore& store, core::Scheduler& scheduler, std::vector<RunSession> sessions,
         Finished finished)
      : store_(store),
        scheduler_(scheduler),
        sessions_(std::move(sessions)),
        finished_(std::move(finished)) {}

  void start() {
    left_ = 2 * sessions_.size();
    if (left_ == 0) return finished_(std::move(sessions_));
    for (RunSession& session : sessions_) {
      count(session);
      read_last(session);
    }
  }

 private:
  void count(RunSession& session) {
    store_.count(session.id, std::string(kCheckpointType), scheduler_,
                 [self = shared_from_this(), &session](const Result<std::uint64_t>& count) {
                   if (count) session.checkpoints = *count;
                   self->settle(count ? nullptr : &count.error());
                 });
  }

  void read_last(RunSession& session) {
    event::ReadQuery query;
    query.session = session.id;
    query.before = INT64_MAX;
    query.limit = 1;
    query.types = {std::string(kCheckpointType)};
    store_.read(std::move(query), scheduler_,
                [self = shared_from_this(), &session](const Result<event::EventPage>& page) {
                  if (!page) return self->settle(&page.error());
                  if (page->events.empty()) {
                    session.latest_source.clear();
                  } else {
                    take_checkpoint(page->events.back(), session);
                  }
                  self->settle(nullptr);
                });
  }

  void settle(const core::Error* error) {
    if (error != nullptr && !error_) error_ = *error;
    if (--left_ > 0) return;
    error_ ? finished_(core::fail(*error_)) : finished_(std::move(sessions_));
  }

  event::SessionStore& store_;
  core::Scheduler& scheduler_;
  std::vector<RunSession> sessions_;
  std::size_t left_ = 0;  // reads
  std::optional<core::Error> error_;
  Finished finished_;
};

core::Error no_session() { return {Code::not_found, "There is no session of this id.", "session"}; }

// Deletes the events of a session in pieces, so that other sessions commit in between.
class Dropping : public std::enable_shared_from_this<Dropping> {
 public:
  Dropping(event::SessionStore& store, core::Scheduler& scheduler, std::string session,
           LocalRunService::Done<void> done)
      : store_(store),
        scheduler_(scheduler),
        session_(std::move(session)),
        done_(std::move(done)) {}

  void drop_from(const event::SessionRow& row) {
    if (row.first_seq > row.last_seq) return done_({});
    event::Unit unit;
    unit.drop = event::HistoryDrop{
        session_, std::min(row.first_seq + event::kMaxDroppedEvents, row.last_seq + 1)};
    unit.home_epoch = store_.home_epoch(row.owner);
    store_.commit(std::move(unit), scheduler_,
                  [self = shared_from_this()](const Result<event::Revision>& dropped) {
                    if (!dropped) return self->done_(core::fail(dropped.error()));
                    self->next();
                  });
  }

 private:
  // Asks for the first remaining event: numbers may have been skipped.
  void next() {
    store_.session(session_, scheduler_,
                   [self = shared_from_this()](const Result<event::SessionRow>& row) {
                     if (!row) return self->done_(core::fail(row.error()));
                     self->drop_from(*row);
                   });
  }

  event::SessionStore& store_;
  core::Scheduler& scheduler_;
  std::string session_;
  LocalRunService::Done<void> done_;
};

}  // namespace

void Impl::list_sessions(const RunSessionQuery& query, Done<RunSessionPage> done) {
  Result<RunSessionPage> page = index_->sessions(query);
  if (!page) return done(core::fail(std::move(page.error())));
  const auto survey = std::make_shared<Survey>(
      services.store, worker, std::move(page->sessions),
      [more = page->more, done = std::move(done)](Result<std::vector<RunSession>> all) mutable {
        if (!all) return done(core::fail(std::move(all.error())));
        done(RunSessionPage{std::move(*all), more});
      });
  survey->start();
}

void Impl::show_session(const std::string& owner, const std::string& session,
                        Done<RunSession> done) {
  Result<std::optional<RunSession>> found = index_->session(owner, session);
  if (!found) return done(core::fail(std::move(found.error())));
  if (!*found) return done(core::fail(no_session()));
  std::vector<RunSession> one;
  one.push_back(std::move(**found));
  const auto survey = std::make_shared<Survey>(
      services.store, worker, std::move(one),
      [done = std::move(done)](Result<std::vector<RunSession>> all) mutable {
        if (!all) return done(core::fail(std::move(all.error())));
        done(std::move(all->front()));
      });
  survey->start();
}

// --- deleting -------------------------------------------------------------------------------

Result<void> Impl::reserve_session(const std::string& session) {
  const std::scoped_lock lock(mutex_);
  const auto [busy, free] = busy_sessions_.try_emplace(session);
  if (free) return {};
  return core::fail(
      Code::aborted,
      busy->second.empty()
          ? "The session is being deleted."
          : "The run " + busy->second + " of this session goes on. Cancel it, or wait for its end.",
      "session");
}

void Impl::release_session(const std::string& session) {
  const std::scoped_lock lock(mutex_);
  busy_sessions_.erase(session);
}

void Impl::drop_events(const std::string& owner, const std::string& session, Done<void> done) {
  services.store.session(session, worker,
                         [self = shared_from_this(), owner, session,
                          done = std::move(done)](Result<event::SessionRow> row) mutable {
                           // A run that could not begin has a row in the list, but no event.
                           if (!row && row.error().code == Code::not_found) return done({});
                           if (!row) return done(core::fail(std::move(row.error())));
                           if (row->owner != owner) return done(core::fail(no_session()));
                           // A run was refused in this session: its events belong to another
                           // dialect.
                           if (!may_have_runs(row->dialect)) return done({});
                           std::make_shared<Dropping>(self->services.store, self->worker, session,
                                                      std::move(done))
                               ->drop_from(*row);
                         });
}

Result<void> Impl::drop_files(const std::string& owner, const std::string& session) const {
  const std::string todo =
      tool::session_folder(options.data_dir, tool::kTodoFolder, owner, session) + ".json";
  for (const std::string& path :
       {tool::session_folder(options.data_dir, tool::kToolOutputFolder, owner, session), todo}) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) return core::fail(Code::data_loss, path + ": " + error.message());
  }
  return {};
}

// Withdraws the questions that an interrupted run left open for its resume.
Result<void> Impl::withdraw_questions(const std::string& owner, const std::string& session) {
  RunQuery query;
  query.owner = owner;
  query.session = session;
  query.state = RunState::interrupted;
  query.limit = kMaxRunsPage;
  while (true) {
    PARLEY_TRY(const RunPage page, index_->search(query));
    for (const Run& run : page.runs) {
      withdraw_questions_of(run, run.id, "The session was deleted.");
    }
    if (!page.more) return {};
    query.before = page.runs.back().id;
  }
}

// Deletes the events first: a session without events is still in the list, so a failed deletion can
// be retried.
void Impl::remove_session(const std::string& owner, const std::string& session,
                          Done<std::uint64_t> done) {
  const Result<std::optional<RunSession>> found = index_->session(owner, session);
  if (!found) return done(core::fail(found.error()));
  if (!*found) return done(core::fail(no_session()));
  Result<void> reserved = reserve_session(session);
  if (!reserved) return done(core::fail(std::move(reserved.error())));
  if (Result<void> asked = withdraw_questions(owner, session); !asked) {
    release_session(session);
    return done(core::fail(std::move(asked.error())));
  }
  const auto shared_finish = std::make_shared<Done<std::uint64_t>>(
      [self = shared_from_this(), session,
       done = std::move(done)](Result<std::uint64_t> count) mutable {
        self->release_session(session);
        done(std::move(count));
      });
  services.store.count(
      session, std::string(kCheckpointType), worker,
      [self = shared_from_this(), owner, session, shared_finish](Result<std::uint64_t> count) {
        if (!count) return (*shared_finish)(std::move(count));
        const auto forgotten = [self, owner, session, shared_finish,
                                count = *count](Result<void> removed) {
          if (removed) removed = self->drop_files(owner, session);
          if (removed) removed = self->index_->remove_session(owner, session);
          if (!removed) return (*shared_finish)(core::fail(std::move(removed.error())));
          self->watchers.notify_removed(owner, session);
          (*shared_finish)(count);
        };
        self->drop_events(owner, session, [self, owner, session, forgotten](Result<void> removed) {
          if (!removed || !self->services.forget) return forgotten(std::move(removed));
          self->services.forget(owner, session, self->worker, forgotten);
        });
      });
}

}  // namespace parley::run
