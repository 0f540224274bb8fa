// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/sqlite_study_service.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "services/study/service_state.h"

namespace parley::study {

using core::Code;
using core::Result;

namespace {

Result<void> check(const StudyStart& start) {
  const std::pair<const char*, const std::string*> labels[] = {
      {"studyId", &start.study_id},        {"participantId", &start.participant_id},
      {"condition", &start.condition},     {"scenario", &start.scenario},
      {"sessionId", &start.relay_session},
  };
  for (const auto& [name, text] : labels) {
    if (text->size() > kMaxLabelBytes) {
      return core::fail(Code::invalid_argument,
                        "\"" + std::string(name) + "\" is longer than " +
                            std::to_string(kMaxLabelBytes) + " bytes.",
                        name);
    }
    if (!core::is_utf8(*text)) {
      return core::fail(Code::invalid_argument, "\"" + std::string(name) + "\" is not UTF-8.",
                        name);
    }
  }
  return {};
}

}  // namespace

SqliteStudyService::SqliteStudyService(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

SqliteStudyService::~SqliteStudyService() { stop(); }

void SqliteStudyService::write_out() { impl_->write_out(); }

void SqliteStudyService::stop() { impl_->stop(); }

void SqliteStudyService::take_up(OwnerFilter owners, core::Task done) {
  impl_->when_recovered(
      [impl = impl_, owners = std::move(owners), done = std::move(done)]() mutable {
        impl->examine_open_ones(owners, std::move(done));
      });
}

Result<std::unique_ptr<SqliteStudyService>> SqliteStudyService::open(const StudyOptions& options,
                                                                     session::Hub& hub,
                                                                     event::SessionStore& store,
                                                                     const core::Clock& clock) {
  auto writes = std::make_unique<core::Worker>(clock);
  auto reads = std::make_unique<core::Worker>(clock);
  auto impl = std::make_shared<Impl>(options, hub, store, *writes, *reads);
  impl->own_writes = std::move(writes);
  impl->own_reads = std::move(reads);
  PARLEY_TRY_VOID(impl->start());
  // The constructor is private, so make_unique cannot reach it.
  return std::unique_ptr<SqliteStudyService>(new SqliteStudyService(std::move(impl)));
}

Result<std::unique_ptr<SqliteStudyService>> SqliteStudyService::open(const StudyOptions& options,
                                                                     session::Hub& hub,
                                                                     event::SessionStore& store,
                                                                     core::Scheduler& writes,
                                                                     core::Scheduler& reads) {
  auto impl = std::make_shared<Impl>(options, hub, store, writes, reads);
  PARLEY_TRY_VOID(impl->start());
  return std::unique_ptr<SqliteStudyService>(new SqliteStudyService(std::move(impl)));
}

void SqliteStudyService::open(StudyStart start, core::Scheduler& scheduler,
                              Done<std::unique_ptr<Recorder>> done) {
  if (Result<void> valid = check(start); !valid) {
    return core::reply(scheduler, std::move(done), core::fail(std::move(valid.error())));
  }
  impl_->open(std::move(start), scheduler, std::move(done));
}

void SqliteStudyService::resume(std::string owner, std::string relay_session,
                                core::Scheduler& scheduler, Done<std::unique_ptr<Recorder>> done) {
  impl_->resume(owner, relay_session, scheduler, std::move(done));
}

void SqliteStudyService::close(std::unique_ptr<Recorder> recorder, StudyEnd end, Done<Study> done) {
  impl_->close(std::move(recorder), std::move(end), std::move(done));
}

void SqliteStudyService::find(std::string owner, std::string id, core::Scheduler& scheduler,
                              Done<Study> done) {
  impl_->read<Study>(
      scheduler, std::move(done),
      [owner = std::move(owner), id = std::move(id)](StudyIndex& index) -> Result<Study> {
        return find_owned(index, owner, id);
      });
}

const LogCounters& SqliteStudyService::counters() const { return impl_->counters; }

}  // namespace parley::study
