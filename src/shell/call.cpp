// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "shell/call.h"

#include <algorithm>
#include <array>

namespace parley::shell {
namespace {

constexpr int kMaxWrappers = 8;

// A program that starts another one with its arguments.
struct Wrapper {
  std::string_view name;
  std::string_view valued;   // letters of options with a value of their own
  std::size_t operands = 0;  // in front of the program
};
constexpr std::array<Wrapper, 20> kWrappers = {
    {{"sudo", "ughpCDrtT", 0}, {"doas", "uC", 0},  {"pkexec", "", 0},
     {"env", "uCS", 0},        {"nohup", "", 0},   {"nice", "n", 0},
     {"ionice", "cnp", 0},     {"time", "of", 0},  {"timeout", "sk", 1},
     {"stdbuf", "ioe", 0},     {"setsid", "", 0},  {"command", "", 0},
     {"builtin", "", 0},       {"exec", "a", 0},   {"xargs", "InPLdaEs", 0},
     {"watch", "n", 0},        {"busybox", "", 0}, {"caffeinate", "tw", 0},
     {"flock", "wE", 1},       {"chroot", "", 1}}};

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
}

// Position of the program behind the wrapper at `at`.
std::size_t behind(const Wrapper& wrapper, std::span<const Word> words, std::size_t at) {
  std::size_t operands = wrapper.operands;
  for (++at; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    const bool is_assignment = text.find('=') != std::string::npos && !text.starts_with('-') &&
                               (wrapper.name == "env" || wrapper.name == "sudo");
    if (text.size() > 1 && text.front() == '-') {
      if (text == "--") return at + 1 + operands;
      const bool takes_next = text.size() == 2 && wrapper.valued.find(text[1]) != std::string::npos;
      if (takes_next) ++at;
    } else if (!is_assignment) {
      if (operands == 0) return at;
      --operands;
    }
  }
  return at;
}

}  // namespace

std::optional<Call> call_of(const Command& command, std::span<const Word> words,
                            std::span<const std::string> folders) {
  Call call;
  call.command = &command;
  call.folders = folders;
  std::size_t at = 0;
  for (int i = 0; i < kMaxWrappers && at < words.size(); ++i) {
    if (!words[at].is_fixed) break;
    const std::string name = base_name(words[at].text);
    const auto* const wrapper = std::find_if(kWrappers.begin(), kWrappers.end(),
                                             [&](const Wrapper& row) { return row.name == name; });
    if (wrapper == kWrappers.end()) break;
    const std::size_t next = behind(*wrapper, words, at);
    if (next >= words.size()) break;  // by itself: the wrapper is the program
    call.takes_more = call.takes_more || name == "xargs";
    call.wrappers.push_back(name);
    at = next;
  }
  if (at >= words.size()) return std::nullopt;
  if (words[at].is_fixed) call.name = base_name(words[at].text);
  call.arguments = words.subspan(at + 1);
  return call;
}

bool Call::has_option(std::initializer_list<std::string_view> options) const {
  return std::any_of(arguments.begin(), arguments.end(), [&](const Word& word) {
    return std::find(options.begin(), options.end(), word.text) != options.end();
  });
}

bool Call::has_flag(char letter, std::string_view long_option) const {
  return std::any_of(arguments.begin(), arguments.end(), [&](const Word& word) {
    const std::string_view text(word.text);
    if (!text.starts_with('-') || text.size() < 2) return false;
    if (text[1] == '-') return text == long_option;
    return text.find(letter) != std::string_view::npos;
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

std::string_view Call::verb() const {
  for (const Word& word : arguments) {
    if (!word.text.starts_with('-')) return word.is_fixed ? std::string_view(word.text) : "";
  }
  return {};
}

std::optional<Word> Call::value_of(std::string_view letter, std::string_view long_option) const {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Word& word = arguments[i];
    const std::string_view text(word.text);
    const bool is_next = text == letter || text == long_option;
    if (is_next && i + 1 < arguments.size()) return arguments[i + 1];
    const std::string with_sign = std::string(long_option) + "=";
    std::size_t skipped = 0;
    if (!long_option.empty() && text.starts_with(with_sign)) skipped = with_sign.size();
    if (!letter.empty() && text.starts_with(letter) && text.size() > letter.size() &&
        !text.starts_with("--")) {
      skipped = letter.size();
    }
    if (skipped > 0) {
      Word value = word;
      value.text.erase(0, skipped);
      return value;
    }
  }
  return std::nullopt;
}

std::string Call::line() const {
  std::string out = name;
  for (const Word& word : arguments) out.append(" ").append(word.text);
  return out;
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
