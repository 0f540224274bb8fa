// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "agents/hook/hook_event.h"

namespace parley::hook {

// At most so many notes are kept; the oldest make room.
// Limit (parley hook): notes about sessions. Reached: the oldest goes.
inline constexpr std::size_t kMaxSessionNotes = 256;

// Facts about a session of an agent that one run of the hook leaves to the next: a private file for
// each in the folder of the waits, named by a digest of agent, session, subagent and fact. A fact
// that cannot be written or read is an absent one: the agent then asks by itself.
void keep_note(const std::filesystem::path& folder, const HookEvent& event, std::string_view fact,
               std::string_view text);
// The text; empty: there is none.
std::string note_of(const std::filesystem::path& folder, const HookEvent& event,
                    std::string_view fact);
void drop_note(const std::filesystem::path& folder, const HookEvent& event, std::string_view fact);

}  // namespace parley::hook
