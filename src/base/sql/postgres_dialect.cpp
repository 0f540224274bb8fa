// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/postgres_dialect.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/core/ascii.h"

namespace parley::sql {
namespace {

struct Token {
  std::string_view text;
  bool is_word = false;
  bool is_space = false;
};

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t end_of_quoted(std::string_view sql, std::size_t at) {
  const char quote = sql[at];
  for (++at; at < sql.size(); ++at) {
    if (sql[at] != quote) continue;
    if (at + 1 == sql.size() || sql[at + 1] != quote) return at + 1;
    ++at;
  }
  return sql.size();
}

// The words, quoted texts, spaces, comments and single characters of a statement.
std::vector<Token> tokens_of(std::string_view sql) {
  std::vector<Token> out;
  for (std::size_t at = 0; at < sql.size();) {
    const char c = sql[at];
    std::size_t end = at + 1;
    Token token;
    if (c == '\'' || c == '"') {
      end = end_of_quoted(sql, at);
    } else if (c == '-' && sql.substr(at).starts_with("--")) {
      end = std::min(sql.find('\n', at), sql.size());
      token.is_space = true;
    } else if (c == ' ' || c == '\n' || c == '\t') {
      while (end < sql.size() && (sql[end] == ' ' || sql[end] == '\n' || sql[end] == '\t')) ++end;
      token.is_space = true;
    } else if (is_word_part(c)) {
      while (end < sql.size() && is_word_part(sql[end])) ++end;
      token.is_word = true;
    }
    token.text = sql.substr(at, end - at);
    out.push_back(token);
    at = end;
  }
  return out;
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return upper(x) == upper(y); });
}

bool is(const Token& token, std::string_view word) {
  return token.is_word && same_word(token.text, word);
}

// The next token that is no space; an empty one at the end.
Token next(const std::vector<Token>& tokens, std::size_t at) {
  for (++at; at < tokens.size(); ++at) {
    if (!tokens[at].is_space) return tokens[at];
  }
  return {};
}

// True if the call whose name is at `at` has more than one argument.
bool has_arguments(const std::vector<Token>& tokens, std::size_t at) {
  int depth = 0;
  for (++at; at < tokens.size(); ++at) {
    if (tokens[at].is_space) continue;
    if (tokens[at].text == "(") ++depth;
    if (tokens[at].text == ")" && --depth == 0) return false;
    if (depth == 0) return false;
    if (depth == 1 && tokens[at].text == ",") return true;
  }
  return false;
}

struct Renamed {
  std::string_view from;
  std::string_view to;
};
constexpr std::array<Renamed, 4> kWords = {{
    {"LIKE", "ILIKE"},
    {"ifnull", "coalesce"},
    {"user", "\"user\""},  // a reserved word, and a column
    {"rowid", "ctid"},     // the order of insertion, in a migration
}};
constexpr std::array<Renamed, 4> kTypes = {{
    {"INTEGER", "BIGINT"},
    {"BLOB", "BYTEA"},
    {"REAL", "DOUBLE PRECISION"},
    {"TEXT", "TEXT COLLATE \"C\""},
}};
// A table's name follows one of these.
constexpr std::array<std::string_view, 7> kBeforeTables = {"FROM",  "JOIN",       "INTO", "UPDATE",
                                                           "TABLE", "REFERENCES", "ON"};

std::string_view renamed(std::string_view word, const auto& list) {
  for (const Renamed& each : list) {
    if (same_word(word, each.from)) return each.to;
  }
  return word;
}

// Types are in capitals, and names, such as that of a column `text`, are not.
std::string_view typed(std::string_view word) {
  for (const Renamed& each : kTypes) {
    if (word == each.from) return each.to;
  }
  return word;
}

// True if the definition of the column goes on with a collation of its own.
bool has_collation(const std::vector<Token>& tokens, std::size_t at) {
  for (++at; at < tokens.size(); ++at) {
    if (tokens[at].text == "," || tokens[at].text == ")" || tokens[at].text == ";") return false;
    if (is(tokens[at], "COLLATE")) return true;
  }
  return false;
}

}  // namespace

void PostgresDialect::add_tables(std::string_view ddl) {
  const std::vector<Token> all = tokens_of(ddl);
  std::vector<Token> words;
  for (const Token& token : all) {
    if (!token.is_space) words.push_back(token);
  }
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (!is(words[i], "CREATE") || !is(words[i + 1], "TABLE")) continue;
    std::size_t name = i + 2;
    if (is(words[name], "IF") && name + 3 < words.size()) name += 3;  // IF NOT EXISTS
    tables_.emplace(words[name].text);
  }
}

std::string PostgresDialect::statement(std::string_view sql) const {
  return translated(sql, false);
}

std::string PostgresDialect::tables(std::string_view ddl) const { return translated(ddl, true); }

std::string PostgresDialect::translated(std::string_view sql, bool ddl) const {
  const std::vector<Token> tokens = tokens_of(sql);
  std::string out;
  out.reserve(sql.size() + 64);
  bool before_table = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const Token behind = next(tokens, i);
    const bool has_own_collation = ddl && token.text == "TEXT" && has_collation(tokens, i);
    if (token.is_space || has_own_collation) {
      out += token.text;
      continue;
    }
    const bool table_here = std::exchange(before_table, false);
    if (token.text == "?") {
      out += '$';
    } else if (is(token, "x") && behind.text.starts_with('\'')) {
      out.append("'\\x").append(behind.text.substr(1)).append("::bytea");
      ++i;
    } else if (!token.is_word) {
      out += token.text;
    } else if (is(token, "NOCASE")) {
      out.append(schema_).append(".parley_nocase");
    } else if (table_here && tables_.contains(token.text)) {
      out.append(schema_).append(".").append(token.text);
    } else if ((is(token, "max") || is(token, "min")) && has_arguments(tokens, i)) {
      out += is(token, "max") ? "greatest" : "least";
    } else if (ddl && is(token, "INTEGER") && is(behind, "PRIMARY")) {
      out += "BIGINT GENERATED BY DEFAULT AS IDENTITY";
    } else if (ddl &&
               (is(token, "AUTOINCREMENT") || is(token, "STRICT") || token.text == "ROWID")) {
      // The list of a table's options may go on.
      if (behind.text == "," && !is(token, "AUTOINCREMENT")) {
        while (tokens[i].text != ",") ++i;
      }
    } else if (ddl && is(token, "WITHOUT") && is(behind, "ROWID")) {
      continue;
    } else {
      const std::string_view word = renamed(token.text, kWords);
      out += ddl ? typed(word) : word;
      for (const std::string_view each : kBeforeTables) before_table |= is(token, each);
      // Between a word and the name that it announces.
      before_table |= table_here && (is(token, "IF") || is(token, "NOT") || is(token, "EXISTS"));
    }
  }
  return out;
}

}  // namespace parley::sql
