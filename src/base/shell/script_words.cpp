// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "base/shell/script_parser.h"

namespace parley::shell {
namespace {

constexpr std::size_t kMaxExcerptBytes = 40;
constexpr int kMaxRetries = 8;
constexpr std::string_view kDelimiters = " \t\n;&|<>()";

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

ScriptParser::Level::Level(ScriptParser& parser)
    : parser_(parser), is_allowed_(++parser.depth_ <= kMaxDepth) {
  if (!is_allowed_) parser_.fail("It is nested too deeply");
}

void ScriptParser::fail(std::string_view what) {
  if (script_.problem.empty()) {
    const std::string rest = core::visible_line(
        core::utf8_truncate(text_.substr(std::min(at_, text_.size())), kMaxExcerptBytes));
    script_.problem = std::string(what) + (rest.empty() ? " at the end" : ": " + rest);
  }
  at_ = text_.size();
  documents_.clear();
}

bool ScriptParser::take(std::string_view part) {
  if (!looks_at(part)) return false;
  at_ += part.size();
  return true;
}

bool ScriptParser::at_delimiter() const {
  return kDelimiters.find(peek()) != std::string_view::npos;
}

bool ScriptParser::at_word(std::string_view name) const {
  if (!looks_at(name)) return false;
  std::size_t end = at_ + name.size();
  while (text_.substr(std::min(end, text_.size())).starts_with("\\\n")) end += 2;
  return end >= text_.size() || kDelimiters.find(text_[end]) != std::string_view::npos;
}

bool ScriptParser::take_word(std::string_view name) {
  if (!at_word(name)) return false;
  at_ += name.size();
  return true;
}

void ScriptParser::expect_word(std::string_view name) {
  skip_lines();
  if (!take_word(name)) fail("\"" + std::string(name) + "\" is missing");
}

// Blanks, line continuations and comments.
void ScriptParser::skip_blanks() {
  for (;;) {
    if (peek() == ' ' || peek() == '\t') {
      ++at_;
    } else if (looks_at("\\\n")) {
      at_ += 2;
    } else if (peek() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

void ScriptParser::skip_lines() {
  for (skip_blanks(); peek() == '\n'; skip_blanks()) take_line_end();
}

void ScriptParser::take_line_end() {
  ++at_;
  std::vector<Document> begun;
  begun.swap(documents_);
  for (const Document& document : begun) read_document(document);
}

void ScriptParser::read_document(const Document& document) {
  std::string body;
  bool has_end = false;
  while (!at_end() && !has_end) {
    std::string line;
    for (bool goes_on = true; goes_on;) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line += text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      const std::size_t last = line.find_last_not_of('\\') + 1;  // npos + 1 is 0
      goes_on = !document.is_literal && (line.size() - last) % 2 == 1 && !at_end();
      if (goes_on) line.pop_back();
    }
    if (document.strips_tabs) line.erase(0, line.find_first_not_of('\t'));
    has_end = line == document.delimiter;
    if (!has_end) body.append(line).push_back('\n');
  }
  if (!has_end) fail("A here-document has no end");
  Word text;
  if (document.is_literal) {
    text.text = std::move(body);
  } else {
    text = ScriptParser(body, *this, scope_).parse_document();
  }
  script_.commands[document.command].redirects[document.redirect].target = std::move(text);
}

Word ScriptParser::parse_document() {
  Word word;
  double_quoted(word, true);
  return word;
}

bool ScriptParser::at_redirect() const {
  std::size_t at = at_;
  while (at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])) != 0) ++at;
  const std::string_view rest = text_.substr(at);
  if (rest.starts_with("<(") || rest.starts_with(">(")) return false;
  return rest.starts_with('<') || rest.starts_with('>') || looks_at("&>");
}

Word ScriptParser::word() {
  Word word;
  // Parts of an expansion like {a,b} or {1..9}, which becomes several words.
  bool has_brace = false;
  bool has_list = false;
  while (!at_end()) {
    const char c = peek();
    if ((c == '<' || c == '>') && peek(1) == '(') {
      ++at_;
      const std::size_t first = script_.commands.size();
      substitution(word);
      if (c == '>') {
        word.sink = {word.sink.empty() ? first : word.sink.begin, script_.commands.size()};
      }
      continue;
    }
    if (kDelimiters.find(c) != std::string_view::npos) break;
    if (peek(1) == '(' && std::string_view("?*+@!").find(c) != std::string_view::npos) {
      pattern_group(word);
    } else if (c == '\\' || c == '\'' || c == '"') {
      quoted(word);
    } else if (c == '$') {
      dollar(word, false);
    } else if (c == '`') {
      back_quoted(word, false);
    } else {
      const bool is_class = c == '[' && kDelimiters.find(peek(1)) == std::string_view::npos;
      has_brace = has_brace || c == '{';
      has_list = has_brace && (has_list || c == ',' || looks_at(".."));
      if (c == '*' || c == '?' || is_class || (c == '}' && has_list)) word.is_fixed = false;
      word.text.push_back(c);
      ++at_;
    }
  }
  return word;
}

void ScriptParser::quoted(Word& word) {
  if (take("\\")) {
    if (!at_end() && peek() != '\n') word.text.push_back(peek());
    if (!at_end()) ++at_;
    return;
  }
  if (take("\"")) {
    double_quoted(word, false);
    return;
  }
  const std::size_t end = text_.find('\'', at_ + 1);
  if (end == std::string_view::npos) {
    fail("A quotation mark has no end");
    return;
  }
  word.text.append(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
}

void ScriptParser::double_quoted(Word& word, bool to_end) {
  const Level level(*this);
  if (!level) return;
  while (!at_end()) {
    const char c = peek();
    if (c == '"' && !to_end) {
      ++at_;
      return;
    }
    if (c == '\\' && at_ + 1 < text_.size()) {
      const char next = peek(1);
      const std::string_view escaped = to_end ? "$`\\\n" : "$`\"\\\n";
      if (escaped.find(next) == std::string_view::npos) {
        word.text.push_back(c);
      }
      if (next != '\n') word.text.push_back(next);
      at_ += 2;
    } else if (c == '$') {
      dollar(word, true);
    } else if (c == '`') {
      back_quoted(word, !to_end);
    } else {
      word.text.push_back(c);
      ++at_;
    }
  }
  if (!to_end) fail("A quotation mark has no end");
}

// $'...', behind its "$'". Unicode and control escapes stay as they are written; a NUL ends the
// text.
void ScriptParser::ansi_quoted(Word& word) {
  constexpr std::string_view kEscapes = "abefnrtv\\'\"?";
  constexpr std::string_view kBytes = "\a\b\x1b\f\n\r\t\v\\'\"?";
  std::size_t end = std::string::npos;
  while (!at_end()) {
    const char c = peek();
    ++at_;
    if (c == '\'') {
      word.text.resize(std::min(end, word.text.size()));
      return;
    }
    if (c != '\\' || at_end()) {
      word.text.push_back(c);
      continue;
    }
    const char escape = peek();
    ++at_;
    int value = -1;
    const std::size_t known = kEscapes.find(escape == 'E' ? 'e' : escape);
    if (known != std::string_view::npos) {
      word.text.push_back(kBytes[known]);
    } else if (escape == 'x' && hex_digit(peek()) >= 0) {
      value = 0;
      for (int i = 0; i < 2 && hex_digit(peek()) >= 0; ++i, ++at_) {
        value = value * 16 + hex_digit(peek());
      }
    } else if (is_octal(escape)) {
      value = escape - '0';
      for (int i = 0; i < 2 && is_octal(peek()); ++i, ++at_) value = value * 8 + (peek() - '0');
    } else {
      word.text.append({'\\', escape});
      word.is_fixed = false;
    }
    if (value >= 0 && value % 256 == 0) end = std::min(end, word.text.size());
    if (value >= 0) word.text.push_back(static_cast<char>(value % 256));
  }
  fail("A quotation mark has no end");
}

// At "$".
void ScriptParser::dollar(Word& word, bool in_quotes) {
  const std::size_t begin = at_;
  const char next = peek(1);
  if (!in_quotes && (next == '\'' || next == '"')) {
    if (next == '\'' && dialect_ == Dialect::posix) {
      fail("A quotation mark is not understood");
      return;
    }
    at_ += 2;
    if (next == '"') {
      double_quoted(word, false);
    } else {
      ansi_quoted(word);
    }
    return;
  }
  if (next == '(') {
    ++at_;
    if (peek(1) != '(') {
      substitution(word);
    } else if (!arithmetic(word)) {
      fail("An expression is not understood");
    }
    return;
  }
  if (next == '{') {
    parameter(word, in_quotes);
    return;
  }
  if (next == '[' || (next == '\\' && peek(2) == '\n')) {
    fail("An expansion is not understood");
    return;
  }
  ++at_;
  if (is_name_start(next)) {
    while (is_name(peek())) ++at_;
  } else if (next != '\0' && (std::isdigit(static_cast<unsigned char>(next)) != 0 ||
                              std::string_view("@*#?-$!").find(next) != std::string_view::npos)) {
    ++at_;
  } else {
    word.text.push_back('$');
    return;
  }
  word.is_fixed = false;
  word.text.append(text_.substr(begin, at_ - begin));
}

// "${...}", with the substitutions in it.
void ScriptParser::parameter(Word& word, bool in_quotes) {
  const Level level(*this);
  if (!level) return;
  word.is_fixed = false;
  word.text.append("${");
  at_ += 2;
  // "${ commands; }"
  if (std::string_view(" \t\n|").find(peek()) != std::string_view::npos) {
    fail("An expansion is not understood");
  }
  while (!at_end() && peek() != '}') {
    const char c = peek();
    if (c == '\'' && in_quotes) {
      fail("A quotation mark in an expansion is not understood");  // shells differ
    } else if (c == '\\' || c == '\'' || c == '"') {
      quoted(word);
    } else if (c == '$') {
      dollar(word, in_quotes);
    } else if (c == '`') {
      back_quoted(word, in_quotes);
    } else {
      word.text.push_back(c);
      ++at_;
    }
  }
  if (at_end()) {
    fail("\"${\" has no end");
    return;
  }
  word.text.push_back('}');
  ++at_;
}

// At the first of "((". False: it is no expression but "$( (", and nothing was read.
bool ScriptParser::arithmetic(Word& word) {
  const Level level(*this);
  if (!level || !script_.problem.empty()) return true;
  if (retries_ >= kMaxRetries) {
    fail("It has too many nested parentheses");
    return true;
  }
  const std::size_t begin = at_;
  const std::size_t scopes = script_.scopes.size();
  const std::size_t commands = script_.commands.size();
  const std::size_t functions = script_.functions.size();
  const std::vector<Document> documents = documents_;
  Word inside;
  inside.inner = word.inner;
  int open = 0;
  at_ += 2;
  while (!at_end()) {
    const char c = peek();
    if (c == ')' && open == 0) break;
    if (c == '$') {
      dollar(inside, true);
      continue;
    }
    if (c == '`') {
      back_quoted(inside, false);
      continue;
    }
    if (c == '\\' || c == '"') {
      quoted(inside);
      continue;
    }
    if (c == '\'') {
      quoted_in_arithmetic(inside);
      continue;
    }
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    ++at_;
  }
  if (take("))")) {
    word.text.append("$").append(text_.substr(begin, at_ - begin));
    word.is_fixed = false;
    word.inner = inside.inner;
    return true;
  }
  ++retries_;
  at_ = begin;
  script_.commands.resize(commands);
  script_.scopes.resize(scopes);
  script_.functions.resize(functions);
  script_.problem.clear();
  documents_ = documents;
  return false;
}

// '...', which hides parentheses, but not the expansions within.
void ScriptParser::quoted_in_arithmetic(Word& word) {
  Word text;
  quoted(text);
  const std::size_t first = script_.commands.size();
  ScriptParser(text.text, *this, scope_).parse_document();
  if (script_.commands.size() == first) return;
  if (word.inner.empty()) word.inner.begin = first;
  word.inner.end = script_.commands.size();
}

// The text from `begin` on, whose commands are those from `first` on, is a part of the word.
void ScriptParser::add_substitution(Word& word, std::size_t begin, std::size_t first) {
  word.is_fixed = false;
  word.text.append(text_.substr(begin, at_ - begin));
  if (word.inner.empty()) word.inner.begin = first;
  word.inner.end = script_.commands.size();
}

// At the parenthesis of "$(", "<(" or ">(".
void ScriptParser::substitution(Word& word) {
  const Level level(*this);
  if (!level) return;
  const std::size_t begin = at_ - 1;
  const std::size_t first = script_.commands.size();
  const std::size_t around = scope_;
  scope_ = script_.scopes.size();
  script_.scopes.push_back(around);
  ++at_;
  list();
  scope_ = around;
  if (!take(")")) {
    fail("\")\" is missing");
    return;
  }
  add_substitution(word, begin, first);
}

void ScriptParser::back_quoted(Word& word, bool in_quotes) {
  const Level level(*this);
  if (!level) return;
  const std::size_t begin = at_++;
  std::string inside;
  while (!at_end() && peek() != '`') {
    if (take("\\\n")) continue;
    const std::string_view escaped = in_quotes ? "$`\\\"" : "$`\\";
    const bool escapes =
        peek() == '\\' && escaped.find(peek(1)) != std::string_view::npos && at_ + 1 < text_.size();
    if (escapes) ++at_;
    inside.push_back(peek());
    ++at_;
  }
  if (at_end()) {
    fail("A back quote has no end");
    return;
  }
  ++at_;
  const std::size_t first = script_.commands.size();
  const std::size_t scope = script_.scopes.size();
  script_.scopes.push_back(scope_);
  ScriptParser(inside, *this, scope).parse_all();
  if (!script_.problem.empty()) {
    fail("");
    return;
  }
  add_substitution(word, begin, first);
}

// "@(a|b)" and its like.
void ScriptParser::pattern_group(Word& word) {
  int open = 0;
  word.is_fixed = false;
  do {
    const char c = peek();
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '$') {
      dollar(word, false);
      continue;
    }
    if (c == '`') {
      back_quoted(word, false);
      continue;
    }
    if (c == '\\' || c == '\'' || c == '"') {
      quoted(word);
      if (word.text.ends_with(')')) word.text.push_back(' ');  // it closes no group
      continue;
    }
    // Patterns of other shells run commands.
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '\n' &&
        std::string_view("?*+@!()|._-/[] ").find(c) == std::string_view::npos) {
      fail("A pattern is not understood");
      return;
    }
    word.text.push_back(c);
    ++at_;
  } while (!at_end() && (open > 0 || word.text.back() != ')'));
  if (open > 0) fail("\")\" is missing");
}

}  // namespace parley::shell
