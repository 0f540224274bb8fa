// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.h"

// The limits of the model. Each is documented in docs/limits.md; reaching one is an answered error
// and a counter. Limits that only one folder knows stand in that folder.
namespace parley::core::limits {

// An interaction waits this long when the asker names no time.
inline constexpr Millis kDefaultWait = std::chrono::seconds(600);
// And never longer than this, whatever the asker names.
inline constexpr Millis kMaxWait = std::chrono::hours(24);
// When the last caller of a question is gone it is cancelled after this time, so that a caller
// that comes back at once (a proxy's time-out, a changed network) finds its question open.
inline constexpr Millis kCallerGrace = std::chrono::seconds(2);

inline constexpr std::size_t kMaxPendingPerSession = 1'000;
// The bytes of pending questions; a single question may have more.
inline constexpr std::size_t kMaxPendingBytesPerSession = 64U << 20U;
inline constexpr std::size_t kMaxParticipantsPerSession = 20'000;
inline constexpr std::size_t kMaxWaitersPerInteraction = 64;
inline constexpr std::size_t kMaxKeyBytes = 256;       // an asker's own id of a question
inline constexpr std::size_t kMaxNicknameBytes = 128;  // longer ones are cut between characters
inline constexpr std::size_t kMaxPayloadBytes = 32U << 20U;  // one event's payload
inline constexpr std::size_t kMaxPageEvents = 1'000;         // events in one read

}  // namespace parley::core::limits
