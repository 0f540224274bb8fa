// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_text.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <utility>

namespace parley::model::offline {
namespace {

constexpr char kBlank = '\x01';

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_letter(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_path_char(char c) {
  constexpr std::string_view kMore = "_./~*?-+@%";
  return is_alnum(c) || kMore.find(c) != std::string_view::npos;
}

// --- paths -----------------------------------------------------------------------------------

constexpr std::array<std::string_view, 9> kKnownFiles = {
    "Makefile", "Dockerfile",  "README",  "LICENSE",     "CHANGELOG",
    "Gemfile",  "Jenkinsfile", "AUTHORS", "CONTRIBUTING"};
constexpr std::array<std::string_view, 8> kNotPaths = {"and/or", "he/she", "yes/no", "e.g",
                                                       "i.e",    "on/off", "n/a",    "true/false"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "a.txt", ".gitignore": a name with an extension of letters and digits that begins with a letter.
bool has_extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view extension = name.substr(dot + 1);
  if (extension.empty() || extension.size() > 10 || !is_letter(extension[0])) return false;
  return std::all_of(extension.begin(), extension.end(),
                     [](char c) { return is_alnum(c) || c == '_' || c == '-'; });
}

std::string_view without_end_marks(std::string_view token) {
  while (!token.empty() && (token.back() == '.' || token.back() == '?' || token.back() == '-')) {
    if (token == "." || token == "..") break;
    token.remove_suffix(1);
  }
  return token;
}

bool is_number(std::string_view token) {
  if (!token.empty() && (token[0] == '-' || token[0] == '+')) token.remove_prefix(1);
  const std::size_t dot = token.find('.');
  const std::string_view whole = token.substr(0, dot);
  const std::string_view part = dot == std::string_view::npos ? "0" : token.substr(dot + 1);
  return !whole.empty() && !part.empty() && std::all_of(whole.begin(), whole.end(), is_digit) &&
         std::all_of(part.begin(), part.end(), is_digit);
}

bool is_date(std::string_view token) {
  if (token.size() != 10 || token[4] != '-' || token[7] != '-') return false;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (i != 4 && i != 7 && !is_digit(token[i])) return false;
  }
  return true;
}

// Words of a Chinese request that may stand right before the name of a file.
constexpr std::array<std::string_view, 49> kBeforeNames = {
    "请",     "帮我",   "把",   "将",   "读取", "读一下", "读",     "打开",   "查看", "显示",
    "看看",   "看一下", "删除", "删掉", "移除", "创建",   "新建",   "生成",   "写入", "写到",
    "保存到", "保存",   "编辑", "修改", "替换", "移动",   "重命名", "列出",   "搜索", "查找",
    "在",     "到",     "从",   "为",   "的",   "一下",   "一个",   "文件夹", "目录", "文件",
    "名为",   "叫做",   "运行", "执行", "总结", "统计",   "然后",   "以及",   "再"};

std::string_view without_leading_words(std::string_view token) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view word : kBeforeNames) {
      if (!token.starts_with(word) || token.size() == word.size()) continue;
      token.remove_prefix(word.size());
      found = true;
    }
  }
  return token;
}

// --- finding values --------------------------------------------------------------------------

struct Quotes {
  std::string_view open;
  std::string_view close;
};
constexpr std::array<Quotes, 6> kQuotes = {
    {{"\"", "\""}, {"“", "”"}, {"‘", "’"}, {"「", "」"}, {"『", "』"}, {"《", "》"}}};

class ValueReader {
 public:
  explicit ValueReader(std::string_view text) : text_(text) {}

