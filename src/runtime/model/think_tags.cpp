// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/think_tags.h"

#include <algorithm>

#include "core/ascii.h"
#include "core/utf8.h"

namespace parley::model {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the character that starts with this byte; 0 if no character does.
std::size_t character_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

bool may_continue(std::string_view begun) {
  const std::size_t length = character_length(static_cast<unsigned char>(begun.front()));
  return begun.size() < length && std::all_of(begun.begin() + 1, begun.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
         });
}

// Length of the longest suffix of `text` that is a prefix of `tag`.
std::size_t begun_tag(std::string_view text, std::string_view tag) {
  for (std::size_t length = std::min(text.size(), tag.size() - 1); length > 0; --length) {
    if (text.ends_with(tag.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

void append_whole_characters(std::string& out, std::string& carry, std::string_view text) {
  std::string joined;
  if (!carry.empty()) {
    joined = carry;
    joined += text;
    text = joined;
    carry.clear();
  }
  while (!text.empty()) {
    const std::size_t good = core::utf8_prefix(text);
    out += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) return;
    if (may_continue(text)) {
      carry = text;
      return;
    }
    out += kReplacement;
    text.remove_prefix(1);
  }
}

void ThinkTags::feed(std::string_view text) {
  append_whole_characters(held_, broken_, text);
  while (!held_.empty()) {
    if (state_ == State::text) {
      emit(false, held_.size());
    } else if (state_ == State::before ? !step_before(false) : !step_thinking(false)) {
      return;
    }
  }
}

void ThinkTags::finish() {
  for (std::size_t i = 0; i < broken_.size(); ++i) held_ += kReplacement;
  broken_.clear();
  while (!held_.empty()) {
    if (state_ == State::text) {
      emit(false, held_.size());
    } else if (state_ == State::before) {
      (void)step_before(true);
    } else {
      (void)step_thinking(true);
    }
  }
}

// Reads blanks, then possibly a tag. Blanks after reasoning are dropped; before text they are text.
bool ThinkTags::step_before(bool last) {
  const std::size_t begin = std::min(held_.find_first_not_of(core::kBlanks), held_.size());
  const std::string_view rest = std::string_view(held_).substr(begin);
  if (rest.starts_with(kOpen)) {
    held_.erase(0, begin + kOpen.size());
    state_ = State::thinking;
    after_tag_ = true;
    return true;
  }
  if (!last && kOpen.starts_with(rest)) return false;
  if (!first_) held_.erase(0, begin);
  state_ = State::text;
  return true;
}

bool ThinkTags::step_thinking(bool last) {
  if (after_tag_) {
    held_.erase(0, std::min(held_.find_first_not_of(core::kBlanks), held_.size()));
    if (held_.empty()) return false;
    after_tag_ = false;
  }
  const std::size_t close = held_.find(kClose);
  if (close != std::string::npos) {
    emit(true, close);
    held_.erase(0, kClose.size());
    state_ = State::before;
    first_ = false;
    return true;
  }
  const std::size_t kept = last ? 0 : begun_tag(held_, kClose);
  emit(true, held_.size() - kept);
  return kept == 0;
}

void ThinkTags::emit(bool reasoning, std::size_t bytes) {
  if (bytes == 0) return;
  const std::string given = held_.substr(0, bytes);
  held_.erase(0, bytes);
  emit_(reasoning, given);
}

}  // namespace parley::model
