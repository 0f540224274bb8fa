// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/text_index.h"

#include <set>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/utf8_repair.h"

namespace parley::sql {
namespace {

struct Character {
  char32_t code = 0;
  std::string_view bytes;
};

// The first character of well-formed UTF-8.
Character first_character(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80U) return {lead, text.substr(0, 1)};
  const std::size_t size = lead >= 0xf0U ? 4 : lead >= 0xe0U ? 3 : 2;
  char32_t code = lead & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = (code << 6U) | (byte(i) & 0x3fU);
  return {code, text.substr(0, size)};
}

bool between(char32_t code, char32_t low, char32_t high) { return code >= low && code <= high; }

// True for a script without spaces between words.
bool is_unspaced(char32_t code) {
  return between(code, 0x3400, 0x4dbf) || between(code, 0x4e00, 0x9fff) ||    // Han
         between(code, 0x3040, 0x30ff) || between(code, 0xac00, 0xd7af) ||    // kana, Hangul
         between(code, 0xf900, 0xfaff) || between(code, 0x20000, 0x3ffff) ||  // Han, further
         between(code, 0x0e00, 0x0eff) || between(code, 0x1780, 0x17ff);      // Thai, Lao, Khmer
}

bool is_word_part(char32_t code) {
  if (code < 0x80) {
    return between(code, '0', '9') || between(code, 'a', 'z') || between(code, 'A', 'Z');
  }
  // Excludes punctuation and symbols; all other characters belong to words.
  return !between(code, 0x80, 0xbf) && !between(code, 0x2000, 0x2bff) &&
         !between(code, 0x3000, 0x303f) && !between(code, 0xff00, 0xff0f) &&
         !between(code, 0xff1a, 0xff20) && code != 0xfffd;
}

// A word of a query: a run of characters that all belong to spaced, or all to unspaced scripts.
struct Word {
  std::vector<std::string_view> characters;
  bool unspaced = false;
};

std::vector<Word> words_of(std::string_view clean) {
  std::vector<Word> out;
  bool open = false;  // the next character may continue the last word
  while (!clean.empty()) {
    const Character character = first_character(clean);
    clean.remove_prefix(character.bytes.size());
    const bool unspaced = is_unspaced(character.code);
    if (!is_word_part(character.code)) {
      open = false;
      continue;
    }
    if (!open || out.back().unspaced != unspaced) out.push_back({{}, unspaced});
    out.back().characters.push_back(character.bytes);
    open = true;
  }
  return out;
}

std::string joined(const Word& word, std::string_view between) {
  std::string out;
  for (const std::string_view character : word.characters) {
    if (!out.empty()) out += between;
    out += character;
  }
  return out;
}

// How an engine writes the expressions that its index is asked with.
struct Notation {
  std::string_view quote;       // around a word
  std::string_view neighbours;  // between the characters of a word without spaces
  std::string_view any;
  std::string_view all;
  std::string_view goes_on;  // behind the start of a word
};
constexpr Notation kFts5 = {"\"", " ", " OR ", " AND ", " *"};
constexpr Notation kTsquery = {"'", "' <-> '", " | ", " & ", ":*"};

const Notation& notation_of(Engine engine) { return engine == Engine::sqlite ? kFts5 : kTsquery; }

// The terms of an expression, each once, at most kMaxQueryWords.
class Terms {
 public:
  Terms(const Notation& notation, TextIndex::Match match)
      : notation_(notation),
        operation_(match == TextIndex::Match::any ? notation.any : notation.all) {}

  void add(const Word& word, bool goes_on = false) {
    std::string phrase = joined(word, word.unspaced ? notation_.neighbours : "");
    if (seen_.size() == TextIndex::kMaxQueryWords || !seen_.insert(phrase).second) return;
    if (!expression_.empty()) expression_ += operation_;
    expression_.append(notation_.quote).append(phrase).append(notation_.quote);
    if (goes_on) expression_ += notation_.goes_on;
  }
  std::string take() { return std::move(expression_); }

