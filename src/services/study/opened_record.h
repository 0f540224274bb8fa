// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "services/study/recorder.h"
#include "services/study/study.h"

// The first and the last record of a study.
namespace parley::study {

inline constexpr std::string_view kOpenedType = "study.opened";
inline constexpr std::string_view kClosedType = "study.closed";
inline constexpr std::string_view kInternal = "internal";

// {"relaySession":…,"studyId":…,"participantId":…,"condition":…,"scenario":…,"implicit":…}, without
// empty texts.
std::string opened_payload(const StudyStart& start);
// Reads the form of opened_payload(), also inside an event's payload. Members that are missing, and
// the owner, are left unchanged.
void read_opened(std::string_view json, StudyStart& start);

// {"reason":…,"stateReset":…,"records":N}, with "lost" if records were lost. N includes this
// record.
std::string closed_payload(const StudyEnd& end, std::uint64_t records, std::uint64_t lost);
StudyEnd read_closed(std::string_view json);

}  // namespace parley::study
