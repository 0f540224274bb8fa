// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "typing/helper_keyboard.h"

#include <thread>
#include <utility>

#include "typing/helper_program.h"

namespace parley::typing {

std::string HelperKeyboard::name() const { return helper_ == Helper::wtype ? "wtype" : "ydotool"; }

core::Result<void> HelperKeyboard::run(std::vector<std::string> arguments,
                                       const std::string& input) {
  const std::optional<HelperEnd> end = run_helper(std::move(arguments), input);
  if (!end) return core::fail(core::Code::not_found, name() + " is not installed.");
  if (end->status == 0) return {};
  return core::fail(core::Code::unavailable, name() + " could not type (it ended with " +
                                                 std::to_string(end->status) + ").");
}

// The text goes through stdin: arguments can be seen by everybody on this computer.
core::Result<void> HelperKeyboard::type(const std::vector<Segment>& segments) {
  if (helper_ == Helper::ydotool) {
    std::string all;
    for (const Segment& each : segments) {
      all += each.key == Key::enter ? "\n" : each.key == Key::tab ? "\t" : each.text;
    }
    return run({"ydotool", "type", "--file", "-"}, all);
  }
  for (const Segment& each : segments) {
    core::Result<void> typed = each.key == Key::enter ? run({"wtype", "-k", "Return"}, {})
                               : each.key == Key::tab ? run({"wtype", "-k", "Tab"}, {})
                                                      : run({"wtype", "-"}, each.text);
    if (!typed) return typed;
    std::this_thread::sleep_for(pace_.of_segment);
  }
  return {};
}

core::Result<void> FirstKeyboard::type(const std::vector<Segment>& segments) {
  std::string why;
  for (const std::unique_ptr<Keyboard>& each : keyboards_) {
    used_ = each->name();
    core::Result<void> typed = each->type(segments);
    if (typed || typed.error().code != core::Code::not_found) return typed;
    why += (why.empty() ? "" : " ") + typed.error().message;
  }
  return core::fail(core::Code::unavailable,
                    "On Wayland a program must help to type. " + why + " Install one of them.");
}

}  // namespace parley::typing
