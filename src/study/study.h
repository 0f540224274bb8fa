// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"

namespace parley::study {

enum class StudyState : std::uint8_t { open, ended };

// The data with which a study session is opened. Texts are at most kMaxLabelBytes each.
struct StudyStart {
  std::string owner;          // id of the token
  std::string relay_session;  // the relay session that it runs in: "default"
  std::string study_id;       // as the agent or the host page named it; may be empty
  std::string participant_id;
  std::string condition;  // of the study kit; empty: none, or as assigned before
  std::string scenario;
  bool implicit = false;  // opened by traffic without a session.start
};

// One study session. `id` names its log; the events of its session are the same records.
struct Study {
  std::string id;       // "s-20260213-001": counted per day (UTC), unique for ever
  std::string session;  // of the event store: id + "." + placement_key_of(owner, relay_session)
  StudyStart start;
  StudyState state = StudyState::open;
  core::WallTime started_at;
  std::optional<core::WallTime> ended_at;
  std::string end_reason;          // "study-complete", or of the relay: "replaced", "host-gone"
  std::string log_file;            // "logs/study/s-20260213-001.jsonl", below the data directory
  bool log_enabled = true;         // false: the file is not written (studies.log = false)
  std::uint64_t record_count = 0;  // of an ended study; eventIndex runs from 0 to one less
};

inline constexpr std::size_t kMaxLabelBytes = 256;

// The part of a study's session id that places it: all studies of one relay session live on the
// shard of that relay session, which is Hub::home_of(placement_key_of(...)). Lower-case
// hexadecimal.
std::string placement_key_of(std::string_view owner, std::string_view relay_session);

// The parts of a study's id: the day (UTC, "20260213") and its number on that day, from 1.
struct StudyNumber {
  std::string day;
  std::uint64_t number = 0;
};
std::string day_of(core::WallTime at);
// "s-20260213-001"; numbers above 999 have more digits.
std::string study_id_of(const StudyNumber& number);
// std::nullopt: not an id as study_id_of() writes it.
std::optional<StudyNumber> parse_study_id(std::string_view id);
// The study of a session of the event store; empty: the session is not one of a study.
std::string study_of_session(std::string_view session);
// The path of a study's log below the data directory: "logs/study/s-20260213-001.jsonl".
std::string log_name(std::string_view id);

}  // namespace parley::study
