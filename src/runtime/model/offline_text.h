// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

// What the demonstration model sees in a text: things that stand out (quotes, code, addresses,
// paths, numbers), its language, its steps. Deterministic; no understanding beyond this.
namespace parley::model::offline {

enum class Language : std::uint8_t { english, chinese };

struct Value {
  enum class Kind : std::uint8_t {
    quoted,
    code,  // between back quotes
    json,  // an object
    url,
    path,
    weak_path,  // has a slash and nothing else that makes it a path
    number,
    date,  // 2026-11-22
  };
  Kind kind = Kind::quoted;
  std::string text;  // without its quotes
  std::size_t begin = 0;
  std::size_t end = 0;  // in the text, quotes and all
};

struct Text {
  std::string text;  // as written
  // Of the same length: ASCII in lower case, values but numbers and dates blanked out, so that
  // what is looked for in it cannot be found inside of a quote or a path.
  std::string plain;
  std::vector<Value> values;
};

Text read_text(std::string_view text);

Language language_of(const Text& text);

// Where `word` begins at or after `from`: an English word stands alone, Chinese ones may touch.
// npos: nowhere. The same for the first of several; the earliest counts.
std::size_t find_word(std::string_view plain, std::string_view word, std::size_t from = 0);
struct Hit {
  std::size_t begin = std::string_view::npos;
  std::size_t end = std::string_view::npos;
  explicit operator bool() const { return begin != std::string_view::npos; }
};
Hit find_any(std::string_view plain, std::initializer_list<std::string_view> words,
             std::size_t from = 0);
bool has_any(std::string_view plain, std::initializer_list<std::string_view> words);

// The words of a text or the parts of a name ("readFile", "web_fetch"), in lower case.
std::vector<std::string> words_of(std::string_view text);

std::string_view trimmed(std::string_view text);
// Without blanks and punctuation at both ends.
std::string_view bare(std::string_view text);

// Whether a token looks like a path of a file: "a.txt", "src/", "./x", "*.cpp", "Makefile".
bool is_path(std::string_view token);

bool is_cjk(std::string_view text, std::size_t at);
// The bytes of the character that begins at `at`.
std::size_t character_size(std::string_view text, std::size_t at);

}  // namespace parley::model::offline
