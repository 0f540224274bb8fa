// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/call.h"

#include <algorithm>

#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

// "--forc" for "--force"; programs take the beginning of a long option for the whole.
bool is_long(std::string_view text, std::string_view option) {
  return text.size() > 2 && text.starts_with("--") && option.starts_with(text);
}

Word behind(const Word& word, std::size_t skipped) {
  Word value = word;
  value.text.erase(0, skipped);
  return value;
}

// The value of the option `name` within `word`; std::nullopt: it is another option, and `is_next`
// says if the next word is the value.
std::optional<Word> value_in(const Word& word, std::string_view name, std::string_view bundle,
                             bool& is_next) {
  const std::string_view text(word.text);
  is_next = false;
  if (!text.starts_with('-') || text.size() < 2) return std::nullopt;
  if (name.starts_with('-')) {
    is_next = text == name;
  } else if (name.size() > 1) {
    const std::size_t sign = text.find('=');
    if (is_long(text.substr(0, sign), "--" + std::string(name))) {
      if (sign != std::string_view::npos) return behind(word, sign + 1);
      is_next = true;
    }
  } else if (text[1] != '-') {
    const std::size_t at = text.find(name.front(), 1);
    if (at == std::string_view::npos) return std::nullopt;
    const bool is_option =
        bundle == "*" || text.substr(1, at - 1).find_first_not_of(bundle) == std::string_view::npos;
    if (!is_option) return std::nullopt;
    if (at + 1 < text.size()) return behind(word, at + 1);
    is_next = true;
  }
  return std::nullopt;
}

}  // namespace

bool Call::has_option(std::initializer_list<std::string_view> options) const {
  return std::any_of(arguments.begin(), arguments.end(), [&](const Word& word) {
    return std::any_of(options.begin(), options.end(), [&](std::string_view option) {
      return word.text == option || is_long(word.text, option);
    });
  });
}

bool Call::has_flag(char letter, std::string_view long_option) const {
  return std::any_of(arguments.begin(), arguments.end(), [&](const Word& word) {
    const std::string_view text(word.text);
    if (!text.starts_with('-') || text.size() < 2) return false;
    if (text[1] == '-') return is_long(text, long_option);
    return text == long_option || text.find(letter) != std::string_view::npos;
  });
}

std::vector<const Word*> Call::operands() const {
  std::vector<const Word*> found;
  bool only_operands = false;
  for (const Word& word : arguments) {
    if (!only_operands && word.text == "--") {
      only_operands = true;
    } else if (only_operands || word.text.size() < 2 || word.text.front() != '-') {
      found.push_back(&word);
    }
  }
  return found;
}

bool Call::has_operand(std::string_view word) const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [word](const Word& each) { return each.text == word; });
}

std::string_view Call::verb() const {
  for (const Word& word : arguments) {
    if (!word.text.starts_with('-')) return word.is_fixed ? std::string_view(word.text) : "";
  }
  return {};
}

std::vector<Word> Call::values_of(std::string_view names, std::string_view bundle) const {
  std::vector<Word> found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::string_view rest = names; !rest.empty();) {
      const std::string_view option = next_word(rest);
      bool is_next = false;
      const std::optional<Word> value = value_in(arguments[i], option, bundle, is_next);
      if (value) found.push_back(*value);
      if (is_next && i + 1 < arguments.size()) found.push_back(arguments[i + 1]);
      if (value || is_next) break;
    }
  }
  return found;
}

std::string line_of(std::span<const Word> words) {
  std::string out;
  for (const Word& word : words) {
    out.append(&word == words.data() ? "" : " ").append(word.text);
    if (out.size() > kMaxLineBytes) break;
  }
  return out;
}

std::string Call::line() const {
  return title + (arguments.empty() ? "" : " ") + line_of(arguments);
}

Word joined(std::span<const Word> words) {
  Word whole;
  for (const Word& word : words) {
    whole.text.append(&word == words.data() ? "" : " ").append(word.text);
    whole.is_fixed = whole.is_fixed && word.is_fixed;
    if (word.inner.empty()) continue;
    if (whole.inner.empty()) whole.inner.begin = word.inner.begin;
    whole.inner.end = word.inner.end;
  }
  return whole;
}

std::optional<std::string> path_in(const Word& word) {
  std::string text = word.text;
  for (const std::string_view home : {"$HOME", "${HOME}"}) {
    const bool is_start =
        text.starts_with(home) && (text.size() == home.size() || text[home.size()] == '/');
    if (is_start) text.replace(0, home.size(), "~");
  }
  if (word.is_fixed) return text;
  if (text.find_first_of("$`") != std::string::npos || !word.inner.empty()) return std::nullopt;
  return text;  // a pattern
}

}  // namespace parley::shell
