// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "study/analysis.h"
#include "study/kit.h"
#include "study/study_index.h"
#include "study/study_service.h"
#include "study/verify.h"

namespace parley::study {

// A piece of a log: whole lines.
struct LogPart {
  std::string text;
  std::uint64_t next = 0;  // position at which the next piece begins
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

// Queries on studies for researchers. Thread-safe. Each callback runs once, on the caller's
// scheduler. A study of another owner is `not_found`.
class StudyArchive : public StudyService {
 public:
  virtual void search(StudyQuery query, core::Scheduler& scheduler, Done<StudyPage> done) = 0;
  // Like search(), with a summary of each study. Reads the logs of the page's studies that have not
  // ended.
  virtual void summarize(StudyQuery query, core::Scheduler& scheduler, Done<SummaryPage> done) = 0;
  // Reads whole lines of a log, about kLogPartBytes at a time. `from`: 0, or LogPart::next.
  virtual void read_log(std::string owner, std::string id, std::uint64_t from,
                        core::Scheduler& scheduler, Done<LogPart> done) = 0;
  // The tool calls of one study as CSV, with its header.
  virtual void tool_calls(std::string owner, std::string id, core::Scheduler& scheduler,
                          Done<std::string> done) = 0;
  virtual void verify(std::string owner, std::string id, core::Scheduler& scheduler,
                      Done<VerifyReport> done) = 0;
  // Assigns a condition and a scenario to a participant; returns an existing assignment unchanged.
  // Errors: `invalid_argument` (participantId).
  virtual void assign(AssignmentRequest request, core::Scheduler& scheduler,
                      Done<AssignedParticipant> done) = 0;
};

inline constexpr std::size_t kLogPartBytes = 256U << 10U;

}  // namespace parley::study
