// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "programs/typing/key_map.h"
#include "programs/typing/keyboard.h"
#include "programs/typing/x_display.h"

namespace parley::typing {

// Types through the XTEST extension. A character without a key in the layout is mapped to a free
// key for the time of typing. Held modifiers are released first, and Caps Lock is off meanwhile.
class XKeyboard final : public Keyboard {
 public:
  // Errors: `unavailable` (the server has no XTEST).
  static core::Result<std::unique_ptr<Keyboard>> open(std::shared_ptr<XDisplay> display,
                                                      TypingPace pace);
  XKeyboard(std::shared_ptr<XDisplay> display, TypingPace pace)
      : display_(std::move(display)), pace_(pace) {}

  std::string name() const override { return "XTest"; }
  core::Result<void> type(const std::vector<Segment>& segments) override;

 private:
  // Keysyms of one segment, in order.
  static std::vector<std::uint32_t> keysyms_of(const Segment& segment);
  core::Result<void> load();
  core::Result<void> type_keysyms(const std::vector<std::uint32_t>& keysyms);
  // Types keysyms from `from` on, as many as the free keys allow. Returns the number typed.
  core::Result<std::size_t> type_some(const std::vector<std::uint32_t>& keysyms, std::size_t from);
  void give_meaning(std::uint8_t code, std::uint32_t keysym);
  void take_meanings_back();
  void release_modifiers();
  void toggle_caps_lock();
  void stroke(KeyStroke key);
  void send(std::uint8_t event, std::uint8_t code);

  std::shared_ptr<XDisplay> display_;
  TypingPace pace_;
  KeyMap map_{0, 0, {}};
  std::vector<std::uint8_t> free_;
  std::vector<std::uint8_t> lent_;  // free keys that have a keysym now
  std::vector<std::uint8_t> modifiers_;
  std::uint8_t shift_ = 0;
  std::uint8_t caps_ = 0;  // 0: none
  unsigned group_ = 0;
};

}  // namespace parley::typing
