// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/utf8_repair.h"

namespace parley::model {

// Separates the reasoning from a model's text: the part between <think> and </think>, at the
// beginning of the text or directly after such a part (blanks aside). Elsewhere the tags are text.
// The text may be split anywhere, also inside a tag or a character. The output is UTF-8; ill-formed
// bytes become U+FFFD.
class ThinkTags {
 public:
  using Emit = std::function<void(bool reasoning, std::string_view text)>;

  explicit ThinkTags(Emit emit) : emit_(std::move(emit)) {}

  void feed(std::string_view text);
  // Call at the end of the text: emits the bytes that were held back.
  void finish();

 private:
  enum class State : std::uint8_t { before, thinking, text };

  // Each step consumes the front of held_; false if it needs more bytes.
  bool step_before(bool last);
  bool step_thinking(bool last);
  void emit(bool reasoning, std::size_t bytes);

  Emit emit_;
  State state_ = State::before;
  bool first_ = true;  // only blanks arrived so far
  bool after_tag_ = false;
  std::string held_;
  core::Utf8Stream characters_;
};

}  // namespace parley::model
