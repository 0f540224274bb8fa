// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/carried.h"

#include <algorithm>
#include <array>

#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

// An option whose value is a script.
struct TextOption {
  std::string_view programs;
  std::string_view operand;  // that must be there; empty: none
  std::string_view names;    // as of Call::values_of
  std::string_view front;    // ends the part of the value in front of the script
};
constexpr std::array<TextOption, 17> kTextOptions = {{
    {"su runuser sg script", "", "c command session-command", ""},
    {"git", "", "c", "=!"},
    {"git", "rebase", "x exec", ""},
    {"git", "difftool", "x extcmd", ""},
    {"git", "filter-branch",
     "tree-filter index-filter msg-filter env-filter commit-filter tag-name-filter parent-filter",
     ""},
    {"git", "clone", "u upload-pack", ""},
    {"git", "fetch", "upload-pack", ""},
    {"git", "pull", "upload-pack", ""},
    {"git", "ls-remote", "upload-pack exec", ""},
    {"git", "push", "receive-pack exec", ""},
    {"tar bsdtar", "", "to-command use-compress-program info-script new-volume-script rsh-command",
     ""},
    {"tar bsdtar", "", "checkpoint-action", "exec="},
    {"rsync", "", "e rsh", ""},
    {"nc ncat netcat", "", "e exec c sh-exec", ""},
    {"sort", "", "compress-program", ""},
    {"rg", "", "pre", ""},
    {"ssh scp sftp", "", "o", "ProxyCommand="},
}};

// The words behind these are a program with its arguments, up to ";" or "+".
struct Starter {
  std::string_view programs;
  std::string_view words;
  bool takes_more = false;
};
constexpr std::array<Starter, 6> kStarters = {{
    {"find", "-exec -execdir -ok -okdir", true},
    {"fd fdfind", "-x -X --exec --exec-batch", true},
    {"git", "run"},
    {"poetry uv pipenv pdm hatch rye", "run"},
    {"bundle", "exec"},
    {"doppler op aws-vault mise dotenv", "--"},
}};

void add_started(const Call& call, const Starter& starter, std::vector<Carried>& found) {
  const std::span<const Word> words = call.arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!has_word(starter.words, words[i].text)) continue;
    std::size_t end = i + 1;
    while (end < words.size() && words[end].text != ";" && words[end].text != "+") ++end;
    const bool is_program = end > i + 1 && !words[i + 1].text.starts_with('-');
    if (is_program) {
      found.push_back({words.subspan(i + 1, end - i - 1), {}, starter.takes_more});
    }
    i = end;
  }
}

}  // namespace

std::vector<Carried> carried_by(const Call& call) {
  std::vector<Carried> found;
  for (const TextOption& row : kTextOptions) {
    if (!has_word(row.programs, call.name)) continue;
    if (!row.operand.empty() && !call.has_operand(row.operand)) continue;
    for (Word& value : call.values_of(row.names)) {
      const std::size_t front = value.text.find(row.front);
      if (front == std::string::npos) continue;
      value.text.erase(0, front + row.front.size());
      found.push_back({{}, std::move(value), false});
    }
  }
  for (const Starter& starter : kStarters) {
    const bool is_bisect = call.name != "git" || call.has_operand("bisect");
    if (has_word(starter.programs, call.name) && is_bisect) add_started(call, starter, found);
  }
  const bool is_each = call.name == "git" && call.has_operand("submodule");
  for (std::size_t i = 0; is_each && i + 1 < call.arguments.size(); ++i) {
    if (call.arguments[i].text != "foreach") continue;
    std::span<const Word> rest = call.arguments.subspan(i + 1);
    while (rest.size() > 1 && rest.front().text.starts_with('-')) rest = rest.subspan(1);
    found.push_back({{}, joined(rest), false});
    break;
  }
  return found;
}

}  // namespace parley::shell
