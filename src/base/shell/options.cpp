// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/options.h"

#include <algorithm>

#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

// The name in the table that `written` is, or is the beginning of; empty: none.
std::string_view long_name(std::string_view table, std::string_view written) {
  if (has_word(table, written)) return written;
  while (!table.empty()) {
    const std::string_view name = next_word(table);
    if (name.size() > 1 && name.starts_with(written)) return name;
  }
  return {};
}

class OptionReader {
 public:
  OptionReader(std::span<const Word> words, std::size_t at, const OptionTable& table)
      : words_(words), table_(table) {
    read_.end = at;
  }

  Options read() {
    for (; read_.end < words_.size(); ++read_.end) {
      const std::string_view text(words_[read_.end].text);
      if (text.size() < 2 || (text[0] != '-' && text[0] != '+')) break;
      read_.is_unsure = false;
      if (text == "--") {
        ++read_.end;
        break;
      }
      if (text.starts_with("--")) {
        take_long(text.substr(2));
      } else {
        take_letters(text);
      }
    }
    read_.end = std::min(read_.end, words_.size());
    return std::move(read_);
  }

 private:
  void take_long(std::string_view text) {
    const std::size_t sign = text.find('=');
    const std::string_view written = text.substr(0, sign);
    const bool has_value = sign != std::string_view::npos;
    std::string_view name = long_name(table_.valued, written);
    if (!name.empty() && !has_word(table_.flags, written)) {
      add_valued(name, has_value ? sign + 3 : 0);
      return;
    }
    name = long_name(table_.flags, written);
    if (name.empty()) {
      note_unknown();
      read_.is_unsure = !has_value;
    }
    read_.options.push_back({std::string(name.empty() ? written : name), std::nullopt});
  }

  void take_letters(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
      const std::string_view letter = text.substr(i, 1);
      if (has_word(table_.valued, letter)) {
        add_valued(letter, i + 1 < text.size() ? i + 1 : 0);
        return;
      }
      read_.options.push_back({std::string(letter), std::nullopt});
      if (has_word(table_.attached, letter)) return;
      if (!has_word(table_.flags, letter)) note_unknown();
    }
  }

  // `skipped` bytes of the word are in front of the value; 0: the next word is.
  void add_valued(std::string_view name, std::size_t skipped) {
    Option option{std::string(name), std::nullopt};
    if (skipped > 0) {
      option.value = words_[read_.end];
      option.value->text.erase(0, skipped);
    } else if (++read_.end < words_.size()) {
      option.value = words_[read_.end];
    }
    read_.options.push_back(std::move(option));
  }

  void note_unknown() {
    if (read_.unknown.empty()) read_.unknown = words_[read_.end].text;
  }

  std::span<const Word> words_;
  const OptionTable& table_;
  Options read_;
};

}  // namespace

bool Options::has(std::string_view names) const {
  return std::any_of(options.begin(), options.end(),
                     [names](const Option& each) { return has_word(names, each.name); });
}

std::vector<Word> Options::values_of(std::string_view names) const {
  std::vector<Word> found;
  for (const Option& each : options) {
    if (each.value && has_word(names, each.name)) found.push_back(*each.value);
  }
  return found;
}

Options read_options(std::span<const Word> words, std::size_t at, const OptionTable& table) {
  return OptionReader(words, at, table).read();
}

}  // namespace parley::shell
