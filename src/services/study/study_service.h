// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "services/study/analysis.h"
#include "services/study/kit.h"
#include "services/study/recorder.h"
#include "services/study/study.h"
#include "services/study/study_index.h"
#include "services/study/verify.h"

namespace parley::study {

// A place between two lines of a log.
struct LogPosition {
  std::uint64_t at = 0;   // bytes of the file, or records of the event store, before it
  bool in_store = false;  // once `at` is over 0
};

// A piece of a log: whole lines.
struct LogPart {
  std::string text;
  LogPosition next;  // at which the next piece begins
  bool more = false;
};

struct SummarizedStudy {
  Study study;
  Summary summary;
};

struct SummaryPage {
  std::vector<SummarizedStudy> studies;
  std::uint64_t next = 0;  // as StudyPage::next
};

struct AssignmentRequest {
  std::string owner;
  const KitStudy* study = nullptr;  // must outlive the call of `done`
  std::string participant_id;       // empty: make_id() makes one
  // Generates an id. Called on a thread of the service, again if the id is taken.
  std::function<std::string()> make_id;
};

struct AssignedParticipant {
  std::string participant_id;
  Assignment assignment;
};

// The studies of a data directory: their list, their logs. Thread-safe. Each callback runs once, on
// the caller's scheduler.
class StudyService {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  StudyService() = default;
  StudyService(const StudyService&) = delete;
  StudyService& operator=(const StudyService&) = delete;
  virtual ~StudyService() = default;

  // Makes a study and its recorder. Call on the shard of Hub::home_of(placement_key_of(owner,
  // relay_session)); `done` runs there. The first record (internal, "study.opened", with every
  // field of StudyStart that is known) is durable before `done` is called. An empty condition or
  // scenario is replaced by the one assigned before to (study_id, participant_id). Errors:
  // `invalid_argument`, `resource_exhausted`, `data_loss`, `unavailable`.
  virtual void open(StudyStart start, core::Scheduler& scheduler,
                    Done<std::unique_ptr<Recorder>> done) = 0;
  // Resumes the open study of a relay session, after a restart or when the relay session is created
  // again. Completes the study's file from the store first. A null recorder: no study is open.
  virtual void resume(std::string owner, std::string relay_session, core::Scheduler& scheduler,
                      Done<std::unique_ptr<Recorder>> done) = 0;
  // Writes the last record (internal, "study.closed"), flushes, and marks the study as ended.
  // `done` gets the ended study when all of it is durable.
  virtual void close(std::unique_ptr<Recorder> recorder, StudyEnd end, Done<Study> done) = 0;

  // --- queries, for researchers; a study of another owner is `not_found` ---

  virtual void search(StudyQuery query, core::Scheduler& scheduler, Done<StudyPage> done) = 0;
  // Like search(), with a summary of each study. Reads the logs of the page's studies that have not
  // ended.
  virtual void summarize(StudyQuery query, core::Scheduler& scheduler, Done<SummaryPage> done) = 0;
  // Reads whole lines of a log, about kLogPartBytes at a time. `from`: the beginning,
  // or LogPart::next.
  virtual void read_log(std::string owner, std::string id, LogPosition from,
                        core::Scheduler& scheduler, Done<LogPart> done) = 0;
  // The tool calls of one study as CSV, with its header.
  virtual void tool_calls(std::string owner, std::string id, core::Scheduler& scheduler,
                          Done<std::string> done) = 0;
  virtual void verify(std::string owner, std::string id, core::Scheduler& scheduler,
                      Done<VerifyReport> done) = 0;
  virtual void find(std::string owner, std::string id, core::Scheduler& scheduler,
                    Done<Study> done) = 0;
  // Assigns a condition and a scenario to a participant; returns an existing assignment unchanged.
  // Errors: `invalid_argument` (participantId).
  virtual void assign(AssignmentRequest request, core::Scheduler& scheduler,
                      Done<AssignedParticipant> done) = 0;
};

inline constexpr std::size_t kLogPartBytes = 256U << 10U;

}  // namespace parley::study
