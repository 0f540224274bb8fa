// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/html_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace parley::tool {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 34> kEntities = {{
    {"amp", "&"},        {"lt", "<"},          {"gt", ">"},         {"quot", "\""},
    {"apos", "'"},       {"nbsp", " "},        {"copy", "\u00a9"},  {"reg", "\u00ae"},
    {"trade", "\u2122"}, {"hellip", "\u2026"}, {"mdash", "\u2014"}, {"ndash", "\u2013"},
    {"lsquo", "\u2018"}, {"rsquo", "\u2019"},  {"ldquo", "\u201c"}, {"rdquo", "\u201d"},
    {"laquo", "\u00ab"}, {"raquo", "\u00bb"},  {"bull", "\u2022"},  {"middot", "\u00b7"},
    {"times", "\u00d7"}, {"deg", "\u00b0"},    {"euro", "\u20ac"},  {"pound", "\u00a3"},
    {"yen", "\u00a5"},   {"sect", "\u00a7"},   {"para", "\u00b6"},  {"rarr", "\u2192"},
    {"larr", "\u2190"},  {"auml", "\u00e4"},   {"ouml", "\u00f6"},  {"uuml", "\u00fc"},
    {"szlig", "\u00df"}, {"eacute", "\u00e9"},
}};

// What is within these is not for reading.
constexpr std::array<std::string_view, 9> kHidden = {
    "script", "style", "noscript", "template", "svg", "head", "iframe", "object", "canvas"};

constexpr std::array<std::string_view, 33> kBlocks = {
    "p",       "div",   "section", "article",    "header", "footer", "main", "nav",      "aside",
    "ul",      "ol",    "table",   "form",       "pre",    "figure", "h1",   "h2",       "h3",
    "h4",      "h5",    "h6",      "blockquote", "dl",     "dd",     "dt",   "fieldset", "details",
    "address", "title", "body",    "tr",         "li",     "hr"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_html_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

void append_code_point(std::string& out, std::uint32_t code) {
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = 0xfffd;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0U | code >> 6U);
    out += static_cast<char>(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0U | code >> 12U);
    out += static_cast<char>(0x80U | (code >> 6U & 0x3fU));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  } else {
    out += static_cast<char>(0xf0U | code >> 18U);
    out += static_cast<char>(0x80U | (code >> 12U & 0x3fU));
    out += static_cast<char>(0x80U | (code >> 6U & 0x3fU));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  }
}

// The reference between '&' and ';'. False if it stands for nothing that is known.
bool append_entity(std::string& out, std::string_view name) {
  if (name.starts_with('#')) {
    const bool hex = name.size() > 1 && lower(name[1]) == 'x';
    const std::string_view digits = name.substr(hex ? 2 : 1);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
      return false;
    append_code_point(out, code);
    return true;
  }
  for (const auto& [known, text] : kEntities) {
    if (known == name) {
      out += text;
      return true;
    }
  }
  return false;
}

struct Tag {
  std::string name;  // in lower case; empty: none
  bool closes = false;
  std::string_view inside;  // of the brackets, after the name
};

// The value of an attribute; empty if it is not there.
std::string attribute(std::string_view inside, std::string_view name) {
  std::size_t at = 0;
  while (at < inside.size()) {
    while (at < inside.size() && (is_html_blank(inside[at]) || inside[at] == '/')) ++at;
    const std::size_t begin = at;
    while (at < inside.size() && !is_html_blank(inside[at]) && inside[at] != '=') ++at;
    std::string found(inside.substr(begin, at - begin));
    std::transform(found.begin(), found.end(), found.begin(), lower);
    while (at < inside.size() && is_html_blank(inside[at])) ++at;
    std::string_view value;
    if (at < inside.size() && inside[at] == '=') {
      ++at;
      while (at < inside.size() && is_html_blank(inside[at])) ++at;
      const char quote = at < inside.size() ? inside[at] : ' ';
      if (quote == '"' || quote == '\'') {
        const std::size_t end = std::min(inside.find(quote, at + 1), inside.size());
        value = inside.substr(at + 1, end - at - 1);
        at = std::min(end + 1, inside.size());
      } else {
        const std::size_t from = at;
        while (at < inside.size() && !is_html_blank(inside[at])) ++at;
        value = inside.substr(from, at - from);
      }
    } else if (at == begin) {
      ++at;
    }
    if (found == name) return decode_entities(value);
  }
  return {};
}

// Walks a page once, from tag to tag.
class Converter {
 public:
  explicit Converter(std::string_view html) : rest_(html) {}

  std::string convert() {
    while (!rest_.empty()) {
      const std::size_t at = rest_.find('<');
      text(rest_.substr(0, at));
      rest_ = at == std::string_view::npos ? std::string_view() : rest_.substr(at);
      if (!rest_.empty()) markup();
    }
    while (!out_.empty() && is_html_blank(out_.back())) out_.pop_back();
    return std::move(out_);
  }

 private:
  void markup() {
    if (rest_.starts_with("<!--")) return skip_past("-->", 4);
    const char next = rest_.size() > 1 ? rest_[1] : ' ';
    if (next == '!' || next == '?') return skip_past(">", 1);
    if (std::isalpha(static_cast<unsigned char>(next)) == 0 && next != '/') {
      text("<");
      rest_.remove_prefix(1);
      return;
    }
    const Tag tag = read_tag();
    if (!tag.closes && is_one_of(kHidden, tag.name)) {
      skip_element(tag.name);
    } else if (!tag.name.empty()) {
      apply(tag);
    }
  }

