// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/input_method.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "base/core/ascii.h"
#include "programs/typing/outside_program.h"

namespace parley::typing {
namespace {

constexpr std::chrono::milliseconds kSwitched{50};
constexpr const char* kFcitxActive = "2";
constexpr const char* kPlainEngine = "xkb:us::eng";

std::optional<std::string> ask(std::vector<std::string> command) {
  const std::optional<ProgramEnd> end = run_program(std::move(command), {});
  if (!end || end->status != 0) return std::nullopt;
  return std::string(core::trimmed(end->output, " \n"));
}

}  // namespace

PlainInput::PlainInput() {
  for (const char* const remote : {"fcitx5-remote", "fcitx-remote"}) {
    if (ask({remote}) != kFcitxActive) continue;
    if (ask({remote, "-c"})) back_ = {remote, "-o"};
    break;
  }
  if (back_.empty()) {
    const std::optional<std::string> engine = ask({"ibus", "engine"});
    const bool composes = engine && !engine->empty() && !engine->starts_with("xkb:");
    if (composes && ask({"ibus", "engine", kPlainEngine})) back_ = {"ibus", "engine", *engine};
  }
  if (!back_.empty()) std::this_thread::sleep_for(kSwitched);
}

PlainInput::~PlainInput() {
  if (back_.empty()) return;
  std::this_thread::sleep_for(kSwitched);
  run_program(std::move(back_), {});
}

}  // namespace parley::typing
