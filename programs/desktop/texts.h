// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "programs/desktop/desktop_settings.h"

namespace parley::desktop {

enum class Language : std::uint8_t { english, chinese };

// The sentences of the program. "{}" stands for a part that say() fills in.
enum class Text : std::uint8_t {
  show,
  pause,
  settings,
  quit,
  reload,
  cancel,
  save,
  add,
  remove,
  allow,
  deny,
  try_now,
  state_online,
  state_connecting,
  state_offline,
  state_denied,
  state_off,
  waiting,
  nothing_waits,
  nothing_waits_hint,
  more_wait,
  question,
  report,
  asks,
  reports,
  some_agent,
  connect_title,
  connect_hint,
  connect,
  alias,
  address,
  token,
  bad_address,
  bad_token,
  too_many_servers,
  servers,
  enabled,
  no_servers,
  on_question,
  on_report,
  attention_none,
  attention_tray,
  attention_popup,
  attention_top,
  close_to_tray,
  autostart,
  language,
  automatic,
  typing,
  typing_hint,
  typing_into,
  focused_window,
  computer_name,
  long_text,
  long_text_hint,
  type_it,
  not_typed,
  no_typing_program,
  too_long,
  too_many_messages,
  nobody_agreed,
  window_gone,
  microphone_title,
  microphone,
  saved,
  not_saved,
  unreachable,
  bad_certificate,
  no_console,
  page_ended,
  in_the_tray,
  in_the_tray_hint,
  settings_fault,
  settings_unsaved,
};

// The choice `automatic` follows `locale`, the value of LC_ALL, LC_MESSAGES or LANG.
Language language_of(LanguageChoice choice, std::string_view locale);

// The sentence with `part` in place of "{}".
std::string say(Language language, Text text, std::string_view part = {});

}  // namespace parley::desktop
