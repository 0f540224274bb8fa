// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/core/clock.h"

// The limits of the model, each documented in docs/limits.md. Reaching a limit is an error answer
// and is counted. A limit that only one folder knows is defined in that folder.
namespace parley::core::limits {

// Deadline of an interaction whose asker names none.
inline constexpr Millis kDefaultWait = std::chrono::seconds(600);
// Longest deadline of an interaction, whatever the asker names.
inline constexpr Millis kMaxWait = std::chrono::hours(24);
// Time between the loss of a question's last caller and its cancellation, so that a caller that
// returns at once (a proxy's time-out, a changed network) finds its question open.
inline constexpr Millis kCallerGrace = std::chrono::seconds(2);

inline constexpr std::size_t kMaxPendingPerSession = 1'000;
// Bytes of the pending questions of a session; a single question may exceed it.
inline constexpr std::size_t kMaxPendingBytesPerSession = 64U << 20U;
inline constexpr std::size_t kMaxParticipantsPerSession = 20'000;
inline constexpr std::size_t kMaxWaitersPerInteraction = 64;
inline constexpr std::size_t kMaxQuestions = 100;        // of one interaction
inline constexpr std::size_t kMaxChoices = 100;          // of one of its questions
inline constexpr std::size_t kMaxKeyBytes = 256;         // bytes of an asker's own id of a question
inline constexpr std::size_t kMaxActionSubject = 2'048;  // bytes of a command or path of an action
inline constexpr std::size_t kMaxActionName = 200;       // bytes of its agent and tool, each
inline constexpr std::size_t kMaxNicknameBytes = 128;    // longer ones are cut between characters
inline constexpr std::size_t kMaxPayloadBytes = 32U << 20U;  // bytes of one event's payload
inline constexpr std::size_t kMaxPageEvents = 1'000;         // events in one read

}  // namespace parley::core::limits
