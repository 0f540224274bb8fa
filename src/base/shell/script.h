// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The commands of a shell script, as bash reads it: quotes, expansions, here-documents, pipes,
// compound commands, functions. Nothing is expanded or run.
namespace parley::shell {

// Limit (Shell commands): a command that is explained. Reached: the rest is called not understood.
inline constexpr std::size_t kMaxScriptBytes = 256U << 10U;
// Limit (Shell commands): commands of an explained script. Reached: the rest is called not
// understood.
inline constexpr std::size_t kMaxCommands = 2'000;
// Limit (Shell commands): nesting of its commands. Reached: the rest is called not understood.
inline constexpr int kMaxDepth = 32;  // of nested lists, substitutions and quotes

// Positions [begin, end) in Script::commands.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
  bool operator==(const Span&) const = default;
};

struct Word {
  std::string text;      // without quotes; expansions stay as they are written
  bool is_fixed = true;  // false: an expansion or a pattern decides when the script runs
  Span inner;            // commands of substitutions within the word
  Span sink;             // those of ">(...)", which read what the command writes
};

struct Redirect {
  enum class Kind : std::uint8_t {
    read,
    write,      // creates or overwrites
    append,     // and reading and writing, "<>"
    text,       // a here-document or here-string; its target is the text
    duplicate,  // "2>&1"; "<&3" reads /dev/fd/3
  };
  Kind kind = Kind::read;
  bool is_input = false;  // the standard input
  Word target;
};

struct Command {
  std::vector<Word> assignments;  // "NAME=value" in front of the name
  std::vector<Word> words;  // the name and its arguments; empty: redirections of a group alone
  std::vector<Redirect> redirects;
  Span feed;  // the commands whose output it reads: before it in its pipeline, or around ">(...)"
  // The position of a group's redirections, which give this command its standard input; 0: none.
  std::size_t input = 0;
  std::size_t scope = 0;  // the subshell it runs in
  // Commands up to this position run only if this one succeeds ("&&"); 0: none.
  std::size_t guards_until = 0;
};

struct Function {
  std::string name;
  Span body;
};

struct Script {
  std::vector<Command> commands;          // in the order in which their ends are read
  std::vector<std::size_t> scopes = {0};  // the subshell around each subshell; 0 is the script
  std::vector<Function> functions;
  // The part that was not understood, as a sentence with an excerpt; `commands` has those before
  // it. Empty: the whole text was understood.
  std::string problem;
};

// The language of a text. Where shells differ and a command could be missed, the text counts as not
// understood.
enum class Dialect : std::uint8_t {
  bash,
  posix,  // "sh", which may be another shell: "((" begins subshells, "[[" is a program
};

Script parse_script(std::string_view text, Dialect dialect = Dialect::bash);

}  // namespace parley::shell
