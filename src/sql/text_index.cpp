// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "core/utf8_repair.h"
#include "runtime/tool/memory/memory_store.h"

namespace parley::tool {
namespace {

struct Character {
  char32_t code = 0;
  std::string_view bytes;
};

// The first character of well-formed UTF-8.
Character first(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80U) return {lead, text.substr(0, 1)};
  const std::size_t size = lead >= 0xf0U ? 4 : lead >= 0xe0U ? 3 : 2;
  char32_t code = lead & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = (code << 6U) | (byte(i) & 0x3fU);
  return {code, text.substr(0, size)};
}

bool between(char32_t code, char32_t low, char32_t high) { return code >= low && code <= high; }

// True for a script without spaces between words.
bool is_unspaced(char32_t code) {
  return between(code, 0x3400, 0x4dbf) || between(code, 0x4e00, 0x9fff) ||    // Han
         between(code, 0x3040, 0x30ff) || between(code, 0xac00, 0xd7af) ||    // kana, Hangul
         between(code, 0xf900, 0xfaff) || between(code, 0x20000, 0x3ffff) ||  // Han, further
         between(code, 0x0e00, 0x0eff) || between(code, 0x1780, 0x17ff);      // Thai, Lao, Khmer
}

bool is_word_part(char32_t code) {
  if (code < 0x80) {
    return between(code, '0', '9') || between(code, 'a', 'z') || between(code, 'A', 'Z');
  }
  // Excludes punctuation and symbols; all other characters belong to words.
  return !between(code, 0x80, 0xbf) && !between(code, 0x2000, 0x2bff) &&
         !between(code, 0x3000, 0x303f) && !between(code, 0xff00, 0xff0f) &&
         !between(code, 0xff1a, 0xff20) && code != 0xfffd;
}

// Collects the words of a query: runs of characters that all belong to spaced, or all to unspaced
// scripts.
class QueryWords {
 public:
  void add(const Character& character) {
    const bool unspaced = is_unspaced(character.code);
    if (!is_word_part(character.code)) {
      end();
      return;
    }
    if (!word_.empty() && unspaced != unspaced_) end();
    unspaced_ = unspaced;
    if (unspaced && !word_.empty()) pair(last_, character.bytes);
    last_ = character.bytes;
    word_ += character.bytes;
    if (unspaced) word_ += " ";
  }
  void end() {
    if (!word_.empty()) put(word_);
    word_.clear();
  }
  const std::string& expression() const { return expression_; }

 private:
  // Most words have two characters, and a query rarely has the exact wording of the text, so pairs
  // are searched.
  void pair(std::string_view one, std::string_view other) {
    put(std::string(one) + " " + std::string(other));
  }
  void put(std::string word) {
    if (word.ends_with(' ')) word.pop_back();
    if (seen_.size() == MemoryStore::kMaxQueryWords || !seen_.insert(word).second) return;
    if (!expression_.empty()) expression_ += " OR ";
    expression_ += "\"" + word + "\"";
  }

  std::string word_;
  std::string_view last_;
  bool unspaced_ = false;
  std::set<std::string> seen_;
  std::string expression_;
};

}  // namespace

std::string searchable(std::string_view text) {
  const std::string clean = core::repaired_utf8(text);
  std::string out;
  for (std::string_view rest = clean; !rest.empty();) {
    const Character character = first(rest);
    rest.remove_prefix(character.bytes.size());
    if (character.code == 0) continue;
    if (is_unspaced(character.code)) {
      out.append(" ").append(character.bytes).append(" ");
    } else {
      out.append(character.bytes);
    }
  }
  return out;
}

std::string search_expression(std::string_view query) {
  const std::string clean = core::repaired_utf8(query);
  QueryWords words;
  for (std::string_view rest = clean; !rest.empty();) {
    const Character character = first(rest);
    rest.remove_prefix(character.bytes.size());
    words.add(character);
  }
  words.end();
  return words.expression();
}

}  // namespace parley::tool