  void skip_past(std::string_view end, std::size_t from) {
    const std::size_t at = rest_.find(end, from);
    rest_ = at == std::string_view::npos ? std::string_view() : rest_.substr(at + end.size());
  }

  Tag read_tag() {
    Tag tag;
    std::size_t at = 1;
    if (rest_[at] == '/') {
      tag.closes = true;
      ++at;
    }
    while (at < rest_.size() && std::isalnum(static_cast<unsigned char>(rest_[at])) != 0) {
      tag.name += lower(rest_[at++]);
    }
    const std::size_t begin = at;
    char quote = 0;
    for (; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if ((c == '"' || c == '\'') && rest_[at - 1] == '=') {
        quote = c;
      } else if (c == '>') {
        break;
      }
    }
    tag.inside = rest_.substr(begin, at - begin);
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
    return tag;
  }

  // To behind the closing tag; a page's title is kept.
  void skip_element(const std::string& name) {
    std::size_t at = 0;
    while ((at = rest_.find("</", at)) != std::string_view::npos) {
      const std::string_view found = rest_.substr(at + 2, name.size());
      const bool same = std::equal(found.begin(), found.end(), name.begin(), name.end(),
                                   [](char a, char b) { return lower(a) == b; });
      if (same) break;
      at += 2;
    }
    const std::string_view inside = rest_.substr(0, at);
    rest_ = at == std::string_view::npos ? std::string_view() : rest_.substr(at);
    if (!rest_.empty()) skip_past(">", 0);
    if (name == "head") title(inside);
  }

  void title(std::string_view head) {
    std::string lowered(head);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
    std::size_t begin = lowered.find("<title");
    if (begin == std::string::npos) return;
    begin = lowered.find('>', begin);
    const std::size_t end = lowered.find("</title", begin);
    if (begin == std::string::npos || end == std::string::npos) return;
    text(head.substr(begin + 1, end - begin - 1));
    break_lines(2);
  }

  void apply(const Tag& tag) {
    if (tag.name == "br") return break_lines(1);
    if (tag.name == "pre") preformatted_ = std::max(0, preformatted_ + (tag.closes ? -1 : 1));
    if (tag.name == "a") return link(tag);
    if (tag.name == "img" && !tag.closes) return image(tag);
    if (tag.name == "td" || tag.name == "th") {
      if (!tag.closes && !at_line_start()) out_ += " | ";
      return;
    }
    if (!is_one_of(kBlocks, tag.name)) return;
    const bool in_list = tag.name == "li" || tag.name == "tr" || tag.name == "dd";
    break_lines(in_list ? 1 : 2);
    if (tag.closes) return;
    if (tag.name == "li") out_ += "- ";
    if (tag.name == "hr") out_ += "---\n";
    if (tag.name.size() == 2 && tag.name[0] == 'h' && tag.name[1] >= '1' && tag.name[1] <= '6') {
      out_ += std::string(static_cast<std::size_t>(tag.name[1] - '0'), '#') + " ";
    }
  }

  void link(const Tag& tag) {
    if (!tag.closes) {
      href_ = attribute(tag.inside, "href");
      const bool leads = href_.starts_with("http") || href_.starts_with('/');
      if (!leads) href_.clear();
      link_at_ = out_.size();
      return;
    }
    if (!href_.empty() && out_.size() > link_at_) out_ += " (" + href_ + ")";
    href_.clear();
  }

  void image(const Tag& tag) {
    const std::string alt = attribute(tag.inside, "alt");
    if (!alt.empty()) out_ += "[" + alt + "]";
  }

  void text(std::string_view raw) {
    if (raw.empty()) return;
    const std::string decoded = decode_entities(raw);
    if (preformatted_ > 0) {
      out_ += decoded;
      return;
    }
    for (const char c : decoded) {
      if (!is_html_blank(c)) {
        out_ += c;
      } else if (!at_line_start() && out_.back() != ' ') {
        out_ += ' ';
      }
    }
  }

  bool at_line_start() const { return out_.empty() || out_.back() == '\n'; }

  // Ends the line so that at most `count` line ends stand there; none at the beginning.
  void break_lines(std::size_t count) {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    if (out_.empty()) return;
    std::size_t have = 0;
    while (have < count && have < out_.size() && out_[out_.size() - 1 - have] == '\n') ++have;
    out_.append(count - have, '\n');
  }

  std::string_view rest_;
  std::string out_;
  int preformatted_ = 0;
  std::string href_;
  std::size_t link_at_ = 0;
};

}  // namespace

std::string decode_entities(std::string_view text) {
  constexpr std::size_t kLongest = 12;
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    out.append(text.substr(0, at));
    text.remove_prefix(at);
    if (text.empty()) break;
    const std::size_t end = text.substr(0, kLongest).find(';');
    if (end != std::string_view::npos && append_entity(out, text.substr(1, end - 1))) {
      text.remove_prefix(end + 1);
    } else {
      out += '&';
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string html_to_text(std::string_view html) { return Converter(html).convert(); }

}  // namespace parley::tool
