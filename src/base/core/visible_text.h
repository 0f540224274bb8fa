// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text from outside in a form that is safe to show: a character that shows nothing, or that changes
// how others are shown, is written out as <U+202E>. The console has the same rule
// (web/src/text/visible_text.ts); tests/visible_text/cases.json checks both.
//
// Written out: control characters; every default-ignorable character of Unicode 15 (bidi controls,
// zero-width characters, tag characters, fillers, variation selectors); line and paragraph
// separators, interlinear annotation, the braille blank; private use and noncharacters. A byte that
// is not UTF-8 is <0x9B>.
//
// Left unchanged: letters of every script, combining marks, spaces of any width, unassigned
// characters (fonts show a box); one variation selector 15 or 16 behind an emoji, a zero-width
// joiner between two emoji, selector 16 in a keycap; joiner and non-joiner between two letters of
// Arabic or Indic scripts, whose spelling needs them. Homoglyphs are not detected.
namespace parley::core {

enum class Breaks : bool {
  keep,    // line feed, CR LF and tab stay: text of several lines
  escape,  // written out too: one line stays one line
};

// Converts a text in pieces; a piece may end between any two characters.
class VisibleText {
 public:
  explicit VisibleText(Breaks breaks) : breaks_(breaks) {}

  // Appends the visible form of `piece`. A character whose form depends on the next one is held
  // back.
  void append(std::string& out, std::string_view piece);
  // Appends the character that is held back. The next piece begins a new text.
  void finish(std::string& out);
  // Number of characters and invalid bytes written out so far.
  std::size_t hidden() const { return hidden_; }

 private:
  void take(std::string& out, char32_t code, std::string_view bytes);
  void settle(std::string& out, char32_t next);
  bool waits(char32_t code) const;
  bool shows(char32_t code) const;
  void escape(std::string& out, char32_t code);

  Breaks breaks_;
  char32_t before_ = 0;   // the character in front, 0: none
  char32_t waiting_ = 0;  // 0: none
  std::size_t hidden_ = 0;
};

// The visible form of a whole text.
std::string visible_text(std::string_view text, Breaks breaks = Breaks::keep);

// The visible form of a text as one line.
inline std::string visible_line(std::string_view text) {
  return visible_text(text, Breaks::escape);
}

// Number of characters of `text` that its visible form writes out.
std::size_t count_hidden(std::string_view text, Breaks breaks = Breaks::keep);

}  // namespace parley::core
