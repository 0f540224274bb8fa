// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/think_tags.h"

#include <algorithm>
#include <utility>

#include "base/core/ascii.h"

namespace parley::model {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";

// Length of the longest suffix of `text` that is a prefix of `tag`.
std::size_t begun_tag(std::string_view text, std::string_view tag) {
  for (std::size_t length = std::min(text.size(), tag.size() - 1); length > 0; --length) {
    if (text.ends_with(tag.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

void ThinkTags::feed(std::string_view text) {
  std::string fed = characters_.feed(text);
  if (held_.empty()) {
    held_ = std::move(fed);
  } else {
    held_ += fed;
  }
  while (!held_.empty()) {
    if (state_ == State::text) {
      emit(false, held_.size());
    } else if (state_ == State::before ? !step_before(false) : !step_thinking(false)) {
      return;
    }
  }
}

void ThinkTags::finish() {
  held_ += characters_.finish();
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
  const std::size_t begun = last ? 0 : begun_tag(held_, kClose);
  emit(true, held_.size() - begun);
  return begun == 0;
}

void ThinkTags::emit(bool reasoning, std::size_t bytes) {
  if (bytes == 0) return;
  std::string given = std::exchange(held_, {});
  if (bytes < given.size()) {
    held_ = given.substr(bytes);
    given.resize(bytes);
  }
  emit_(reasoning, given);
}

}  // namespace parley::model
