// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/x_keyboard.h"

#include <xcb/xtest.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace parley::typing {
namespace {

// Time for the focused program to read a key's new keysym before the key is used, and to read the
// key before the keysym is removed; X reports neither. With 20 ms a browser on a busy machine typed
// the character that the key had before.
constexpr std::chrono::milliseconds kMeaningKnown{200};
constexpr std::chrono::milliseconds kMeaningUsed{250};
constexpr unsigned kGroupShift = 13;  // in the state of the keyboard (XKB, section 6)
constexpr unsigned kGroupMask = 3;
constexpr std::size_t kModifiers = 8;
constexpr std::size_t kShiftModifier = 0;
constexpr std::size_t kLockModifier = 1;

core::Result<void> window_closed() {
  return core::fail(core::Code::unavailable, "The X server has closed the connection.");
}

}  // namespace

core::Result<std::unique_ptr<Keyboard>> XKeyboard::open(std::shared_ptr<XDisplay> display,
                                                        TypingPace pace) {
  xcb_connection_t* const connection = display->connection();
  const auto cookie = xcb_test_get_version(connection, 2, 2);
  const XReply<xcb_test_get_version_reply_t> version(
      xcb_test_get_version_reply(connection, cookie, nullptr));
  if (!version) {
    return core::fail(core::Code::unavailable,
                      "The X server has no XTEST extension, which typing needs.");
  }
  return std::make_unique<XKeyboard>(std::move(display), pace);
}

core::Result<void> XKeyboard::type(const std::vector<Segment>& segments) {
  if (auto loaded = load(); !loaded) return loaded;
  release_modifiers();
  const XReply<xcb_query_pointer_reply_t> state(xcb_query_pointer_reply(
      display_->connection(), xcb_query_pointer(display_->connection(), display_->root()),
      nullptr));
  const bool capitals = state && (state->mask & XCB_MOD_MASK_LOCK) != 0;
  if (state) group_ = (static_cast<unsigned>(state->mask) >> kGroupShift) & kGroupMask;
  if (capitals) toggle_caps_lock();
  core::Result<void> typed;
  for (const Segment& segment : segments) {
    typed = type_keysyms(keysyms_of(segment));
    if (!typed) break;
    std::this_thread::sleep_for(pace_.of_segment);
  }
  if (capitals) toggle_caps_lock();
  take_meanings_back();
  core::Result<void> settled = display_->settle();
  return typed ? settled : typed;
}

std::vector<std::uint32_t> XKeyboard::keysyms_of(const Segment& segment) {
  if (segment.key == Key::enter) return {kReturnKeysym};
  if (segment.key == Key::tab) return {kTabKeysym};
  std::vector<std::uint32_t> out;
  for (const char32_t character : characters_of(segment.text)) out.push_back(keysym_of(character));
  return out;
}

core::Result<void> XKeyboard::load() {
  xcb_connection_t* const connection = display_->connection();
  const std::uint8_t first = display_->setup().min_keycode;
  const auto count = static_cast<std::uint8_t>(display_->setup().max_keycode - first + 1);
  const XReply<xcb_get_keyboard_mapping_reply_t> keys(xcb_get_keyboard_mapping_reply(
      connection, xcb_get_keyboard_mapping(connection, first, count), nullptr));
  const XReply<xcb_get_modifier_mapping_reply_t> modifiers(
      xcb_get_modifier_mapping_reply(connection, xcb_get_modifier_mapping(connection), nullptr));
  if (!keys || !modifiers) return window_closed();
  const std::uint32_t* const keysyms = xcb_get_keyboard_mapping_keysyms(keys.get());
  map_ = KeyMap(first, keys->keysyms_per_keycode,
                {keysyms, keysyms + xcb_get_keyboard_mapping_keysyms_length(keys.get())});
  const std::uint8_t* const codes = xcb_get_modifier_mapping_keycodes(modifiers.get());
  const std::size_t each = modifiers->keycodes_per_modifier;
  modifiers_.clear();
  for (std::size_t i = 0; i < kModifiers * each; ++i) {
    if (codes[i] == 0) continue;
    modifiers_.push_back(codes[i]);
    if (i / each == kShiftModifier && shift_ == 0) shift_ = codes[i];
    if (i / each == kLockModifier && caps_ == 0) caps_ = codes[i];
  }
  free_ = map_.free_codes();
  std::erase_if(free_, [this](std::uint8_t code) {
    return std::find(modifiers_.begin(), modifiers_.end(), code) != modifiers_.end();
  });
  return {};
}

