// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/recovery.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <map>
#include <utility>

#include "base/core/assert.h"
#include "base/core/result.h"
#include "services/study/opened_record.h"

namespace parley::study {

using core::Result;

namespace {

constexpr std::size_t kSessionsPerPage = 1'000;

// The highest number of each day, so that the list is written once per day instead of once per
// study.
class TakenNumbers {
 public:
  void see(const StudyNumber& number) {
    std::uint64_t& last = last_[number.day];
    last = std::max(last, number.number);
  }
  Result<void> write(StudyIndex& index) const {
    for (const auto& [day, last] : last_) {
      Result<void> taken = index.take_number({day, last});
      if (!taken) return taken;
    }
    return {};
  }

 private:
  std::map<std::string, std::uint64_t> last_;
};

void see_files(const std::string& data_dir, TakenNumbers& taken) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(data_dir + "/logs/study", error)) {
    const std::string name = entry.path().filename().string();
    const auto number = parse_study_id(name.substr(0, name.find('.')));
    if (number) taken.see(*number);
  }
}

Result<std::optional<event::Event>> edge_event(event::SessionReader& reader,
                                               const std::string& session, bool last) {
  event::ReadQuery query;
  query.session = session;
  query.limit = 1;
  if (last) query.before = INT64_MAX;
  PARLEY_TRY(event::EventPage page, reader.read(query));
  if (page.events.empty()) return std::nullopt;
  return std::move(page.events.front());
}

// Rebuilds a study from its events.
Result<Study> study_from_events(event::SessionReader& reader, const std::string& session,
                                bool write_logs) {
  PARLEY_TRY(const event::SessionRow row, reader.session(session));
  Study study;
  study.id = study_of_session(session);
  study.session = session;
  study.started_at = row.created_at;
  study.log_enabled = write_logs;
  if (write_logs) study.log_file = log_name(study.id);
  PARLEY_TRY(const auto first, edge_event(reader, session, false));
  if (first && first->type == kOpenedType) read_opened(first->payload, study.start);
  study.start.owner = row.owner;
  PARLEY_TRY(const auto last, edge_event(reader, session, true));
  if (last && last->type == kClosedType) {
    study.state = StudyState::ended;
    study.ended_at = last->at;
    study.end_reason = read_closed(last->payload).reason;
    study.record_count = last->seq;
  }
  return study;
}

// Restores the assignment of a participant whose row in the list is lost.
Result<void> remember_assignment(StudyIndex& index, const StudyStart& start) {
  if (start.condition.empty() || start.participant_id.empty()) return {};
  PARLEY_TRY(const auto known, index.assignment(start.owner, start.study_id, start.participant_id));
  if (known) return {};
  PARLEY_TRY(const auto position, index.count_assigned(start.owner, start.study_id));
  return index.assign(start.owner, start.study_id, start.participant_id,
                      {start.condition, start.scenario, position});
}

Result<bool> take_in(StudyIndex& index, event::SessionReader& reader, const std::string& session,
                     bool write_logs) {
  PARLEY_TRY(const auto known, index.find(study_of_session(session)));
  if (known) return false;
  PARLEY_TRY(const Study study, study_from_events(reader, session, write_logs));
  Result<void> done = index.insert(study);
  if (done) done = remember_assignment(index, study.start);
  if (!done) return core::fail(std::move(done.error()));
  return true;
}

}  // namespace

Result<RecoveredList> recover_list(StudyIndex& index, event::SessionReader& reader,
                                   const std::string& data_dir, bool write_logs) {
  RecoveredList out;
  TakenNumbers taken;
  see_files(data_dir, taken);
  std::int64_t after = 0;
  while (true) {
    PARLEY_TRY(const auto page, reader.all_sessions(after, kSessionsPerPage));
    if (page.empty()) break;
    for (const event::ListedSession& session : page) {
      PARLEY_ASSERT(session.place > after, "studies: session " + session.id + " is number " +
                                               std::to_string(session.place) +
                                               " and comes after number " + std::to_string(after));
      after = session.place;
      const std::string id = study_of_session(session.id);
      if (id.empty()) continue;
      taken.see(*parse_study_id(id));
      PARLEY_TRY(const bool added, take_in(index, reader, session.id, write_logs));
      out.found += added ? 1 : 0;
    }
  }
  PARLEY_TRY_VOID(taken.write(index));
  return out;
}

}  // namespace parley::study
