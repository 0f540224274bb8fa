// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "shell/explanation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/visible_text.h"
#include "shell/call.h"
#include "shell/file_notes.h"
#include "shell/notes.h"
#include "shell/program_notes.h"
#include "shell/word_table.h"

namespace parley::shell {
namespace {

constexpr std::size_t kMaxFolders = 4;  // that a command may run in, after several "cd"
constexpr std::array<std::string_view, 6> kShells = {"sh", "bash", "zsh", "dash", "ksh", "ash"};
constexpr std::array<std::string_view, 16> kInterpreters = {
    "python", "python2", "python3", "perl", "ruby",      "node", "deno", "bun",
    "php",    "lua",     "pwsh",    "fish", "osascript", "awk",  "gawk", "tclsh"};
constexpr std::array<std::string_view, 13> kLookups = {
    "PATH",     "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV",
    "ENV",      "GIT_SSH",    "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF",     "NODE_OPTIONS",
    "PERL5OPT", "PYTHONPATH", "PROMPT_COMMAND"};
// Programs without an effect of their own, which are not worth a note.
constexpr std::array<std::string_view, 24> kQuiet = {
    "cd",    "echo",   "printf", "true",  "false", ":",    "[",      "test",
    "pwd",   "export", "set",    "unset", "read",  "exit", "return", "local",
    "shift", "source", ".",      "eval",  "wait",  "trap", "pushd",  "popd"};

// The origin of a command's output.
enum class Source : std::uint8_t { other, decoded, network };

// Notes about all commands of one script, in their order.
class Explainer {
 public:
  Explainer(const Place& place, Notes& notes) : place_(place), notes_(notes) {}

  void read(std::string_view text, std::vector<std::string> folders, int level);

 private:
  struct State {
    Script script;
    std::vector<Source> sources;  // of the commands so far
    // The folders of each scope, once it has a command.
    std::vector<std::optional<std::vector<std::string>>> folders;
    int level = 0;
  };

  void note(State& state, const Command& command);
  void note_call(State& state, const Call& call);
  bool note_interpreter(State& state, const Call& call);
  void note_shell(State& state, const Call& call);
  void note_input(State& state, const Call& call);
  void note_eval(State& state, const Call& call);
  void note_sourced(State& state, const Call& call);
  void note_found(State& state, const Call& call);
  void note_text(State& state, const Call& call, const Word& word);
  void note_functions(const State& state);
  void change_folder(State& state, const Call& call);
  std::vector<std::string>& folders_of(State& state, std::size_t scope);
  static Source source_of(const State& state, Span span);
  static std::optional<std::string> printed(const State& state, Span span);

