// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/shell/script.h"

namespace parley::shell {

// Appends the commands of one text to a script by recursive descent. After a fault each function
// finds the end of the text and returns.
class ScriptParser {
 public:
  // All must outlive the parser. `retries` counts those of one script.
  ScriptParser(std::string_view text, Script& script, Dialect dialect, int& retries)
      : text_(text), script_(script), retries_(retries), dialect_(dialect) {}
  // Reads a text within that of `around`.
  ScriptParser(std::string_view text, const ScriptParser& around, std::size_t scope)
      : text_(text),
        script_(around.script_),
        retries_(around.retries_),
        dialect_(around.dialect_),
        depth_(around.depth_),
        scope_(scope),
        feed_(around.feed_) {}

  void parse_all();
  // Reads the text as if it were in double quotes: the body of a here-document.
  Word parse_document();

 private:
  struct Document {  // a here-document whose body begins on the next line
    std::string delimiter;
    bool strips_tabs = false;
    bool is_literal = false;
    std::size_t command = 0;
    std::size_t redirect = 0;
  };
  // Counts one level of nesting; false: too deep, and the script has failed.
  class Level {
   public:
    explicit Level(ScriptParser& parser);
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    explicit operator bool() const { return is_allowed_; }

   private:
    ScriptParser& parser_;
    bool is_allowed_;
  };

  // Grammar (script_parser.cpp).
  void list();
  void and_or();
  void pipeline();
  void command();
  bool compound();
  void simple();
  void subshell();
  void condition();
  void loop();
  void each();
  void choice();
  void test();
  void function_after(std::string_view name);
  void redirects_of_group(std::size_t begin);
  bool redirect(Command& command, std::vector<Document>& documents);
  void array_values();
  void append(Command command, std::vector<Document> documents);

  // Words (script_words.cpp).
  Word word();
  void quoted(Word& word);
  void double_quoted(Word& word, bool to_end);
  void ansi_quoted(Word& word);
  void dollar(Word& word, bool in_quotes);
  void parameter(Word& word, bool in_quotes);
  bool arithmetic(Word& word);
  void quoted_in_arithmetic(Word& word);
  void substitution(Word& word);
  void back_quoted(Word& word, bool in_quotes);
  void add_substitution(Word& word, std::size_t begin, std::size_t first);
  void pattern_group(Word& word);

  // Characters (script_words.cpp).
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looks_at(std::string_view part) const { return text_.substr(at_).starts_with(part); }
  bool take(std::string_view part);
  bool at_word(std::string_view name) const;
  bool take_word(std::string_view name);
  void expect_word(std::string_view name);
  bool at_closing() const;
  bool at_delimiter() const;
  bool at_redirect() const;
  void skip_blanks();
  void skip_lines();
  void take_line_end();
  void read_document(const Document& document);
  void fail(std::string_view what);

  std::string_view text_;
  Script& script_;
  int& retries_;  // of "((", which may begin an expression or a subshell
  Dialect dialect_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t scope_ = 0;
  Span feed_;              // of the pipeline around the current command
  bool is_guard_ = false;  // the last pipeline was one simple command without "!"
  std::vector<Document> documents_;
};

}  // namespace parley::shell
