// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/sources.h"

#include <algorithm>

#include "base/shell/place.h"
#include "base/shell/program_notes.h"
#include "base/shell/wrappers.h"

namespace parley::shell {
namespace {

// "-e", "-nE": an option of "echo".
bool is_echo_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-' &&
         word.find_first_not_of("neE", 1) == std::string_view::npos;
}

const Redirect* last_input(const Command& command) {
  const auto found = std::find_if(
      command.redirects.rbegin(), command.redirects.rend(),
      [](const Redirect& each) { return each.is_input && !is_input_file(each.target.text); });
  return found == command.redirects.rend() ? nullptr : &*found;
}

}  // namespace

Sources::Sources(const Script& script) : script_(script) {
  calls_.reserve(script.commands.size());
  own_.reserve(script.commands.size());
  for (const Command& command : script.commands) {
    const bool is_remote =
        std::any_of(command.redirects.begin(), command.redirects.end(),
                    [](const Redirect& each) { return is_network_device(each.target.text); });
    Source source = is_remote ? Source::network : Source::other;
    calls_.push_back(call_of(command, command.words));
    if (const std::optional<Call>& call = calls_.back()) {
      if (uses_network(*call)) source = Source::network;
      if (decodes(*call)) source = std::max(source, Source::decoded);
      const Function* const own = function(call->name);
      if (own != nullptr) source = std::max(source, of(own->body));
    }
    own_.push_back(source);
  }
}

Source Sources::of(Span commands) const {
  Source found = Source::other;
  const auto add = [&](Span span) {
    for (std::size_t at = span.begin; at < span.end && at < own_.size(); ++at) {
      found = std::max(found, own_[at]);
    }
  };
  for (int i = 0; !commands.empty() && i < kMaxDepth; ++i) {
    add(commands);
    const Command& first = script_.commands[commands.begin];
    if (const Redirect* const input = input_of(first)) add(input->target.inner);
    commands = first.feed;
  }
  return found;
}

void Sources::raise(std::size_t command, Source source) {
  own_[command] = std::max(own_[command], source);
}

std::optional<std::string> Sources::printed(Span commands) const {
  if (commands.end - commands.begin != 1) return std::nullopt;
  const Command& command = script_.commands[commands.begin];
  if (!command.feed.empty() || command.words.empty() || !command.words.front().is_fixed) {
    return std::nullopt;
  }
  const std::string& name = command.words.front().text;
  if (function(name) != nullptr) return std::nullopt;
  if (name == "cat" && command.words.size() == 1 && command.redirects.size() == 1) {
    const Redirect& redirect = command.redirects.front();
    const bool is_text = redirect.kind == Redirect::Kind::text && redirect.target.is_fixed;
    return is_text ? std::optional(redirect.target.text) : std::nullopt;
  }
  const bool is_format = name == "printf";
  if ((name != "echo" && !is_format) || !command.redirects.empty()) return std::nullopt;
  std::span<const Word> words = std::span(command.words).subspan(1);
  while (!words.empty() &&
         (is_format ? words.front().text == "--" : is_echo_option(words.front().text))) {
    words = words.subspan(1);
  }
  const Word whole = joined(words);
  const bool is_changed = !whole.is_fixed || whole.text.find('\\') != std::string::npos ||
                          (is_format && whole.text.find('%') != std::string::npos);
  if (is_changed) return std::nullopt;
  return is_format && !words.empty() ? words.front().text : whole.text;
}

const Redirect* Sources::input_of(const Command& command) const {
  const Redirect* const own = last_input(command);
  return own != nullptr || command.input == 0 ? own : last_input(script_.commands[command.input]);
}

const Function* Sources::function(std::string_view name) const {
  const auto found = std::find_if(script_.functions.begin(), script_.functions.end(),
                                  [name](const Function& each) { return each.name == name; });
  return found == script_.functions.end() ? nullptr : &*found;
}

}  // namespace parley::shell