core::Result<void> XKeyboard::type_keysyms(const std::vector<std::uint32_t>& keysyms) {
  for (std::size_t at = 0; at < keysyms.size();) {
    const core::Result<std::size_t> typed = type_some(keysyms, at);
    if (!typed) return core::fail(typed.error());
    at += *typed;
  }
  return {};
}

core::Result<std::size_t> XKeyboard::type_some(const std::vector<std::uint32_t>& keysyms,
                                               std::size_t from) {
  // Keysyms mapped to free keys in this part of the text.
  std::vector<std::pair<std::uint32_t, std::uint8_t>> lent;
  std::vector<KeyStroke> strokes;
  for (std::size_t at = from; at < keysyms.size(); ++at) {
    const std::uint32_t keysym = keysyms[at];
    std::optional<KeyStroke> key = map_.find(keysym, group_);
    if (key && key->shift && shift_ == 0) key.reset();
    if (!key) {
      auto known = std::find_if(lent.begin(), lent.end(),
                                [&](const auto& each) { return each.first == keysym; });
      if (known == lent.end()) {
        if (lent.size() == free_.size()) break;
        known = lent.insert(lent.end(), {keysym, free_[lent.size()]});
      }
      key = KeyStroke{known->second, false};
    }
    strokes.push_back(*key);
  }
  if (strokes.empty()) {
    return core::fail(
        core::Code::unavailable,
        "The keyboard layout has no key for a character, and no free key to assign it to.");
  }
  if (!lent.empty()) {
    take_meanings_back();
    for (const auto& [keysym, code] : lent) give_meaning(code, keysym);
    if (auto settled = display_->settle(); !settled) return core::fail(settled.error());
    std::this_thread::sleep_for(kMeaningKnown);
  }
  for (const KeyStroke& each : strokes) {
    if (pace_.is_stopped()) return core::fail(core::Code::cancelled, "It was stopped.");
    stroke(each);
  }
  if (auto settled = display_->settle(); !settled) return core::fail(settled.error());
  return strokes.size();
}

void XKeyboard::give_meaning(std::uint8_t code, std::uint32_t keysym) {
  const std::vector<std::uint32_t> all(map_.columns(), keysym);
  xcb_change_keyboard_mapping(display_->connection(), 1, code,
                              static_cast<std::uint8_t>(all.size()), all.data());
  lent_.push_back(code);
}

void XKeyboard::take_meanings_back() {
  if (lent_.empty()) return;
  std::this_thread::sleep_for(kMeaningUsed);
  for (const std::uint8_t code : std::exchange(lent_, {})) {
    const std::vector<std::uint32_t> none(map_.columns(), 0);
    xcb_change_keyboard_mapping(display_->connection(), 1, code,
                                static_cast<std::uint8_t>(none.size()), none.data());
  }
}

// Released modifiers are not pressed again: the person may have released them meanwhile, and a
// stuck key is worse than one that must be pressed once more.
void XKeyboard::release_modifiers() {
  const XReply<xcb_query_keymap_reply_t> down(xcb_query_keymap_reply(
      display_->connection(), xcb_query_keymap(display_->connection()), nullptr));
  if (!down) return;
  for (const std::uint8_t code : modifiers_) {
    const unsigned bits = down->keys[code / 8U];
    if ((bits >> (code % 8U) & 1U) != 0) send(XCB_KEY_RELEASE, code);
  }
}

void XKeyboard::toggle_caps_lock() {
  if (caps_ != 0) stroke({caps_, false});
}

void XKeyboard::stroke(KeyStroke key) {
  if (key.shift) send(XCB_KEY_PRESS, shift_);
  send(XCB_KEY_PRESS, key.code);
  send(XCB_KEY_RELEASE, key.code);
  if (key.shift) send(XCB_KEY_RELEASE, shift_);
  xcb_flush(display_->connection());
  std::this_thread::sleep_for(pace_.of_key);
}

void XKeyboard::send(std::uint8_t event, std::uint8_t code) {
  xcb_test_fake_input(display_->connection(), event, code, XCB_CURRENT_TIME, display_->root(), 0, 0,
                      0);
}

}  // namespace parley::typing
