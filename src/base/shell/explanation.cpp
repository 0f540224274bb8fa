// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/explanation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/core/visible_text.h"
#include "base/shell/call.h"
#include "base/shell/carried.h"
#include "base/shell/file_notes.h"
#include "base/shell/interpreters.h"
#include "base/shell/notes.h"
#include "base/shell/program_notes.h"
#include "base/shell/script.h"
#include "base/shell/sources.h"
#include "base/shell/word_table.h"
#include "base/shell/wrappers.h"

namespace parley::shell {

namespace {

// Beginnings of names, which stand for families of variables.
constexpr std::array<std::string_view, 5> kFamilies = {"LD_", "DYLD_", "GIT_CONFIG", "BASH_FUNC_",
                                                       "npm_config_"};
constexpr std::string_view kNames =
    "PATH BASH_ENV ENV PROMPT_COMMAND PS0 PS4 SHELLOPTS ZDOTDIR FPATH GIT_SSH GIT_SSH_COMMAND "
    "GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_EXEC_PATH "
    "GIT_TEMPLATE_DIR NODE_OPTIONS NODE_PATH PERL5OPT PERL5LIB PERL5DB PYTHONPATH PYTHONSTARTUP "
    "PYTHONHOME PYTHONBREAKPOINT RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS LESSOPEN "
    "LESSCLOSE RUSTC RUSTC_WRAPPER RSYNC_RSH MAKEFLAGS MAKESHELL SHELL BROWSER";
// Programs that show or edit texts; common values of them have no effect of their own.
constexpr std::string_view kViewers =
    "EDITOR VISUAL PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER MANPAGER";
constexpr std::string_view kPlainViewers = "cat true : more less vi vim nano /bin/cat /bin/true";

// A note if the word "NAME=value", or "NAME" alone, sets a variable that decides which programs
// run.
void note_lookup(const Word& word, Notes& notes) {
  const std::string_view text(word.text);
  const std::string_view name = text.substr(0, text.find_first_of("=+["));
  const std::size_t sign = text.find('=');
  const std::string_view value = sign == std::string_view::npos ? "" : text.substr(sign + 1);
  const bool is_viewer =
      has_word(kViewers, name) && !value.empty() && !has_word(kPlainViewers, value);
  const bool is_family =
      std::any_of(kFamilies.begin(), kFamilies.end(),
                  [name](std::string_view each) { return name.starts_with(each); });
  if (is_viewer || is_family || has_word(kNames, name)) {
    notes.add(NoteKind::changes_lookup, text);
  }
}

constexpr std::size_t kMaxFolders = 4;  // that a command may run in, after several "cd"
// Programs without an effect of their own, which are not worth a note.
constexpr std::string_view kQuiet =
    "cd echo printf true false : [ test pwd export set unset read exit return local shift source . "
    "eval wait trap pushd popd declare typeset readonly";
constexpr std::string_view kDeclarers = "export declare typeset readonly local";

NoteKind kind_of(Source source) {
  if (source == Source::network) return NoteKind::runs_download;
  return source == Source::decoded ? NoteKind::runs_decoded : NoteKind::runs_unknown;
}

void add_folders(std::vector<std::string>& folders, const std::vector<std::string>& more) {
  folders.insert(folders.end(), more.begin(), more.end());
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  if (folders.size() > kMaxFolders) folders.assign(1, {});
}

// Notes about all commands of one script, in their order.
class Explainer {
 public:
  Explainer(const Place& place, Notes& notes) : place_(place), notes_(notes) {}

  // `fed`: the origin of what the script finds on its standard input; std::nullopt: nothing is
  // known to write there.
  Source read(std::string_view text, Dialect dialect, std::vector<std::string> folders,
              std::optional<Source> fed);

 private:
  // The folders in front of a "cd" whose list ends at a command: there it may have failed.
  struct Guard {
    std::size_t until = 0;
    std::size_t scope = 0;
    std::vector<std::string> folders;
  };
  struct State {
    explicit State(Script read) : script(std::move(read)), sources(script) {}
    Script script;
    Sources sources;
    // The folders of each scope, once it has a command.
    std::vector<std::optional<std::vector<std::string>>> folders;
    std::vector<Guard> guards;
    std::set<std::string_view> readers;  // functions that run what they read
    std::optional<Source> fed;
    Dialect dialect = Dialect::bash;
  };
  // Counts a script or command within another one; false: too deep.
  class Within {
   public:
    explicit Within(Explainer& explainer);
    ~Within() { --explainer_.depth_; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
    explicit operator bool() const { return explainer_.depth_ <= kMaxScriptsWithin + 1; }

   private:
    Explainer& explainer_;
  };