  const Place& place_;
  Notes& notes_;
};

std::vector<std::string>& Explainer::folders_of(State& state, std::size_t scope) {
  std::size_t known = scope;
  while (!state.folders[known]) known = state.script.scopes[known];
  if (known != scope) state.folders[scope] = state.folders[known];
  return *state.folders[scope];
}

Source Explainer::source_of(const State& state, Span span) {
  Source found = Source::other;
  while (!span.empty()) {
    for (std::size_t i = span.begin; i < span.end && i < state.sources.size(); ++i) {
      found = std::max(found, state.sources[i]);
    }
    const Span before = state.script.commands[span.begin].feed;
    if (before.begin >= span.begin) break;
    span = before;
  }
  return found;
}

// The text that the commands print, if it is written in the script: by "echo", "printf" or "cat"
// with a here-document.
std::optional<std::string> Explainer::printed(const State& state, Span span) {
  if (span.end - span.begin != 1) return std::nullopt;
  const Command& command = state.script.commands[span.begin];
  if (!command.feed.empty() || command.words.empty() || !command.words.front().is_fixed) {
    return std::nullopt;
  }
  const std::string& name = command.words.front().text;
  if (name == "cat" && command.words.size() == 1 && command.redirects.size() == 1) {
    const Redirect& redirect = command.redirects.front();
    const bool is_text = redirect.kind == Redirect::Kind::text && redirect.target.is_fixed;
    return is_text ? std::optional(redirect.target.text) : std::nullopt;
  }
  if ((name != "echo" && name != "printf") || !command.redirects.empty()) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const Word& word = command.words[i];
    const bool is_changed = !word.is_fixed || word.text.find('\\') != std::string::npos ||
                            (name == "printf" && word.text.find('%') != std::string::npos);
    if (is_changed) return std::nullopt;
    if (name == "echo" && i == 1 && word.text == "-n") continue;
    out.append(out.empty() ? "" : " ").append(word.text);
  }
  return out;
}

void Explainer::read(std::string_view text, std::vector<std::string> folders, int level) {
  if (level > kMaxScriptsWithin) {
    notes_.problem("Scripts within scripts are nested too deeply");
    return;
  }
  State state;
  state.script = parse_script(text);
  state.level = level;
  state.folders.resize(state.script.scopes.size());
  state.folders[0] = std::move(folders);
  for (const Command& command : state.script.commands) note(state, command);
  note_functions(state);
  if (!state.script.problem.empty()) notes_.problem(std::move(state.script.problem));
}

void Explainer::note(State& state, const Command& command) {
  state.sources.push_back(Source::other);
  for (const Word& word : command.assignments) {
    const std::string name = word.text.substr(0, word.text.find_first_of("=+["));
    if (is_in(kLookups, name)) notes_.add(NoteKind::changes_lookup, word.text);
  }
  const std::vector<std::string> folders = folders_of(state, command.scope);
  for (const Redirect& redirect : command.redirects) {
    note_redirect(redirect, folders, place_, notes_);
  }
  const std::optional<Call> call = call_of(command, command.words, folders);
  if (!call) return;
  const Source fed = source_of(state, command.feed);
  Source own = uses_network(*call) ? Source::network
               : decodes(*call)    ? Source::decoded
                                   : Source::other;
  state.sources.back() = std::max(own, fed);
  note_call(state, *call);
}

void Explainer::note_call(State& state, const Call& call) {
  if (call.name.empty()) {
    const Command& command = *call.command;
    notes_.add(NoteKind::runs_unknown, command.words.empty() ? "" : command.words.front().text);
    return;
  }
  const auto& functions = state.script.functions;
  const bool is_own = std::any_of(functions.begin(), functions.end(),
                                  [&](const Function& each) { return each.name == call.name; });
  if (!is_own && !is_in(kQuiet, call.name)) notes_.add(NoteKind::program, call.name);
  note_program(call, notes_);
  if (call.name == "cd" || call.name == "pushd" || call.name == "popd") {
    change_folder(state, call);
  } else if (call.name == "export" || call.name == "declare") {
    for (const Word& word : call.arguments) {
      if (is_in(kLookups, word.text.substr(0, word.text.find('=')))) {
        notes_.add(NoteKind::changes_lookup, word.text);
      }
    }
  } else if (call.name == "eval" || call.name == "trap") {
    note_eval(state, call);
  } else if (call.name == "source" || call.name == ".") {
    note_sourced(state, call);
  } else if (!note_interpreter(state, call)) {
    note_found(state, call);
  }
  note_files(call, place_, notes_);
}

// "find ... -exec COMMAND ;" and "parallel COMMAND".
void Explainer::note_found(State& state, const Call& call) {
  if (call.name != "find" && call.name != "fd") return;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string& option = call.arguments[i].text;
    const bool starts = option == "-exec" || option == "-execdir" || option == "-ok" ||
                        option == "-okdir" || option == "-x" || option == "-X";
    if (!starts) continue;
    std::size_t end = i + 1;
    while (end < call.arguments.size() && call.arguments[end].text != ";" &&
           call.arguments[end].text != "+") {
      ++end;
    }
    std::optional<Call> inner =
        call_of(*call.command, call.arguments.subspan(i + 1, end - i - 1), call.folders);
    if (inner) {
      inner->takes_more = true;
      note_call(state, *inner);
    }
    i = end;
  }
}

void Explainer::change_folder(State& state, const Call& call) {
  const std::vector<const Word*> operands = call.operands();
  std::vector<std::string>& folders = folders_of(state, call.command->scope);
  std::optional<std::string> path;
  if (operands.empty() && call.name == "cd") path = "~";
  if (!operands.empty()) path = path_in(*operands.front());
  if (call.name == "popd" || (path && *path == "-")) path.reset();
  std::vector<std::string> changed;
  changed.reserve(2 * folders.size());
  for (const std::string& folder : folders) {
    changed.push_back(path ? absolute_path(*path, folder, place_) : std::string());
  }
  if (call.command->guards_until == 0)
    changed.insert(changed.end(), folders.begin(), folders.end());
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  if (changed.size() > kMaxFolders) changed.assign(1, {});
  folders = std::move(changed);
}

// A text that runs as a script: read in turn if it is known.
void Explainer::note_text(State& state, const Call& call, const Word& word) {
  if (word.is_fixed) {
    read(word.text, {call.folders.begin(), call.folders.end()}, state.level + 1);
    return;
  }
  const Source source = source_of(state, word.inner);
  notes_.add(source == Source::network   ? NoteKind::runs_download
             : source == Source::decoded ? NoteKind::runs_decoded
                                         : NoteKind::runs_unknown,
             call.line());
}

void Explainer::note_eval(State& state, const Call& call) {
  if (call.name == "trap") {
    if (call.arguments.size() > 1) note_text(state, call, call.arguments.front());
    return;
  }
  Word whole;
  for (const Word& word : call.arguments) {
    whole.text.append(whole.text.empty() ? "" : " ").append(word.text);
    whole.is_fixed = whole.is_fixed && word.is_fixed;
    if (word.inner.empty()) continue;
    if (whole.inner.empty()) whole.inner.begin = word.inner.begin;
    whole.inner.end = word.inner.end;
  }
  if (!whole.text.empty()) note_text(state, call, whole);
}

