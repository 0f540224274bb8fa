// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "shell/git_notes.h"

#include <algorithm>
#include <array>
#include <string>

#include "shell/word_table.h"

namespace parley::shell {
namespace {

constexpr std::array<std::string_view, 22> kReads = {
    "status",       "log",          "diff",          "show",        "blame",    "grep",
    "ls-files",     "describe",     "help",          "version",     "cat-file", "rev-parse",
    "rev-list",     "ls-tree",      "shortlog",      "whatchanged", "archive",  "merge-base",
    "for-each-ref", "check-ignore", "count-objects", "var"};
constexpr std::array<std::string_view, 7> kNetwork = {"clone",     "fetch",     "pull", "push",
                                                      "ls-remote", "submodule", "lfs"};
// Keys of settings that make git run a program.
constexpr std::array<std::string_view, 9> kProgramKeys = {
    "core.sshcommand", "core.hookspath", "core.pager",        "core.editor", "core.fsmonitor",
    "sequence.editor", "diff.external",  "credential.helper", "gpg.program"};

bool runs_program(std::string_view setting) {
  std::string key(setting.substr(0, setting.find('=')));
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return is_in(kProgramKeys, key) || key.starts_with("alias.") || key.starts_with("protocol.") ||
         key.starts_with("filter.");
}

// The arguments from the subcommand on; adds notes about settings in front of it.
std::span<const Word> from_subcommand(const Call& call, Notes* notes) {
  std::span<const Word> rest = call.arguments;
  while (!rest.empty() && rest.front().text.starts_with('-')) {
    const std::string& option = rest.front().text;
    const bool has_value = option == "-C" || option == "-c" || option == "--git-dir" ||
                           option == "--work-tree" || option == "--namespace";
    if (option == "-c" && rest.size() > 1 && notes != nullptr && runs_program(rest[1].text)) {
      notes->add(NoteKind::changes_lookup, rest[1].text);
    }
    rest = rest.subspan(std::min<std::size_t>(has_value ? 2 : 1, rest.size()));
  }
  return rest;
}

std::string line_of(std::span<const Word> words) {
  std::string out;
  for (const Word& word : words) out.append(out.empty() ? "" : " ").append(word.text);
  return out;
}

void note_push(const Call& rest, const std::string& line, Notes& notes) {
  bool rewrites = rest.has_flag('f', "--force") || rest.has_flag('d', "--delete") ||
                  rest.has_option({"--mirror", "--prune", "--force-if-includes"});
  for (const Word& word : rest.arguments) {
    const std::string_view text(word.text);
    rewrites = rewrites || text.starts_with("--force-with-lease") || text.starts_with('+') ||
               text.starts_with(':');
  }
  if (rewrites) notes.add(NoteKind::rewrites_remote, "git " + line);
  notes.add(NoteKind::git, line);
}

bool discards(const Call& rest, std::string_view verb) {
  if (verb == "reset") return rest.has_option({"--hard", "--merge", "--keep"});
  if (verb == "clean") return rest.has_flag('f', "--force");
  if (verb == "checkout") {
    return rest.has_flag('f', "--force") || rest.has_option({"--", ".", "--ours", "--theirs"});
  }
  if (verb == "restore") {
    return !rest.has_flag('S', "--staged") || rest.has_flag('W', "--worktree");
  }
  if (verb == "switch")
    return rest.has_flag('f', "--force") || rest.has_option({"--discard-changes"});
  if (verb == "branch") {
    return rest.has_flag('D', "") ||
           (rest.has_flag('d', "--delete") && rest.has_flag('f', "--force"));
  }
  if (verb == "stash") return rest.has_option({"drop", "clear"});
  if (verb == "reflog") return rest.has_option({"expire", "delete"});
  if (verb == "update-ref") return rest.has_option({"-d"});
  if (verb == "worktree") return rest.has_option({"remove"}) && rest.has_flag('f', "--force");
  return verb == "filter-branch" || verb == "filter-repo";
}

void note_config(const Call& rest, const std::string& line, Notes& notes) {
  if (rest.has_option({"--global", "--system"})) {
    notes.add(NoteKind::writes_outside, "git " + line);
  }
  for (const Word* operand : rest.operands()) {
    if (runs_program(operand->text)) notes.add(NoteKind::runs_later, "git " + line);
  }
}

}  // namespace

bool git_uses_network(const Call& call) {
  const std::span<const Word> rest = from_subcommand(call, nullptr);
  if (rest.empty()) return false;
  if (rest.front().text == "remote") return rest.size() > 1 && rest[1].text == "update";
  return is_in(kNetwork, rest.front().text);
}

void note_git(const Call& call, Notes& notes) {
  const std::span<const Word> words = from_subcommand(call, &notes);
  if (words.empty() || is_in(kReads, words.front().text)) return;
  const std::string line = line_of(words);
  const std::string verb = words.front().is_fixed ? words.front().text : std::string();
  Call rest = call;
  rest.arguments = words.subspan(1);
  if (verb == "push") {
    note_push(rest, line, notes);
    return;
  }
  if (discards(rest, verb)) notes.add(NoteKind::discards_work, "git " + line);
  if (verb == "config") note_config(rest, line, notes);
  notes.add(NoteKind::git, line);
}

}  // namespace parley::shell