  void note(State& state, std::size_t index);
  void note_call(State& state, Call call);
  void note_known(State& state, const Call& call);
  void note_carried(State& state, const Call& call);
  void note_interpreter(State& state, const Call& call, const Reading& reading);
  void note_input(State& state, const Call& call, bool is_shell);
  void note_fed(State& state, const Call& call, bool is_shell);
  void note_eval(State& state, const Call& call);
  void note_file(State& state, const Call& call, const Word& file, bool is_shell);
  void note_text(State& state, const Call& call, const Word& word);
  void note_functions(const State& state);
  void change_folder(State& state, const Call& call);
  void read_within(State& state, const Call& call, std::string_view text);
  std::vector<std::string>& folders_of(State& state, std::size_t scope);
  std::vector<std::string> moved(const std::vector<std::string>& folders,
                                 const std::optional<std::string>& path) const;
  static std::optional<Source> input_source(const State& state, const Call& call);
  static std::size_t position(const State& state, const Call& call) {
    return static_cast<std::size_t>(call.command - state.script.commands.data());
  }

  const Place& place_;
  Notes& notes_;
  int depth_ = 0;
  std::size_t bytes_left_ = kMaxBytesWithin;
  std::size_t commands_left_ = kMaxCommands;
};

Explainer::Within::Within(Explainer& explainer) : explainer_(explainer) {
  ++explainer.depth_;
  if (!*this) explainer.notes_.problem("Commands within commands are nested too deeply");
}

std::vector<std::string>& Explainer::folders_of(State& state, std::size_t scope) {
  std::size_t known = scope;
  while (!state.folders[known]) known = state.script.scopes[known];
  if (known != scope) state.folders[scope] = state.folders[known];
  return *state.folders[scope];
}

Source Explainer::read(std::string_view text, Dialect dialect, std::vector<std::string> folders,
                       std::optional<Source> fed) {
  const Within within(*this);
  if (!within) return Source::other;
  if (depth_ > 1 && text.size() > bytes_left_) {
    notes_.problem("The scripts within it are too long to be explained");
    return Source::other;
  }
  if (depth_ > 1) bytes_left_ -= text.size();
  State state(parse_script(text, dialect));
  state.dialect = dialect;
  state.fed = fed;
  state.folders.resize(state.script.scopes.size());
  state.folders[0] = std::move(folders);
  const std::size_t count = std::min(state.script.commands.size(), commands_left_);
  commands_left_ -= count;
  for (std::size_t i = 0; i < count; ++i) note(state, i);
  note_functions(state);
  if (count < state.script.commands.size()) notes_.problem("It has too many commands");
  if (!state.script.problem.empty()) notes_.problem(state.script.problem);
  return state.sources.of({0, state.script.commands.size()});
}

void Explainer::note(State& state, std::size_t index) {
  const Command& command = state.script.commands[index];
  std::erase_if(state.guards, [&](const Guard& guard) {
    if (guard.until > index) return false;
    add_folders(folders_of(state, guard.scope), guard.folders);
    return true;
  });
  for (const Word& word : command.assignments) note_lookup(word, notes_);
  const std::vector<std::string>& folders = folders_of(state, command.scope);
  for (const Redirect& redirect : command.redirects) {
    note_redirect(redirect, folders, place_, notes_);
  }
  if (!state.sources.call(index)) return;
  Call call = *state.sources.call(index);
  call.folders = folders;
  note_call(state, std::move(call));
}

void Explainer::note_call(State& state, Call call) {
  if (!call.problem.empty()) notes_.problem(call.problem);
  for (const Word& move : call.moves) call.folders = moved(call.folders, path_in(move));
  note_wrappers(call, notes_);
  for (const std::string& file : call.own_files) {
    notes_.add(NoteKind::script, file == call.title ? call.line() : file);
  }
  for (const Word* word : call.assignments) note_lookup(*word, notes_);
  for (const Word& text : call.scripts) note_text(state, call, text);
  const bool is_added = call.takes_more && call.name.find("{}") != std::string::npos;
  if (call.runs_added || is_added) note_fed(state, call, true);
  if (call.name.empty()) {
    notes_.add(NoteKind::runs_unknown, call.title);
    return;
  }
  note_known(state, call);
}

void Explainer::note_known(State& state, const Call& call) {
  const bool is_function = state.sources.function(call.name) != nullptr;
  const bool is_quiet = is_function || has_word(kQuiet, call.title);
  if (!is_quiet) notes_.add(NoteKind::program, call.title);
  note_program(call, notes_);
  if (uses_network(call)) state.sources.raise(position(state, call), Source::network);
  if (is_function && state.readers.contains(call.name)) note_input(state, call, true);
  const bool starts_shell = call.name == "su" || (call.name == "sudo" && !call.arguments.empty());
  if (starts_shell && carried_by(call).empty()) note_input(state, call, true);
  if (call.name == "make" && call.has_operand("-")) note_input(state, call, false);
  if (call.name == "cd" || call.name == "pushd" || call.name == "popd") {
    change_folder(state, call);
  } else if (has_word(kDeclarers, call.name)) {
    for (const Word& word : call.arguments) note_lookup(word, notes_);
  } else if (call.name == "eval" || call.name == "trap") {
    note_eval(state, call);
  } else if (call.name == "source" || call.name == ".") {
    const auto file = std::find_if(call.arguments.begin(), call.arguments.end(),
                                   [](const Word& word) { return word.text != "--"; });
    if (file != call.arguments.end()) note_file(state, call, *file, true);
  } else if (const std::optional<Reading> reading = reading_of(call)) {
    note_interpreter(state, call, *reading);
  } else if (call.name.ends_with(".sh")) {
    notes_.add(NoteKind::script, call.line());
  } else {
    note_carried(state, call);
  }
  note_files(call, place_, notes_);
}

void Explainer::note_carried(State& state, const Call& call) {
  for (const Carried& carried : carried_by(call)) {
    if (carried.words.empty()) {
      note_text(state, call, carried.text);
      continue;
    }
    std::optional<Call> inner = call_of(*call.command, carried.words);
    const Within within(*this);
    if (!inner || !within) continue;
    inner->takes_more = inner->takes_more || carried.takes_more;
    inner->folders = call.folders;
    note_call(state, std::move(*inner));
  }
}

std::vector<std::string> Explainer::moved(const std::vector<std::string>& folders,
                                          const std::optional<std::string>& path) const {
  std::vector<std::string> changed;
  changed.reserve(folders.size());
  for (const std::string& folder : folders) {
    changed.push_back(path ? absolute_path(*path, folder, place_) : std::string());
  }
  return changed;
}

void Explainer::change_folder(State& state, const Call& call) {
  const std::vector<const Word*> operands = call.operands();
  std::vector<std::string>& folders = folders_of(state, call.command->scope);
  std::optional<std::string> path;
  if (operands.empty() && call.name == "cd") path = "~";
  if (!operands.empty()) path = path_in(*operands.front());
  if (call.name == "popd" || (path && *path == "-")) path.reset();
  std::vector<std::string> changed;
  add_folders(changed, moved(folders, path));
  if (call.command->guards_until == 0) {
    add_folders(changed, folders);
  } else {
    state.guards.push_back({call.command->guards_until, call.command->scope, folders});
  }
  folders = std::move(changed);
}

void Explainer::read_within(State& state, const Call& call, std::string_view text) {
  constexpr std::string_view kBashes = "bash rbash zsh ksh mksh";
  constexpr std::string_view kBuiltIns = "eval trap source .";
  const Dialect dialect = has_word(kBuiltIns, call.name) ? state.dialect
                          : has_word(kBashes, call.name) ? Dialect::bash
                                                         : Dialect::posix;
  const Source created = read(text, dialect, call.folders, input_source(state, call));
  state.sources.raise(position(state, call), created);
}

// A text that runs as a script: read in turn if it is known.
void Explainer::note_text(State& state, const Call& call, const Word& word) {
  if (word.is_fixed) {
    read_within(state, call, word.text);
  } else {
    notes_.add(kind_of(state.sources.of(word.inner)), call.line());
  }
  // The arguments that xargs adds are a part of it.
  if (call.takes_more && word.text.find("{}") != std::string::npos) note_fed(state, call, true);
}

void Explainer::note_eval(State& state, const Call& call) {
  std::span<const Word> words = call.arguments;
  if (!words.empty() && words.front().text == "--") words = words.subspan(1);
  if (call.name == "trap") words = words.first(words.size() > 1 ? 1 : 0);
  if (!words.empty()) note_text(state, call, joined(words));
}

// A file that runs.
void Explainer::note_file(State& state, const Call& call, const Word& file, bool is_shell) {
  if (!file.inner.empty()) {
    note_text(state, call, file);
  } else if (is_input_file(file.text)) {
    note_input(state, call, is_shell);
  } else if ((is_shell && !file.is_fixed) || is_harmless_device(file.text)) {
    notes_.add(NoteKind::runs_unknown, call.line());
  } else {
    notes_.add(NoteKind::script, call.line());
  }
}

void Explainer::note_interpreter(State& state, const Call& call, const Reading& reading) {
  for (const Word& text : reading.texts) {
    // Code with a substitution in it is not the text that is shown.
    if (reading.is_shell || !text.inner.empty()) note_text(state, call, text);
    if (!reading.is_shell) notes_.add(NoteKind::own_code, call.name);
  }
  for (const Word& file : reading.files) note_file(state, call, file, reading.is_shell);
  if (reading.reads_input) note_input(state, call, reading.is_shell);
}

std::optional<Source> Explainer::input_source(const State& state, const Call& call) {
  const Redirect* const input = state.sources.input_of(*call.command);
  if (input != nullptr) {
    return is_network_device(input->target.text) ? Source::network
                                                 : state.sources.of(input->target.inner);
  }
  return call.command->feed.empty() ? state.fed : state.sources.of(call.command->feed);
}

// A shell or an interpreter that runs what it reads.
void Explainer::note_input(State& state, const Call& call, bool is_shell) {
  const auto& redirects = call.command->redirects;
  const bool is_remote = std::any_of(redirects.begin(), redirects.end(), [](const Redirect& each) {
    return is_network_device(each.target.text);
  });
  if (is_remote) {
    notes_.add(NoteKind::runs_download, call.line());
    return;
  }
  const Redirect* const input = state.sources.input_of(*call.command);
  if (input == nullptr) {
    note_fed(state, call, is_shell);
    return;
  }
  const Word& target = input->target;
  if (input->kind != Redirect::Kind::text && target.is_fixed && !is_harmless_device(target.text)) {
    notes_.add(NoteKind::script, call.title + " < " + target.text);
  } else if (input->kind != Redirect::Kind::text && target.is_fixed) {
    if (target.text != "/dev/null") notes_.add(NoteKind::runs_unknown, call.line());
  } else if (is_shell || !target.inner.empty()) {
    note_text(state, call, target);
  } else {
    notes_.add(NoteKind::own_code, call.name);
  }
}

// It runs what a pipe, or the caller of its script or function, writes to it.
void Explainer::note_fed(State& state, const Call& call, bool is_shell) {
  const Span feed = call.command->feed;
  const std::optional<Source> source = input_source(state, call);
  std::string line = call.line();
  if (!feed.empty()) {
    const Command& first = state.script.commands[feed.begin];
    line = (first.words.empty() ? std::string() : first.words.front().text) + " … | " + line;
    const std::optional<std::string> text = state.sources.printed(feed);
    const bool is_written = text && source == Source::other && !call.takes_more;
    if (is_written && is_shell) {
      read_within(state, call, *text);
      return;
    }
    if (is_written) {
      notes_.add(NoteKind::own_code, call.name);
      return;
    }
  }
  bool is_in_function = false;
  for (const Function& function : state.script.functions) {
    const std::size_t at = position(state, call);
    if (at < function.body.begin || at >= function.body.end) continue;
    is_in_function = true;
    state.readers.insert(function.name);
  }
  if (source || is_in_function || call.takes_more) {
    notes_.add(kind_of(source.value_or(Source::other)), line);
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
  Explainer(place, notes).read(command, Dialect::bash, {place.directory}, std::nullopt);
  return notes.take();
}

}  // namespace parley::shell
