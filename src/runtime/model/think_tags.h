// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/utf8_repair.h"

namespace parley::model {

// Takes the reasoning out of a model's text: what stands between <think> and </think>, at the
// beginning of the text or right after such a part (blanks aside). Elsewhere the tags are text. The
// text may be split anywhere, also inside a tag or a character; what is given on is UTF-8, and
// bytes that are none become U+FFFD.
class ThinkTags {
 public:
  using Emit = std::function<void(bool reasoning, std::string_view text)>;

  explicit ThinkTags(Emit emit) : emit_(std::move(emit)) {}

  void feed(std::string_view text);
  // The text ended: what was held back is given on.
  void finish();

 private:
  enum class State : std::uint8_t { before, thinking, text };

  // Each takes a piece from the front of held_; false if it needs more.
  bool step_before(bool last);
  bool step_thinking(bool last);
  void give(bool reasoning, std::size_t bytes);

  Emit emit_;
  State state_ = State::before;
  bool first_ = true;  // nothing but blanks came so far
  bool after_tag_ = false;
  std::string held_;
  core::Utf8Stream characters_;
};

}  // namespace parley::model