  std::vector<Value> read() {
    while (at_ < text_.size()) {
      if (fence() || quote() || apostrophes() || object() || url() || token()) continue;
      at_ += character_size(text_, at_);
    }
    return std::move(values_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  bool add(Value::Kind kind, std::size_t begin, std::size_t end, std::string_view text) {
    values_.push_back({kind, std::string(text), begin, end});
    at_ = end;
    return true;
  }

  bool between(std::string_view open, std::string_view close, Value::Kind kind) {
    const std::size_t begin = at_ + open.size();
    const std::size_t end = text_.find(close, begin);
    if (end == std::string_view::npos || end == begin) return false;
    return add(kind, at_, end + close.size(), text_.substr(begin, end - begin));
  }

  // Code in a block of its own: without the line that names its language.
  bool fence() {
    if (starts("```")) {
      const std::size_t line = text_.find('\n', at_);
      const std::size_t end = text_.find("```", at_ + 3);
      if (end == std::string_view::npos) return false;
      const std::size_t begin = line < end ? line + 1 : at_ + 3;
      std::string_view code = text_.substr(begin, end - begin);
      if (code.ends_with('\n')) code.remove_suffix(1);
      return add(Value::Kind::code, at_, end + 3, code);
    }
    return starts("`") && between("`", "`", Value::Kind::code);
  }

  bool quote() {
    for (const Quotes& quotes : kQuotes) {
      if (starts(quotes.open)) return between(quotes.open, quotes.close, Value::Kind::quoted);
    }
    return false;
  }

  // 'so', but not the one in "it's".
  bool apostrophes() {
    if (text_[at_] != '\'' || (at_ > 0 && is_alnum(text_[at_ - 1]))) return false;
    for (std::size_t end = text_.find('\'', at_ + 1); end != std::string_view::npos;
         end = text_.find('\'', end + 1)) {
      if (end + 1 < text_.size() && is_alnum(text_[end + 1])) continue;
      if (end == at_ + 1) return false;
      return add(Value::Kind::quoted, at_, end + 1, text_.substr(at_ + 1, end - at_ - 1));
    }
    return false;
  }

  bool object() {
    if (text_[at_] != '{') return false;
    boost::json::stream_parser parser;
    boost::system::error_code failure;
    const std::string_view rest = text_.substr(at_);
    std::size_t size = parser.write_some(rest.data(), rest.size(), failure);
    if (failure || !parser.done()) return false;
    while (rest[size - 1] != '}') --size;  // it takes the blanks behind it too
    return add(Value::Kind::json, at_, at_ + size, rest.substr(0, size));
  }

  bool url() {
    if (!starts("http://") && !starts("https://")) return false;
    std::size_t end = at_;
    constexpr std::string_view kEnds = "\"'<>`()";
    while (end < text_.size() && static_cast<unsigned char>(text_[end]) > 0x20 &&
           static_cast<unsigned char>(text_[end]) < 0x80 &&
           kEnds.find(text_[end]) == std::string_view::npos) {
      ++end;
    }
    constexpr std::string_view kMarks = ".,;:!?";
    while (end > at_ && kMarks.find(text_[end - 1]) != std::string_view::npos) --end;
    return add(Value::Kind::url, at_, end, text_.substr(at_, end - at_));
  }

  bool is_token_char(std::size_t at) const { return is_path_char(text_[at]) || is_cjk(text_, at); }

  // A run of letters, in which a path or a number may be.
  bool token() {
    std::size_t end = at_;
    bool has_cjk = false;
    bool has_star = false;
    while (end < text_.size()) {
      const bool braces = has_star && (text_[end] == '{' || text_[end] == '}' || text_[end] == ',');
      if (!is_token_char(end) && !braces) break;
      has_cjk = has_cjk || is_cjk(text_, end);
      has_star = has_star || text_[end] == '*';
      end += character_size(text_, end);
    }
    if (end == at_) return false;
    const std::size_t begin = at_;
    at_ = end;
    if (has_cjk) {
      mixed(begin, end);
    } else {
      ascii(begin, end);
    }
    return true;
  }

  void ascii(std::size_t begin, std::size_t end) {
    std::string_view token = text_.substr(begin, end - begin);
    while (token.ends_with(',')) token.remove_suffix(1);
    token = without_end_marks(token);
    if (token.empty() || is_among(kNotPaths, token)) return;
    const std::size_t stop = begin + token.size();
    Value::Kind kind = Value::Kind::path;
    if (is_date(token)) {
      kind = Value::Kind::date;
    } else if (is_number(token)) {
      kind = Value::Kind::number;
    } else if (!is_path(token)) {
      const bool is_weak =
          token.find('/') != std::string_view::npos || token == "." || token == "..";
      if (!is_weak || token == "/") return;
      kind = Value::Kind::weak_path;
    }
    values_.push_back({kind, std::string(token), begin, stop});
  }

  // Chinese and ASCII without a blank between them: "读取文件a.txt的内容", "docs/报告.md".
  void mixed(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end;) {
      if (!is_path_char(text_[at])) {
        at += character_size(text_, at);
        continue;
      }
      std::size_t stop = at;
      while (stop < end && is_path_char(text_[stop])) ++stop;
      const bool joined = at > begin && (text_[at] == '.' || text_[at] == '/');
      const std::string_view run = without_end_marks(text_.substr(at, stop - at));
      if (joined && has_extension(run)) {
        const std::string_view name =
            without_leading_words(text_.substr(begin, at + run.size() - begin));
        while (!values_.empty() && values_.back().begin >= begin) values_.pop_back();
        const auto from = static_cast<std::size_t>(name.data() - text_.data());
        values_.push_back({Value::Kind::path, std::string(name), from, from + name.size()});
      } else if (!run.empty()) {
        ascii(at, stop);
      }
      at = stop;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Value> values_;
};

}  // namespace

bool is_path(std::string_view token) {
  if (token.empty() || token.find(' ') != std::string_view::npos) return false;
  if (token.size() > 1 && (token[0] == '/' || token.starts_with("./") || token.starts_with("../") ||
                           token.starts_with("~/"))) {
    return true;
  }
  if (token.find('*') != std::string_view::npos) {
    return token.size() > 1 && token.find_first_not_of('*') != std::string_view::npos;
  }
  const std::size_t slash = token.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? token : token.substr(slash + 1);
  if (name.empty()) return token.size() > 1;
  return is_among(kKnownFiles, name) || (has_extension(name) && !is_number(name));
}

std::size_t character_size(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const std::size_t size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  return std::min(size, text.size() - at);
}

bool is_cjk(std::string_view text, std::size_t at) {
  // U+3400 to U+9FFF: three bytes that begin with e3 90 to e9 bf.
  if (at + 2 >= text.size()) return false;
  const auto first = static_cast<unsigned char>(text[at]);
  const auto second = static_cast<unsigned char>(text[at + 1]);
  return (first > 0xe3 && first <= 0xe9) || (first == 0xe3 && second >= 0x90);
}

Text read_text(std::string_view text) {
  Text out;
  out.text = text;
  out.values = ValueReader(out.text).read();
  out.plain = out.text;
  std::transform(out.plain.begin(), out.plain.end(), out.plain.begin(), lower);
  for (const Value& value : out.values) {
    if (value.kind == Value::Kind::number || value.kind == Value::Kind::date) continue;
    std::fill(out.plain.begin() + static_cast<std::ptrdiff_t>(value.begin),
              out.plain.begin() + static_cast<std::ptrdiff_t>(value.end), kBlank);
  }
  return out;
}

Language language_of(const Text& text) {
  std::size_t cjk = 0;
  for (std::size_t at = 0; at < text.plain.size(); at += character_size(text.plain, at)) {
    if (is_cjk(text.plain, at)) ++cjk;
  }
  return cjk >= 1 && cjk * 2 >= words_of(text.plain).size() ? Language::chinese : Language::english;
}

std::size_t find_word(std::string_view plain, std::string_view word, std::size_t from) {
  const bool alone = !word.empty() && is_alnum(word.front());
  for (std::size_t at = plain.find(word, from); at != std::string_view::npos;
       at = plain.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (!alone) return at;
    const bool begins = at == 0 || !is_alnum(plain[at - 1]);
    const bool ends = end >= plain.size() || !is_alnum(plain[end]) || !is_alnum(word.back());
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

Hit find_any(std::string_view plain, std::initializer_list<std::string_view> words,
             std::size_t from) {
  Hit best;
  for (const std::string_view word : words) {
    const std::size_t at = find_word(plain, word, from);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + word.size();
    if (at < best.begin || (at == best.begin && end > best.end)) best = {at, end};
  }
  return best;
}

bool has_any(std::string_view plain, std::initializer_list<std::string_view> words) {
  return static_cast<bool>(find_any(plain, words));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) out.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_alnum(c)) {
      end_word();
      continue;
    }
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool after_lower = i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z';
    const bool before_lower = i + 1 < text.size() && text[i + 1] >= 'a' && text[i + 1] <= 'z';
    const bool after_upper = i > 0 && text[i - 1] >= 'A' && text[i - 1] <= 'Z';
    if (is_upper && (after_lower || (after_upper && before_lower))) end_word();
    word.push_back(lower(c));
  }
  end_word();
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view bare(std::string_view text) {
  constexpr std::array<std::string_view, 20> kMarks = {" ",  "\t", "\n", "\r", ",",  ".",  ";",
                                                       ":",  "!",  "?",  "，", "。", "；", "：",
                                                       "！", "？", "、", "\"", "”",  "“"};
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view mark : kMarks) {
      if (text.starts_with(mark)) {
        text.remove_prefix(mark.size());
        found = true;
      } else if (text.ends_with(mark)) {
        text.remove_suffix(mark.size());
        found = true;
      }
    }
  }
  return text;
}

}  // namespace parley::model::offline