 private:
  const Notation& notation_;
  const std::string_view operation_;
  std::set<std::string> seen_;
  std::string expression_;
};

// The indexed form of a text: spaces around each character of a script without spaces.
std::string searchable(std::string_view text) {
  const std::string clean = core::repaired_utf8(text);
  std::string out;
  for (std::string_view rest = clean; !rest.empty();) {
    const Character character = first_character(rest);
    rest.remove_prefix(character.bytes.size());
    if (character.code == 0) continue;
    if (is_unspaced(character.code)) {
      out.append(" ").append(character.bytes).append(" ");
    } else {
      out.append(character.bytes);
    }
  }
  return out;
}

// The configuration parley_words of a schema: words by their stem, without a list of words that are
// left out, and without accents if the database has the extension that takes them off.
std::string make_words(const std::string& schema) {
  const std::string words = schema + ".parley_words";
  return "DO $make$ DECLARE plain TEXT; BEGIN"
         " IF EXISTS (SELECT FROM pg_ts_config WHERE cfgname = 'parley_words' AND cfgnamespace = "
         "'" +
         schema +
         "'::regnamespace) THEN RETURN; END IF;"
         " BEGIN CREATE EXTENSION IF NOT EXISTS unaccent; EXCEPTION WHEN OTHERS THEN NULL; END;"
         " SELECT quote_ident(nspname) || '.unaccent, ' INTO plain FROM pg_ts_dict"
         " JOIN pg_namespace ON pg_namespace.oid = dictnamespace WHERE dictname = 'unaccent' LIMIT "
         "1;"
         " CREATE TEXT SEARCH DICTIONARY " +
         schema +
         ".parley_stem (TEMPLATE = snowball, LANGUAGE = english);"
         " CREATE TEXT SEARCH CONFIGURATION " +
         words +
         " (COPY = pg_catalog.simple);"
         " EXECUTE 'ALTER TEXT SEARCH CONFIGURATION " +
         words +
         " ALTER MAPPING FOR asciiword, word, asciihword, hword, hword_asciipart, hword_part WITH '"
         " || coalesce(plain, '') || '" +
         schema +
         ".parley_stem';"
         " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $make$;";
}

core::Result<void> make_tsvector(Database& database, const std::string& name) {
  const std::string sql = make_words(database.file_name()) + " CREATE TABLE IF NOT EXISTS " + name +
                          " (row BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);" +
                          " CREATE INDEX IF NOT EXISTS " + name + "_words ON " + name +
                          " USING gin (words)";
  database.know_tables("CREATE TABLE " + name);
  return database.execute(sql.c_str());
}

std::string tsquery_of(const Database& database) {
  return "to_tsquery('" + database.file_name() + ".parley_words', ?1)";
}

}  // namespace

core::Result<void> TextIndex::make(Database& database) const {
  if (database.engine() == Engine::postgres) return make_tsvector(database, name_);
  const std::string sql = "CREATE VIRTUAL TABLE IF NOT EXISTS " + name_ +
                          " USING fts5(words, tokenize = 'porter unicode61 remove_diacritics 2')";
  return database.execute(sql.c_str());
}

core::Result<void> TextIndex::put(Database& database, std::int64_t id,
                                  std::string_view text) const {
  if (database.engine() == Engine::sqlite) {
    return database.run("INSERT INTO " + name_ + " (rowid, words) VALUES (?1, ?2)", id,
                        searchable(text));
  }
  return database.run("INSERT INTO " + name_ + " (row, words) VALUES (?1, to_tsvector('" +
                          database.file_name() + ".parley_words', ?2))",
                      id, searchable(text));
}

core::Result<void> TextIndex::remove(Database& database, std::int64_t id) const {
  const std::string key = database.engine() == Engine::sqlite ? "rowid" : "row";
  return database.run("DELETE FROM " + name_ + " WHERE " + key + " = ?1", id);
}

std::string TextIndex::matching(const Database& database, std::string_view columns,
                                std::string_view table, std::string_view condition) const {
  const bool is_sqlite = database.engine() == Engine::sqlite;
  std::string sql = "SELECT ";
  sql.append(columns).append(" FROM " + name_ + " JOIN ").append(table).append(" ON id = " + name_);
  sql += is_sqlite ? ".rowid WHERE " + name_ + " MATCH ?1"
                   : ".row WHERE " + name_ + ".words @@ " + tsquery_of(database);
  return sql.append(" AND ").append(condition);
}

std::string TextIndex::query(const Database& database, std::string_view columns,
                             std::string_view table, std::string_view condition) const {
  const std::string order =
      database.engine() == Engine::sqlite
          ? "bm25(" + name_ + ")"
          : "-ts_rank_cd(" + name_ + ".words, " + tsquery_of(database) + ", 1)";
  return matching(database, columns, table, condition) + " ORDER BY " + order;
}

std::string TextIndex::expression(Engine engine, std::string_view text, Match match) {
  const std::string clean = core::repaired_utf8(text);
  const std::vector<Word> words = words_of(clean);
  Terms terms(notation_of(engine), match);
  for (const Word& word : words) {
    // Most words have two characters, and a query rarely has the exact wording of the text.
    for (std::size_t i = 1; match == Match::any && word.unspaced && i < word.characters.size();
         ++i) {
      terms.add({{word.characters[i - 1], word.characters[i]}, true});
    }
    const bool goes_on = match == Match::all && !word.unspaced && &word == &words.back();
    terms.add(word, goes_on);
  }
  return terms.take();
}

std::vector<std::string> TextIndex::words(std::string_view text) {
  const std::string clean = core::lowered(core::repaired_utf8(text));
  std::vector<std::string> out;
  for (const Word& word : words_of(clean)) {
    if (out.size() < kMaxQueryWords) out.push_back(joined(word, ""));
  }
  return out;
}

}  // namespace parley::sql
