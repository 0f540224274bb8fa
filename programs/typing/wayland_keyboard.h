// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "programs/typing/keyboard.h"

namespace parley::typing {

// Programs that type on Wayland, where an ordinary program cannot type into others:
//   wtype    through the compositor's virtual keyboard, if it offers one to programs
//   ydotool  through /dev/uinput, on any compositor; needs its daemon, and a permitted user
enum class WaylandTool : std::uint8_t { wtype, ydotool };

class WaylandKeyboard final : public Keyboard {
 public:
  WaylandKeyboard(WaylandTool tool, TypingPace pace) : tool_(tool), pace_(pace) {}
  std::string name() const override;
  // Further errors: `not_found` (the program is not installed or not permitted; nothing was
  // typed).
  core::Result<void> type(const std::vector<Segment>& segments) override;

 private:
  core::Result<void> run(std::vector<std::string> arguments, const std::string& input);

  WaylandTool tool_;
  TypingPace pace_;
};

// Uses the first of several keyboards that can type. Tries the next one only if nothing was typed.
class FirstKeyboard final : public Keyboard {
 public:
  explicit FirstKeyboard(std::vector<std::unique_ptr<Keyboard>> keyboards)
      : keyboards_(std::move(keyboards)) {}
  std::string name() const override { return used_; }
  core::Result<void> type(const std::vector<Segment>& segments) override;

 private:
  std::vector<std::unique_ptr<Keyboard>> keyboards_;
  std::string used_;
};

}  // namespace parley::typing
