// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a command: it is read to its end or to a problem, and its notes stay within their
// limits. A command in front of it that has a danger keeps it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/shell/explanation.h"
#include "base/shell/explanation_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using parley::shell::Language;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const parley::shell::Place place{"/project", "/home"};
  const auto created = parley::shell::explain(text, place);
  if (created.notes.size() > parley::shell::kMaxNotes) std::abort();
  (void)danger_text(created, Language::chinese);
  (void)touch_text(created, Language::english);
  if (text.size() > 100'000) return 0;
  const auto after = parley::shell::explain("sudo ls\n" + text, place);
  if (danger_text(after, Language::english).empty()) std::abort();
  return 0;
}
