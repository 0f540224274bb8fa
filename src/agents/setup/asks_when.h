// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agents/setup/agent_table.h"
#include "agents/setup/setup_options.h"
#include "base/core/json_writer.h"

namespace parley::setup {

// The conditions on which the hooks of an agent bring its permission prompts to the person.
enum class AsksWhen : std::uint8_t {
  never,  // it has no such hooks
  always,
  somebody,  // a page is connected, or a notifier or a device with push would tell
  page,      // a page is connected
};

// The moments that the flags of a setup with hooks choose.
AsksWhen asks_when(const AgentFacts& agent, const SetupOptions& options);
// The moments that a file names which has the hooks of setup, in whichever form.
AsksWhen asks_when(const AgentFacts& agent, std::string_view hooks);

// `options` with the choices that the hooks in the text of a file have: when_nobody, somebody, stop
// and questions.
SetupOptions as_written(SetupOptions options, const AgentFacts& agent, std::string_view hooks);

// "always", "somebody", "page"; empty: never.
std::string_view word_of(AsksWhen when);
// The member `asks` of an object: that word, or null.
void write_asks(core::JsonWriter& json, AsksWhen when);
// A sentence for a person, with the flags that choose otherwise; empty: never.
std::string sentence_of(const AgentFacts& agent, AsksWhen when);

}  // namespace parley::setup
