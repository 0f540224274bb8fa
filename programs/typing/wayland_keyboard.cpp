// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/wayland_keyboard.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "programs/typing/outside_program.h"

namespace parley::typing {
namespace {

// wtype numbers the characters of its text as keys, from 1. Programs that look at key numbers,
// such as browsers, take the 14th for Backspace, and later ones for Tab and Return.
constexpr std::size_t kWtypeKeys = 13;
// Delay before the first key, in milliseconds, so that programs know the keys of this text.
constexpr const char* kWtypeSettles = "50";

// Splits a text into parts with at most kWtypeKeys different characters.
std::vector<std::string> wtype_parts(std::string_view text) {
  std::vector<std::string> parts;
  std::set<std::string_view> seen;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    const std::string_view character = text.substr(at, end - at);
    if (parts.empty() || (seen.size() == kWtypeKeys && !seen.contains(character))) {
      parts.emplace_back();
      seen.clear();
    }
    seen.insert(character);
    parts.back() += character;
    at = end;
  }
  return parts;
}

}  // namespace

std::string WaylandKeyboard::name() const {
  return tool_ == WaylandTool::wtype ? "wtype" : "ydotool";
}

core::Result<void> WaylandKeyboard::run(std::vector<std::string> arguments,
                                        const std::string& input) {
  const std::optional<ProgramEnd> end = run_program(std::move(arguments), input);
  if (!end) return core::fail(core::Code::not_found, name() + " is not installed.");
  if (end->status == 0) return {};
  return core::fail(core::Code::unavailable, name() + " could not type (it ended with " +
                                                 std::to_string(end->status) + ").");
}

// The text goes through stdin: arguments are visible to every user of this computer.
core::Result<void> WaylandKeyboard::type(const std::vector<Segment>& segments) {
  if (tool_ == WaylandTool::ydotool) {
    std::string all;
    for (const Segment& each : segments) {
      all += each.key == Key::enter ? "\n" : each.key == Key::tab ? "\t" : each.text;
    }
    if (std::any_of(all.begin(), all.end(), [](char each) { return (each & '\x80') != 0; })) {
      return core::fail(core::Code::unavailable,
                        "ydotool types ASCII only, and this text has other characters. wtype can "
                        "type them, if the compositor allows it.");
    }
    return run({"ydotool", "type", "--file", "-"}, all);
  }
  // A run that types nothing: it succeeds if the compositor permits wtype.
  if (core::Result<void> ready = run({"wtype", "-s", "1"}, {}); !ready) {
    ready.error().code = core::Code::not_found;
    return ready;
  }
  const std::string delay = std::to_string(pace_.of_key.count());
  for (const Segment& each : segments) {
    if (pace_.is_stopped()) return core::fail(core::Code::cancelled, "It was stopped.");
    core::Result<void> typed;
    if (each.key == Key::enter) typed = run({"wtype", "-s", kWtypeSettles, "-k", "Return"}, {});
    if (each.key == Key::tab) typed = run({"wtype", "-s", kWtypeSettles, "-k", "Tab"}, {});
    for (const std::string& part : wtype_parts(each.text)) {
      if (typed) typed = run({"wtype", "-s", kWtypeSettles, "-d", delay, "-"}, part);
    }
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
                    "Typing on Wayland needs the program wtype or ydotool. " + why +
                        " Install one that the compositor permits.");
}

}  // namespace parley::typing