void Explainer::note_sourced(State& state, const Call& call) {
  if (call.arguments.empty()) return;
  const Word& file = call.arguments.front();
  if (file.is_fixed) {
    notes_.add(NoteKind::script, call.line());
  } else {
    note_text(state, call, file);
  }
}

// True if the call is one of a shell or an interpreter.
bool Explainer::note_interpreter(State& state, const Call& call) {
  if (is_in(kShells, call.name)) {
    note_shell(state, call);
    return true;
  }
  const std::string_view plain = std::string_view(call.name).substr(0, call.name.find('.'));
  if (!is_in(kInterpreters, plain)) {
    const bool is_file = !call.command->words.empty() && call.name.ends_with(".sh");
    if (is_file) notes_.add(NoteKind::script, call.line());
    return is_file;
  }
  const bool has_code = call.has_flag('c', "--command") || call.has_flag('e', "--eval") ||
                        plain == "awk" || plain == "gawk";
  const bool is_module = call.has_flag('m', "") || call.has_option({"--version", "-V", "-v"});
  if (has_code) {
    // Code with a substitution in it is not the text that is shown.
    for (const Word& word : call.arguments) {
      if (!word.inner.empty()) note_text(state, call, word);
    }
    notes_.add(NoteKind::own_code, plain);
  } else if (!call.operands().empty() && call.operands().front()->text != "-" && !is_module) {
    const Word& file = *call.operands().front();
    if (file.inner.empty()) {
      notes_.add(NoteKind::script, call.line());
    } else {
      note_text(state, call, file);
    }
  } else if (!is_module) {
    note_input(state, call);
  }
  return true;
}

void Explainer::note_shell(State& state, const Call& call) {
  bool reads_text = false;
  for (const Word& word : call.arguments) {
    const std::string_view text(word.text);
    const bool is_option = (text.starts_with('-') || text.starts_with('+')) && text.size() > 1;
    if (is_option) {
      const bool is_short = text[0] == '-' && text[1] != '-';
      reads_text = reads_text || (is_short && text.find('c') != std::string_view::npos);
      if (is_short && text == "-s") break;
      continue;
    }
    if (reads_text || !word.inner.empty()) {
      note_text(state, call, word);
    } else if (text != "-" && text != "/dev/stdin") {
      notes_.add(word.is_fixed ? NoteKind::script : NoteKind::runs_unknown, call.line());
    } else {
      note_input(state, call);
    }
    return;
  }
  note_input(state, call);
}

// A shell or an interpreter that runs what it reads.
void Explainer::note_input(State& state, const Call& call) {
  const bool is_shell = is_in(kShells, call.name);
  for (const Redirect& redirect : call.command->redirects) {
    using Kind = Redirect::Kind;
    if (redirect.kind == Kind::read || (redirect.kind == Kind::text && is_shell)) {
      if (redirect.kind == Kind::read && redirect.target.is_fixed) {
        notes_.add(NoteKind::script, call.name + " < " + redirect.target.text);
      } else {
        note_text(state, call, redirect.target);
      }
      return;
    }
    if (redirect.kind == Kind::text) {
      notes_.add(NoteKind::own_code, call.name);
      return;
    }
  }
  const Span feed = call.command->feed;
  if (feed.empty()) return;
  const Command& first = state.script.commands[feed.begin];
  const std::string line =
      (first.words.empty() ? std::string() : first.words.front().text) + " … | " + call.line();
  const Source source = source_of(state, feed);
  if (source != Source::other) {
    notes_.add(source == Source::network ? NoteKind::runs_download : NoteKind::runs_decoded, line);
    return;
  }
  const std::optional<std::string> text = printed(state, feed);
  if (!text) {
    notes_.add(NoteKind::runs_unknown, line);
  } else if (is_shell) {
    read(*text, {call.folders.begin(), call.folders.end()}, state.level + 1);
  } else {
    notes_.add(NoteKind::own_code, call.name);
  }
}

// A function that starts itself twice, through a pipe: ":(){ :|:& };:".
void Explainer::note_functions(const State& state) {
  for (const Function& function : state.script.functions) {
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
      const Command& command = state.script.commands[i];
      const bool is_itself = !command.words.empty() && command.words.front().text == function.name;
      if (is_itself && !command.feed.empty()) {
        notes_.add(NoteKind::endless_processes, function.name);
      }
    }
  }
}

}  // namespace

Explanation explain(std::string_view command, const Place& place) {
  Notes notes;
  if (core::count_hidden(command) > 0) notes.add(NoteKind::hidden_characters, "");
  Explainer(place, notes).read(command, {place.directory}, 0);
  return notes.take();
}

}  // namespace parley::shell
