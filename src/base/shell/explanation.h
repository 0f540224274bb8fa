// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell/place.h"
#include "base/shell/script.h"

namespace parley::shell {

// One fact about a command. The dangers come first in the order of their weight.
enum class NoteKind : std::uint8_t {
  runs_download,  // a shell or interpreter runs what the network answers
  runs_decoded,   // or what was decoded from base64 and the like
  runs_unknown,   // or a text that is only known when the command runs
  hidden_characters,
  administrator,   // sudo and its like
  deletes_widely,  // recursively or by a pattern or variable, or outside the project
  overwrites_device,
  rewrites_remote,  // a forced push, a deleted branch or tag on the server
  discards_work,    // changes that git has not kept
  sends_file,       // a file goes to the network
  secret,           // keys, passwords, tokens
  writes_outside,   // changes a file outside the project
  runs_later,       // files that other programs run: start-up files, git hooks, cron
  opens_rights,     // chmod 777, setuid, ownership
  stops_machine,    // the machine, its services or all processes
  changes_remote,   // deletes or changes what runs elsewhere: kubectl delete, terraform destroy
  changes_lookup,   // PATH, LD_PRELOAD and the like
  endless_processes,
  last_danger = endless_processes,

  program,   // a program that runs
  own_code,  // code of another language, which is not examined
  script,    // a script file or a task of the project, whose content is not shown here
  network,   // a host, or a program that uses the network
  remote_command,
  installs,
  git,  // what changes in the repository or on its server
  deletes,
  changes,  // creates or changes a file in the project
  outside,  // names a file outside the project without changing it
  stops_process,
};

constexpr bool is_danger(NoteKind kind) { return kind <= NoteKind::last_danger; }

struct Note {
  NoteKind kind = NoteKind::program;
  std::string subject;  // a path, host, program or part of the command, not yet made visible
  bool operator==(const Note&) const = default;
};

// Limit (Shell commands): notes; dangers are kept longest. Reached: further ones are dropped.
inline constexpr std::size_t kMaxNotes = 64;
// Scripts and commands in the arguments of commands, as of "sh -c" and "find -exec".
// Limit (Shell commands): scripts within each other. Reached: the rest is called not understood.
inline constexpr int kMaxScriptsWithin = 8;
// Limit (Shell commands): bytes of scripts within each other. Reached: the rest is called not
// understood.
inline constexpr std::size_t kMaxBytesWithin = 2 * kMaxScriptBytes;  // of all such scripts

// The notes about a shell command, found by reading it: nothing is run, no file is opened, and no
// rule of thumb guesses what a program does that is not known. A person decides; the notes say
// where to look.
struct Explanation {
  std::vector<Note> notes;  // each once; dangers first, then in the order of the command
  bool has_more = false;    // more than kMaxNotes were found
  // The part that was not understood, as a sentence; empty: all was read.
  std::string problem;
};

// Takes time in proportion to the command, at most kMaxScriptBytes of it.
Explanation explain(std::string_view command, const Place& place);

}  // namespace parley::shell
