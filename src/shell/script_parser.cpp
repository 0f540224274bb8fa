// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "shell/script_parser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace parley::shell {
namespace {

// Reserved words that end a list.
constexpr std::array<std::string_view, 8> kClosing = {"then", "do",   "done", "fi",
                                                      "elif", "else", "esac", "}"};

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

void ScriptParser::guard_next(std::size_t begin) {
  for (std::size_t i = begin; i < script_.commands.size(); ++i) {
    script_.commands[i].guards_next = true;
  }
}

void ScriptParser::and_or() {
  for (;;) {
    const std::size_t begin = script_.commands.size();
    pipeline();
    skip_blanks();
    const bool is_and = take("&&");
    if (!is_and && !take("||")) return;
    if (is_and) guard_next(begin);
    skip_lines();
    if (at_end()) fail("A command is missing");
    if (at_end()) return;
  }
}

void ScriptParser::pipeline() {
  skip_blanks();
  while (take_word("!") || take_word("time")) skip_blanks();
  const Span around = feed_;
  const std::size_t begin = script_.commands.size();
  for (;;) {
    command();
    skip_blanks();
    const bool is_pipe = take("|&") || (!looks_at("||") && take("|"));
    if (!is_pipe) break;
    feed_ = {begin, script_.commands.size()};
    skip_lines();
    if (at_end()) {
      fail("A command is missing");
      break;
    }
  }
  feed_ = around;
}

void ScriptParser::command() {
  const Level level(*this);
  if (!level) return;
  skip_blanks();
  if (!compound()) simple();
}

// False: the next command is a simple one.
bool ScriptParser::compound() {
  if (looks_at("((")) {
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
  redirects_of_group();
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
  std::string kept(name);
  command();
  script_.functions.push_back({std::move(kept), {begin, script_.commands.size()}});
}

void ScriptParser::redirects_of_group() {
  Command group;
  std::vector<Document> documents;
  for (skip_blanks(); at_redirect(); skip_blanks()) {
    if (!redirect(group, documents)) return;
  }
  if (!group.redirects.empty()) append(std::move(group), std::move(documents));
}

// False: the script has failed.
bool ScriptParser::redirect(Command& command, std::vector<Document>& documents) {
  while (std::isdigit(static_cast<unsigned char>(peek())) != 0) ++at_;
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
  Redirect made;
  const bool is_document = looks_at("<<") && !looks_at("<<<");
  if (is_document) {
    document.strips_tabs = take("<<-");
    if (!document.strips_tabs) take("<<");
    made.kind = Kind::text;
  } else {
    const auto* const sign = std::find_if(kSigns.begin(), kSigns.end(),
                                          [this](const auto& row) { return take(row.first); });
    made.kind = sign->second;
  }
  skip_blanks();
  const std::size_t begin = at_;
  made.target = word();
  if (at_ == begin) {
    fail("A redirection has no target");
    return false;
  }
  const std::string& target = made.target.text;
  const bool names_file = target.find_first_not_of("0123456789-") != std::string::npos;
  if (made.kind == Kind::duplicate && names_file) made.kind = Kind::write;
  if (is_document) {
    document.delimiter = target;
    document.is_literal =
        text_.substr(begin, at_ - begin).find_first_of("\\'\"") != std::string_view::npos;
    document.redirect = command.redirects.size();
    documents.push_back(std::move(document));
  }
  command.redirects.push_back(std::move(made));
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
}

void ScriptParser::simple() {
  Command made;
  std::vector<Document> documents;
  for (skip_blanks(); !at_end(); skip_blanks()) {
    if (at_redirect()) {
      if (!redirect(made, documents)) return;
      continue;
    }
    const std::size_t begin = at_;
    Word next = word();
    if (at_ == begin) break;
    const std::string_view written = text_.substr(begin, at_ - begin);
    if (made.words.empty() && is_assignment(written)) {
      if (written.ends_with('=') && take("(")) array_values();
      made.assignments.push_back(std::move(next));
    } else if (made.words.empty() && peek() == '(') {
      function_after(next.text);
      return;
    } else {
      made.words.push_back(std::move(next));
    }
  }
  if (made.words.empty() && made.assignments.empty() && made.redirects.empty()) {
    if (!at_end()) fail("A command is missing");
    return;
  }
  append(std::move(made), std::move(documents));
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
  script_.commands.push_back(std::move(command));
}

Script parse_script(std::string_view text) {
  Script script;
  if (text.size() > kMaxScriptBytes) {
    script.problem = "It is too long to be explained";
    return script;
  }
  ScriptParser(text, script, 0, 0, {}).parse_all();
  return script;
}

}  // namespace parley::shell
