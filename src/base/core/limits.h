// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/core/clock.h"

// The limits of the model; docs/limits.md is made of their comments and of the settings. Reaching a
// limit is an error answer and is counted. A limit that only one folder knows is defined in that
// folder.
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
// Limit (The model): questions of an interaction. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxQuestions = 100;
// Limit (The model): choices of a question. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxChoices = 100;
// Limit (The model): an asker's own id. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxKeyBytes = 256;
// Limit (The model, bytes): command or path of a permission prompt's action. Reached: `parley hook`
// names none; `invalid_argument` from others.
inline constexpr std::size_t kMaxActionSubject = 2'048;
// Limit (The model, bytes): agent and tool of a permission prompt's action, each. Reached: `parley
// hook` names none; `invalid_argument` from others.
inline constexpr std::size_t kMaxActionName = 200;
// Limit (The model): a nickname, and the name of an external agent. Reached: cut between
// characters.
inline constexpr std::size_t kMaxNicknameBytes = 128;
// Limit (The model): payload of one event, and one record of a study with its ids. Reached:
// `resource_exhausted`; a record is kept without its payload, and counted.
inline constexpr std::size_t kMaxPayloadBytes = 32U << 20U;
// Limit (The model): events in one read. Reached: the page ends.
inline constexpr std::size_t kMaxPageEvents = 1'000;

}  // namespace parley::core::limits
