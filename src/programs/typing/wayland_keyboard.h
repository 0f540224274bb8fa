// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "programs/typing/keyboard.h"

namespace parley::typing {

// Wayland lets no program type into others by itself. These types do, by what the compositor or
// the kernel gives them:
//   wtype    the compositor's virtual keyboard, where it has one for programs
//   ydotool  /dev/uinput, whatever the compositor; its daemon must run, and this user may use it
enum class WaylandTool : std::uint8_t { wtype, ydotool };

class WaylandKeyboard final : public Keyboard {
 public:
  WaylandKeyboard(WaylandTool tool, TypingPace pace) : tool_(tool), pace_(pace) {}
  std::string name() const override;
  // Errors: also `not_found`: the program is not installed or not let; nothing was typed.
  core::Result<void> type(const std::vector<Segment>& segments) override;

 private:
  core::Result<void> run(std::vector<std::string> arguments, const std::string& input);

  WaylandTool tool_;
  TypingPace pace_;
};

// The first of several that can type. Goes on with the next one only where nothing was typed.
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
