// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/git_notes.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/shell/options.h"
#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

constexpr std::array<std::string_view, 22> kReads = {
    "status",       "log",          "diff",          "show",        "blame",    "grep",
    "ls-files",     "describe",     "help",          "version",     "cat-file", "rev-parse",
    "rev-list",     "ls-tree",      "shortlog",      "whatchanged", "archive",  "merge-base",
    "for-each-ref", "check-ignore", "count-objects", "var"};
constexpr std::array<std::string_view, 7> kNetwork = {"clone",     "fetch",     "pull", "push",
                                                      "ls-remote", "submodule", "lfs"};
// Settings that make git run a program: whole keys, beginnings and ends.
constexpr std::array<std::string_view, 17> kProgramKeys = {"core.sshcommand",
                                                           "core.hookspath",
                                                           "core.pager",
                                                           "core.editor",
                                                           "core.fsmonitor",
                                                           "core.askpass",
                                                           "core.gitproxy",
                                                           "core.alternaterefscommand",
                                                           "core.attributesfile",
                                                           "sequence.editor",
                                                           "diff.external",
                                                           "gpg.program",
                                                           "uploadpack.packobjectshook",
                                                           "init.templatedir",
                                                           "interactive.difffilter",
                                                           "include.path",
                                                           "credential.helper"};
constexpr std::array<std::string_view, 10> kProgramFamilies = {
    "alias.",     "protocol.", "filter.", "pager.",     "difftool.",
    "mergetool.", "browser.",  "man.",    "includeif.", "guitool."};
constexpr std::array<std::string_view, 11> kProgramEnds = {
    ".textconv", ".command", ".cmd", ".driver", ".uploadpack", ".receivepack",
    ".helper",   ".program", ".vcs", ".update", ".process"};
// Values without an effect of their own.
constexpr std::string_view kPlainValues = "cat true false : less vi vim /dev/null";

bool runs_program(std::string_view setting) {
  const std::size_t sign = setting.find('=');
  std::string key(setting.substr(0, sign));
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_plain =
      sign != std::string_view::npos &&
      (sign + 1 == setting.size() || has_word(kPlainValues, setting.substr(sign + 1)));
  const auto starts = [&key](std::string_view part) { return key.starts_with(part); };
  const auto ends = [&key](std::string_view part) { return key.ends_with(part); };
  return !is_plain && (is_in(kProgramKeys, key) ||
                       std::any_of(kProgramFamilies.begin(), kProgramFamilies.end(), starts) ||
                       std::any_of(kProgramEnds.begin(), kProgramEnds.end(), ends));
}

// The arguments from the subcommand on; adds notes about settings in front of it.
std::span<const Word> from_subcommand(const Call& call, Notes* notes) {
  constexpr OptionTable kOptions = {
      "C c git-dir work-tree namespace config-env attr-source super-prefix",
      "p paginate P no-pager bare no-replace-objects literal-pathspecs glob-pathspecs "
      "noglob-pathspecs icase-pathspecs no-optional-locks exec-path html-path version help v h",
      ""};
  const Options read = read_options(call.arguments, 0, kOptions);
  for (const Word& setting : read.values_of("c config-env")) {
    if (notes == nullptr) break;
    if (runs_program(setting.text)) notes->add(NoteKind::changes_lookup, setting.text);
  }
  for (const Word& word : call.arguments.first(read.end)) {
    const bool is_path = notes != nullptr && word.text.starts_with("--exec-path=");
    if (is_path) notes->add(NoteKind::changes_lookup, word.text);
  }
  return call.arguments.subspan(read.end);
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
  if (verb == "rm") return rest.has_flag('f', "--force");
  if (verb == "stash") return rest.has_option({"drop", "clear"});
  if (verb == "reflog") return rest.has_option({"expire", "delete"});
  if (verb == "update-ref") return rest.has_option({"-d"});
  if (verb == "worktree") return rest.has_option({"remove"}) && rest.has_flag('f', "--force");
  return verb == "filter-branch" || verb == "filter-repo";
}

void note_config(const Call& rest, const std::string& line, Notes& notes) {
  if (rest.has_option({"--get", "--get-all", "--get-regexp", "--list", "-l"})) return;
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
  const std::vector<Word> settings =
      verb == "clone" ? rest.values_of("c config") : std::vector<Word>();
  for (const Word& setting : settings) {
    if (runs_program(setting.text)) notes.add(NoteKind::changes_lookup, setting.text);
  }
  for (const Word& word : rest.arguments) {  // the address of a program that answers
    if (word.text.starts_with("ext::")) notes.add(NoteKind::runs_unknown, "git " + line);
  }
  notes.add(NoteKind::git, line);
}

}  // namespace parley::shell
