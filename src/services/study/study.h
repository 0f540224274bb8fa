// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"

namespace parley::study {

enum class StudyState : std::uint8_t { open, ended };

// The data with which a study session is opened. Texts are at most kMaxLabelBytes each.
struct StudyStart {
  std::string owner;          // id of the token
  std::string relay_session;  // the relay session of the study: "default"
  std::string study_id;       // as the agent or the host page names it; may be empty
  std::string participant_id;
  std::string condition;  // condition of the kit; empty: none, or as assigned before
  std::string scenario;
  bool implicit = false;  // opened by traffic without a session.start
};

// One study session. Its log and the events of its session contain the same records.
struct Study {
  std::string id;       // "s-20260213-001": numbered per day (UTC), never reused
  std::string session;  // session id: id + "." + placement_key_of(owner, relay_session)
  StudyStart start;
  StudyState state = StudyState::open;
  core::WallTime started_at;
  std::optional<core::WallTime> ended_at;
  std::string end_reason;          // "study-complete", or set by the relay: "replaced", "host-gone"
  std::string log_file;            // "logs/study/s-20260213-001.jsonl", below the data directory
  bool log_enabled = true;         // false: the file is not written (studies.log is not "file")
  std::uint64_t record_count = 0;  // ended studies only; the last eventIndex is record_count - 1
};

// Limit (Studies): a label of a study (study, participant, condition, scenario, relay session).
// Reached: `invalid_argument`; `INVALID_PARAMS`.
inline constexpr std::size_t kMaxLabelBytes = 256;

// The placement key in a study's session id, in lower-case hexadecimal. It places all studies of
// one relay session on the shard of that relay session, Hub::home_of(placement_key_of(...)).
std::string placement_key_of(std::string_view owner, std::string_view relay_session);

// The parts of a study's id: the day (UTC, "20260213") and its number on that day, from 1.
struct StudyNumber {
  std::string day;
  std::uint64_t number = 0;
};
std::string day_of(core::WallTime at);
// "s-20260213-001"; numbers above 999 have more digits.
std::string study_id_of(const StudyNumber& number);
// Parses the form that study_id_of() writes; std::nullopt: another form.
std::optional<StudyNumber> parse_study_id(std::string_view id);
// The id of the study to which a session of the event store belongs; empty: none.
std::string study_of_session(std::string_view session);
// The path of a study's log below the data directory: "logs/study/s-20260213-001.jsonl".
std::string log_name(std::string_view id);

}  // namespace parley::study
