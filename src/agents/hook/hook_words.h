// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/shell/explanation_text.h"

// The sentences of `parley hook` for a person, in English and Chinese. The agent is answered in
// English.
namespace parley::hook {

using shell::Language;

enum class Phrase : std::uint8_t {
  // Labels of choices; model/session/choice_role.cpp and web/src/inbox/choice_role.ts know them.
  allow_once,
  always,  // with a number behind it if there are several
  edit_command,
  deny,
  deny_and_stop,
  in_terminal,
  approve,
  approve_edits,
  keep_planning,
  done,
  // Descriptions of choices.
  edits_without_asking,
  until_opencode_ends,
  other_command,
  denies_others,
  ends_turn,
  // Headers.
  plan,
  may_it_ask,
  command,
  finished,
  // Questions.
  runs_command,
  changes_file,
  writes_file,
  uses_tool,  // with the tool behind it
  approve_plan,
  dialog,
  ask_next,
  wait_next,
  report_next,
  write_command,
  turn_ended,
  agent_waits,
  agent_gone,
  // Parts of the text.
  directory,
  mode,
  agent_says,
  the_plan,
  plan_as_written,
  plan_unknown,
  bytes_left_out,
  powershell,
  // Places of rules.
  this_session,
  this_project,
  all_projects,
  every_use,
  files_in,
  accept_edits,
};

std::string_view words(Phrase phrase, Language language);

// The language of the environment: LC_ALL, LC_MESSAGES, LANG, whichever is set first.
Language language_of_environment();

}  // namespace parley::hook
