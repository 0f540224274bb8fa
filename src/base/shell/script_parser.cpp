// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/script_parser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

// Reserved words that end a list.
constexpr std::array<std::string_view, 8> kClosing = {"then", "do",   "done", "fi",
                                                      "elif", "else", "esac", "}"};

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 12> kOpening = {"if",     "while", "until", "for",
                                                         "select", "case",  "[[",    "function",
                                                         "coproc", "!",     "{",     "time"};
  return is_in(kClosing, word) || is_in(kOpening, word);
}

// "NAME=", "NAME+=" or "NAME[x]=" in front of a word.
bool is_assignment(std::string_view written) {
  const std::size_t sign = written.find('=');
  if (sign == std::string_view::npos || sign == 0) return false;
  std::string_view name = written.substr(0, sign);
  if (name.ends_with('+')) name.remove_suffix(1);
  if (name.ends_with(']')) name = name.substr(0, name.find('['));
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

void ScriptParser::parse_all() {
  list();
  if (!at_end()) fail("A part of a command has no beginning");
}

bool ScriptParser::at_closing() const {
  if (peek() == ')' || looks_at(";;") || looks_at(";&")) return true;
  return std::any_of(kClosing.begin(), kClosing.end(),
                     [this](std::string_view name) { return at_word(name); });
}

// Stops before the word or sign that closes it.
void ScriptParser::list() {
  const Level level(*this);
  if (!level) return;
  for (;;) {
    skip_lines();
    if (at_end() || at_closing()) return;
    and_or();
    skip_blanks();
    if (at_end() || at_closing() || peek() == '\n') continue;
    if (!take(";") && !take("&")) {
      fail("A command goes on in an unknown way");
      return;
    }
  }
}

void ScriptParser::and_or() {
  std::vector<std::size_t> guards;  // since the last "||"
  for (;;) {
    pipeline();
    skip_blanks();
    const bool is_and = take("&&");
    const bool is_or = !is_and && take("||");
    if (is_and && is_guard_) guards.push_back(script_.commands.size() - 1);
    if (!is_and) {
      for (const std::size_t i : guards) script_.commands[i].guards_until = script_.commands.size();
      guards.clear();
    }
    if (!is_and && !is_or) return;
    skip_lines();
    if (at_end()) fail("A command is missing");
    if (at_end()) return;
  }
}

void ScriptParser::pipeline() {
  skip_blanks();
  bool is_negated = false;
  for (;; skip_blanks()) {
    if (take_word("!")) {
      is_negated = !is_negated;
    } else if (take_word("time")) {
      skip_blanks();
      if (take_word("-p")) skip_blanks();
      take_word("--");
    } else {
      break;
    }
  }
  const Span around = feed_;
  const std::size_t begin = script_.commands.size();
  for (;;) {
    command();
    skip_blanks();
    const bool is_pipe = take("|&") || (!looks_at("||") && take("|"));
    if (!is_pipe) break;
    is_negated = true;  // of a pipeline, only the last command decides
    feed_ = {begin, script_.commands.size()};
    skip_lines();
    if (at_end()) {
      fail("A command is missing");
      break;
    }
  }
  is_guard_ = is_guard_ && !is_negated;
  feed_ = around;
}

void ScriptParser::command() {
  const Level level(*this);
  is_guard_ = false;
  if (!level) return;
  skip_blanks();
  if (!compound()) simple();
}

// False: the next command is a simple one.
bool ScriptParser::compound() {
  const std::size_t begin = script_.commands.size();
  const bool is_posix = dialect_ == Dialect::posix;
  if (looks_at("((") && !is_posix) {
    Word ignored;
    if (arithmetic(ignored)) return true;
  }
  if (peek() == '(') {
    subshell();
  } else if (take_word("{")) {
    list();
    expect_word("}");
  } else if (take_word("if")) {
    condition();
  } else if (take_word("while") || take_word("until")) {
    list();
    loop();
  } else if (take_word("for") || take_word("select")) {
    each();
  } else if (take_word("case")) {
    choice();
  } else if (at_word("[[") && is_posix) {
    fail("A test is not understood");
  } else if (take_word("[[")) {
    test();
  } else if (take_word("function")) {
    skip_blanks();
    const Word name = word();
    function_after(name.text);
    return true;
  } else if (at_word("coproc")) {
    fail("A coprocess is not understood");
    return true;
  } else {
    return false;
  }
  redirects_of_group(begin);
  is_guard_ = false;
  return true;
}

void ScriptParser::subshell() {
  const std::size_t around = scope_;
  scope_ = script_.scopes.size();
  script_.scopes.push_back(around);
  take("(");
  list();
  scope_ = around;
  if (!take(")")) fail("\")\" is missing");
}

void ScriptParser::condition() {
  list();
  expect_word("then");
  list();
  skip_lines();
  while (take_word("elif")) {
    list();
    expect_word("then");
    list();
    skip_lines();
  }
  if (take_word("else")) list();
  expect_word("fi");
}

void ScriptParser::loop() {
  expect_word("do");
  list();
  expect_word("done");
}

void ScriptParser::each() {
  skip_blanks();
  if (looks_at("((")) {
    Word ignored;
    if (!arithmetic(ignored)) fail("A loop is not understood");
  } else {
    word();
    skip_lines();
    if (take_word("in")) {
      for (skip_blanks(); !at_end() && peek() != ';' && peek() != '\n'; skip_blanks()) {
        const std::size_t begin = at_;
        word();
        if (at_ == begin) fail("A loop is not understood");
      }
    }
  }
  skip_blanks();
  take(";");
  loop();
}

void ScriptParser::choice() {
  skip_blanks();
  word();
  expect_word("in");
  for (skip_lines(); !at_end() && !at_word("esac"); skip_lines()) {
    take("(");
    for (skip_blanks(); !at_end() && peek() != ')'; skip_blanks()) {
      const std::size_t begin = at_;
      word();
      skip_blanks();
      take("|");
      if (at_ == begin) fail("A pattern is not understood");
    }
    take(")");
    list();
    if (!take(";;&") && !take(";;")) take(";&");
  }
  expect_word("esac");
}

// "[[ ... ]]", whose operators look like redirections.
void ScriptParser::test() {
  for (skip_lines(); !at_end() && !at_word("]]"); skip_lines()) {
    const std::size_t begin = at_;
    word();
    if (at_ == begin) ++at_;
    // It begins no comment within a pattern.
    if (at_ > begin && peek() == '#') fail("A test is not understood");
  }
  expect_word("]]");
}

// Behind the name of a function and, if it had them, its parentheses.
void ScriptParser::function_after(std::string_view name) {
  skip_blanks();
  if (take("(")) {
    skip_blanks();
    if (!take(")")) fail("\")\" is missing");
  }
  skip_lines();
  const std::size_t begin = script_.commands.size();
  std::string text(name);
  command();
  script_.functions.push_back({std::move(text), {begin, script_.commands.size()}});
}

// The group's commands begin at `begin`.
void ScriptParser::redirects_of_group(std::size_t begin) {
  Command group;
  std::vector<Document> documents;
  const std::size_t end = script_.commands.size();
  for (skip_blanks(); at_redirect(); skip_blanks()) {
    if (!redirect(group, documents)) return;
  }
  if (group.redirects.empty()) return;
  const bool has_input = std::any_of(group.redirects.begin(), group.redirects.end(),
                                     [](const Redirect& each) { return each.is_input; });
  append(std::move(group), std::move(documents));
  if (!script_.problem.empty()) return;
  for (std::size_t i = begin; has_input && i < end; ++i) {
    Command& command = script_.commands[i];
    if (command.feed == feed_ && command.input == 0) command.input = script_.commands.size() - 1;
  }
}

// False: the script has failed.
bool ScriptParser::redirect(Command& command, std::vector<Document>& documents) {
  const std::size_t number = at_;
  while (std::isdigit(static_cast<unsigned char>(peek())) != 0) ++at_;
  const std::string_view from = text_.substr(number, at_ - number);
  const bool is_reading = peek() == '<';
  using Kind = Redirect::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 11> kSigns = {{{"<<<", Kind::text},
                                                                         {"<&", Kind::duplicate},
                                                                         {"<>", Kind::append},
                                                                         {"<", Kind::read},
                                                                         {"&>>", Kind::append},
                                                                         {"&>", Kind::write},
                                                                         {">>", Kind::append},
                                                                         {">|", Kind::write},
                                                                         {">&", Kind::duplicate},
                                                                         {">", Kind::write},
                                                                         {"", Kind::read}}};
  Document document;
  Redirect created;
  const bool is_document = looks_at("<<") && !looks_at("<<<");
  if (is_document) {
    document.strips_tabs = take("<<-");
    if (!document.strips_tabs) take("<<");
    created.kind = Kind::text;
  } else {
    const auto* const sign = std::find_if(kSigns.begin(), kSigns.end(),
                                          [this](const auto& row) { return take(row.first); });
    created.kind = sign->second;
  }
  skip_blanks();
  const std::size_t begin = at_;
  created.target = word();
  if (at_ == begin) {
    fail("A redirection has no target");
    return false;
  }
  const std::string& target = created.target.text;
  created.is_input = from == "0" || (from.empty() && is_reading);
  if (created.kind == Kind::duplicate && target != "-") {
    const bool names_file = target.find_first_not_of("0123456789-") != std::string::npos;
    if (names_file && !is_reading) created.kind = Kind::write;
    if (is_reading || created.is_input) {
      created.kind = Kind::read;
      created.target.text.insert(0, "/dev/fd/");
    }
  }
  if (is_document) {
    document.delimiter = target;
    std::string written(text_.substr(begin, at_ - begin));
    for (std::size_t at; (at = written.find("\\\n")) != std::string::npos;) written.erase(at, 2);
    document.is_literal = written.find_first_of("\\'\"") != std::string::npos;
    if (written.find_first_of("$`") != std::string::npos) fail("A here-document is not understood");
    document.redirect = command.redirects.size();
    documents.push_back(std::move(document));
  }
  command.redirects.push_back(std::move(created));
  return true;
}

// Behind "NAME=(".
void ScriptParser::array_values() {
  for (skip_lines(); !at_end() && peek() != ')'; skip_lines()) {
    const std::size_t begin = at_;
    word();
    if (at_ == begin) fail("A list of values is not understood");
  }
  if (!take(")")) fail("\")\" is missing");
  if (!at_end() && !at_delimiter()) fail("A list of values is not understood");
}

void ScriptParser::simple() {
  Command created;
  std::vector<Document> documents;
  for (skip_blanks(); !at_end(); skip_blanks()) {
    if (at_redirect()) {
      if (!redirect(created, documents)) return;
      continue;
    }
    const std::size_t begin = at_;
    Word next = word();
    if (at_ == begin) break;
    const std::string_view written = text_.substr(begin, at_ - begin);
    if (written.ends_with('=') && take("(")) array_values();
    const bool is_first = created.words.empty();
    const bool is_split = written.find("\\\n") != std::string_view::npos;
    if (is_first && is_split && is_reserved(next.text)) fail("A word is not understood");
    if (is_first && is_assignment(written)) {
      created.assignments.push_back(std::move(next));
      continue;
    }
    created.words.push_back(std::move(next));
    skip_blanks();
    if (is_first && peek() == '(') {
      function_after(created.words.front().text);
      return;
    }
  }
  is_guard_ = true;
  if (created.words.empty() && created.assignments.empty() && created.redirects.empty()) {
    if (!at_end()) fail("A command is missing");
    return;
  }
  append(std::move(created), std::move(documents));
}

void ScriptParser::append(Command command, std::vector<Document> documents) {
  if (script_.commands.size() >= kMaxCommands) {
    fail("It has too many commands");
    return;
  }
  for (Document& document : documents) {
    document.command = script_.commands.size();
    documents_.push_back(std::move(document));
  }
  command.feed = feed_;
  command.scope = scope_;
  const std::size_t own = script_.commands.size();
  const auto feed_sink = [&](const Word& word) {
    for (std::size_t i = word.sink.begin; i < word.sink.end; ++i) {
      if (script_.commands[i].feed == feed_) script_.commands[i].feed = {own, own + 1};
    }
  };
  for (const Word& word : command.words) feed_sink(word);
  for (const Redirect& each : command.redirects) feed_sink(each.target);
  script_.commands.push_back(std::move(command));
}

Script parse_script(std::string_view text, Dialect dialect) {
  Script script;
  if (text.size() > kMaxScriptBytes) {
    script.problem = "It is too long to be explained";
    return script;
  }
  int retries = 0;
  ScriptParser(text, script, dialect, retries).parse_all();
  return script;
}

}  // namespace parley::shell
