// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The part of the service that reads logs, on the reading thread.
#include <cstdio>
#include <memory>

#include "base/core/ask.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "services/study/log_line.h"
#include "services/study/service_state.h"

namespace parley::study {

using core::Code;
using core::Result;
using Impl = SqliteStudyService::Impl;

namespace {

constexpr std::size_t kMaxSummaries = 10'000;
constexpr std::size_t kEventsPerPart = 100;
constexpr std::size_t kMaxMadeUpIds = 1'000;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Reads whole lines from the offset `from` on, at least one if the file has one.
Result<LogPart> read_file_part(std::FILE* file, std::uint64_t from) {
  LogPart part;
  part.next.at = from;
  if (::fseeko(file, static_cast<off_t>(from), SEEK_SET) != 0) return part;
  while (true) {
    const std::size_t before = part.text.size();
    part.text.resize(before + kLogPartBytes);
    const std::size_t got = std::fread(part.text.data() + before, 1, kLogPartBytes, file);
    part.text.resize(before + got);
    if (std::ferror(file) != 0) return core::fail(Code::data_loss, "The log cannot be read.");
    const std::size_t end = part.text.rfind('\n');
    // Omits a line that is still being written.
    if (end == std::string::npos && got == kLogPartBytes) continue;
    part.text.resize(end == std::string::npos ? 0 : end + 1);
    part.next.at = from + part.text.size();
    part.more = got == kLogPartBytes;
    return part;
  }
}

}  // namespace

Result<event::SessionReader*> Impl::session_reader() {
  if (!session_reader_) {
    PARLEY_TRY(auto reader, store.make_reader());
    session_reader_ = std::move(reader);
  }
  return session_reader_.get();
}

Result<std::unique_ptr<LogSource>> Impl::open_log(const Study& study) {
  PARLEY_TRY(event::SessionReader* const reader, session_reader());
  return open_study_log(options.data_dir, options.log_files, study, reader);
}

Result<Summary> Impl::summary_of(const Study& study) {
  const auto known = summaries_.find(study.id);
  if (known != summaries_.end()) return known->second;
  LogAnalysis analysis(false);
  const auto log = open_log(study);
  // A study without any stored records has an empty summary.
  if (!log && log.error().code == Code::not_found) return Summary();
  if (!log) return core::fail(log.error());
  PARLEY_TRY_VOID(analysis.read(**log));
  if (study.state == StudyState::ended) {
    if (summaries_.size() >= kMaxSummaries) summaries_.clear();
    summaries_.insert_or_assign(study.id, analysis.summary());
  }
  return analysis.summary();
}

Result<LogPart> Impl::read_part(const Study& study, LogPosition from) {
  PARLEY_TRY(event::SessionReader* const reader, session_reader());
  bool in_file = !from.in_store;
  if (from.at == 0) {
    PARLEY_TRY(in_file, prefers_file(options.log_files, study, reader));
  }
  if (!in_file) return read_stored_part(study, from.at);
  const std::string path = options.data_dir + "/" + log_name(study.id);
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (file) return read_file_part(file.get(), from.at);
  if (from.at == 0) return read_stored_part(study, 0);
  return core::fail(Code::data_loss, "The log was moved away while it was read.");
}

Result<LogPart> Impl::read_stored_part(const Study& study, std::uint64_t after) {
  PARLEY_TRY(event::SessionReader* const reader, session_reader());
  event::ReadQuery query;
  query.session = study.session;
  query.after = after;
  query.limit = kEventsPerPart;
  PARLEY_TRY(const event::EventPage page, reader->read(query));
  LogPart part;
  part.next = {after, true};
  part.more = page.more;
  LineWriter lines(study.id);
  for (const event::Event& event : page.events) {
    lines.append(part.text, event);
    part.next.at = event.seq;
  }
  return part;
}

Result<VerifyReport> Impl::verify_log(const Study& study) {
  PARLEY_TRY(const auto log, open_log(study));
  PARLEY_TRY(event::SessionReader* const reader, session_reader());
  std::unique_ptr<LogSource> stored;
  auto opened = open_stored_log(*reader, study.session);
  if (!opened && opened.error().code != Code::not_found) return core::fail(opened.error());
  if (opened) stored = std::move(*opened);
  return study::verify({*log, stored.get(), &study});
}

Result<AssignedParticipant> Impl::assign(StudyIndex& list, const AssignmentRequest& request) const {
  PARLEY_TRY_VOID(core::admit_work(options.gate));
  const std::string& study = request.study->id;
  AssignedParticipant out;
  out.participant_id = request.participant_id;
  for (std::size_t i = 0; i < kMaxMadeUpIds; ++i) {
    if (request.participant_id.empty()) out.participant_id = request.make_id();
    PARLEY_TRY(const auto known, list.assignment(request.owner, study, out.participant_id));
    if (known && request.participant_id.empty()) continue;
    const bool still_there = known && request.study->condition(known->condition) != nullptr &&
                             request.study->scenario(known->scenario) != nullptr;
    if (still_there) {
      out.assignment = *known;
      return out;
    }
    PARLEY_TRY(const auto before, list.count_assigned(request.owner, study));
    if (!known && before >= options.max_participants) {
      return core::fail(
          Code::resource_exhausted,
          "The study has " + std::to_string(before) + " participants, which is the limit.",
          "participantId");
    }
    out.assignment = choose(*request.study, out.participant_id, before);
    PARLEY_TRY_VOID(list.assign(request.owner, study, out.participant_id, out.assignment));
    return out;
  }
  return core::fail(Code::resource_exhausted,
                    "No free participant id was found. Send a \"participantId\".", "participantId");
}

// --- the service's calls --------------------------------------------------------------------

void SqliteStudyService::search(StudyQuery query, core::Scheduler& scheduler,
                                Done<StudyPage> done) {
  impl_->read<StudyPage>(scheduler, std::move(done), [query = std::move(query)](StudyIndex& list) {
    return list.search(query);
  });
}

void SqliteStudyService::summarize(StudyQuery query, core::Scheduler& scheduler,
                                   Done<SummaryPage> done) {
  impl_->read<SummaryPage>(
      scheduler, std::move(done),
      [impl = impl_.get(), query = std::move(query)](StudyIndex& list) -> Result<SummaryPage> {
        PARLEY_TRY(StudyPage page, list.search(query));
        SummaryPage out;
        out.next = page.next;
        for (Study& study : page.studies) {
          PARLEY_TRY(const Summary summary, impl->summary_of(study));
          out.studies.push_back({std::move(study), summary});
        }
        return out;
      });
}

void SqliteStudyService::read_log(std::string owner, std::string id, LogPosition from,
                                  core::Scheduler& scheduler, Done<LogPart> done) {
  impl_->read<LogPart>(scheduler, std::move(done),
                       [impl = impl_.get(), owner = std::move(owner), id = std::move(id),
                        from](StudyIndex& list) -> Result<LogPart> {
                         PARLEY_TRY(const Study study, find_owned(list, owner, id));
                         return impl->read_part(study, from);
                       });
}

void SqliteStudyService::tool_calls(std::string owner, std::string id, core::Scheduler& scheduler,
                                    Done<std::string> done) {
  impl_->read<std::string>(scheduler, std::move(done),
                           [impl = impl_.get(), owner = std::move(owner),
                            id = std::move(id)](StudyIndex& list) -> Result<std::string> {
                             PARLEY_TRY(const Study study, find_owned(list, owner, id));
                             PARLEY_TRY(const auto log, impl->open_log(study));
                             LogAnalysis analysis(true);
                             PARLEY_TRY_VOID(analysis.read(*log));
                             std::string csv;
                             append_calls_header(csv);
                             append_calls(csv, study, analysis.calls());
                             return csv;
                           });
}

void SqliteStudyService::verify(std::string owner, std::string id, core::Scheduler& scheduler,
                                Done<VerifyReport> done) {
  impl_->read<VerifyReport>(scheduler, std::move(done),
                            [impl = impl_.get(), owner = std::move(owner),
                             id = std::move(id)](StudyIndex& list) -> Result<VerifyReport> {
                              PARLEY_TRY(const Study study, find_owned(list, owner, id));
                              return impl->verify_log(study);
                            });
}

void SqliteStudyService::assign(AssignmentRequest request, core::Scheduler& scheduler,
                                Done<AssignedParticipant> done) {
  if (request.participant_id.size() > kMaxLabelBytes || !core::is_utf8(request.participant_id)) {
    return core::reply(scheduler, std::move(done),
                       core::fail(Code::invalid_argument,
                                  "\"participantId\" must be UTF-8 of at most " +
                                      std::to_string(kMaxLabelBytes) + " bytes.",
                                  "participantId"));
  }
  impl_->write<AssignedParticipant>(scheduler, std::move(done),
                                    [impl = impl_.get(), request = std::move(request)](
                                        StudyIndex& list) { return impl->assign(list, request); });
}

}  // namespace parley::study
