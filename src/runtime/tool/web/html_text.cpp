// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/html_text.h"

#include <libxml/HTMLparser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/utf8.h"
#include "base/core/utf8_repair.h"
#include "runtime/tool/web/named_character.h"

namespace parley::tool {
namespace {

// Elements without readable content.
constexpr std::array<std::string_view, 8> kHidden = {"script", "style",  "noscript", "template",
                                                     "svg",    "iframe", "object",   "canvas"};

constexpr std::array<std::string_view, 33> kBlocks = {
    "p",       "div",   "section", "article",    "header", "footer", "main", "nav",      "aside",
    "ul",      "ol",    "table",   "form",       "pre",    "figure", "h1",   "h2",       "h3",
    "h4",      "h5",    "h6",      "blockquote", "dl",     "dd",     "dt",   "fieldset", "details",
    "address", "title", "body",    "tr",         "li",     "hr"};

// U+0080 to U+009F in HTML stand for these characters of Windows-1252. An unassigned code stays.
constexpr std::array<std::string_view, 32> kWindows1252 = {
    "\u20ac", "\u0081", "\u201a", "\u0192", "\u201e", "\u2026", "\u2020", "\u2021",
    "\u02c6", "\u2030", "\u0160", "\u2039", "\u0152", "\u008d", "\u017d", "\u008f",
    "\u0090", "\u2018", "\u2019", "\u201c", "\u201d", "\u2022", "\u2013", "\u2014",
    "\u02dc", "\u2122", "\u0161", "\u203a", "\u0153", "\u009d", "\u017e", "\u0178"};

constexpr std::size_t kPieceBytes = 4'096;  // passed to the parser per call

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_html_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

std::string_view view_of(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// The attributes of a start tag: names and values in turn, ended by a null name.
class Attributes {
 public:
  explicit Attributes(const xmlChar** all) : all_(all) {}

  std::uint64_t count() const {
    std::uint64_t found = 0;
    for (const xmlChar** at = all_; at != nullptr && *at != nullptr; at += 2) ++found;
    return found;
  }
  // Null if no attribute has this name. An attribute without a value has an empty one.
  const xmlChar** find(std::string_view name) const {
    for (const xmlChar** at = all_; at != nullptr && *at != nullptr; at += 2) {
      if (view_of(at[0]) == name) return at;
    }
    return nullptr;
  }
  std::string_view value(std::string_view name) const {
    const xmlChar** found = find(name);
    return found == nullptr ? std::string_view() : view_of(found[1]);
  }

 private:
  const xmlChar** all_;
};

// True if a browser does not show the element, because of its name, the attribute `hidden` or its
// style.
bool is_hidden(std::string_view name, const Attributes& attributes) {
  if (is_one_of(kHidden, name) || attributes.find("hidden") != nullptr) return true;
  std::string style = core::lowered(attributes.value("style"));
  std::erase_if(style, is_html_blank);
  return style.find("display:none") != std::string::npos ||
         style.find("visibility:hidden") != std::string::npos;
}

// Writes the text of a page from the parser's events. `depth` is the number of open elements,
// including the element of the event.
class TextWriter {
 public:
  void start(std::string_view name, const Attributes& attributes, int depth) {
    settle(depth - 1);
    if (hidden_at_ != 0) return;
    if (is_hidden(name, attributes)) {
      hidden_at_ = depth;
      return;
    }
    if (name == "pre" && preformatted_at_ == 0) preformatted_at_ = depth;
    if (name == "br") return break_lines(1);
    if (name == "a") return begin_link(attributes.value("href"));
    if (name == "img") return image(attributes.value("alt"));
    if (name == "td" || name == "th") {
      if (!at_line_start()) out_ += " | ";
      return;
    }
    if (!break_around(name)) return;
    if (name == "li") out_ += "- ";
    if (name == "hr") out_ += "---\n";
    if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6') {
      out_ += std::string(static_cast<std::size_t>(name[1] - '0'), '#') + " ";
    }
  }

  void end(std::string_view name, int depth) {
    settle(depth);
    if (hidden_at_ == 0) {
      if (name == "a") end_link();
      if (name != "hr") break_around(name);
    }
    settle(depth - 1);
  }

  void text(std::string_view piece, int depth) {
    settle(depth);
    if (hidden_at_ != 0) return;
    for (std::size_t at = 0; at < piece.size(); ++at) {
      const char c = piece[at];
      if (c == '\xc2' && at + 1 < piece.size()) {
        const auto second = static_cast<unsigned char>(piece[at + 1]);
        if (second <= 0xa0) {
          ++at;
          second == 0xa0 ? blank(' ') : void(out_ += kWindows1252.at(second - 0x80U));
          continue;
        }
      }
      is_html_blank(c) ? blank(c) : out_.push_back(c);
    }
  }

  // Treats all open elements as closed.
  void close_all() {
    settle(0);
    href_.clear();
  }
  bool hides() const { return hidden_at_ != 0; }

  std::string take() {
    while (!out_.empty() && is_html_blank(out_.back())) out_.pop_back();
    return std::move(out_);
  }

 private:
  // Forgets elements that are no longer open: the parser does not report the end of some.
  void settle(int open) {
    if (hidden_at_ > open) hidden_at_ = 0;
    if (preformatted_at_ > open) preformatted_at_ = 0;
  }

  void blank(char c) {
    if (preformatted_at_ != 0) {
      out_ += c;
    } else if (!at_line_start() && out_.back() != ' ') {
      out_ += ' ';
    }
  }

  // False if the element is not a block.
  bool break_around(std::string_view name) {
    if (!is_one_of(kBlocks, name)) return false;
    const bool in_list = name == "li" || name == "tr" || name == "dd";
    break_lines(in_list ? 1 : 2);
    return true;
  }

  void begin_link(std::string_view href) {
    const bool leads = href.starts_with("http") || href.starts_with('/');
    href_ = leads ? href : std::string_view();
    link_at_ = out_.size();
  }

  void end_link() {
    if (!href_.empty() && out_.size() > link_at_) out_ += " (" + href_ + ")";
    href_.clear();
  }

  void image(std::string_view alt) {
    if (!alt.empty()) out_.append("[").append(alt).append("]");
  }

  bool at_line_start() const { return out_.empty() || out_.back() == '\n'; }

  // Appends line ends until the text ends with at least `count`. A no-op at the beginning.
  void break_lines(std::size_t count) {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    if (out_.empty()) return;
    std::size_t have = 0;
    while (have < count && have < out_.size() && out_[out_.size() - 1 - have] == '\n') ++have;
    out_.append(count - have, '\n');
  }

  std::string out_;
  int hidden_at_ = 0;        // depth of the outermost hidden element; 0: none
  int preformatted_at_ = 0;  // depth of the outermost <pre>; 0: none
  std::string href_;
  std::size_t link_at_ = 0;
};

// Drives libxml2's push parser, which repairs malformed markup. Passes the page in pieces and
// checks the cost between two pieces: the parser compares the attributes of a tag with each other,
// and an end tag with all open elements, so a page could take quadratic time.
class PageReader {
 public:
  // `page` is UTF-8 without NUL, and must outlive this object.
  explicit PageReader(std::string_view page) : page_(page) { begin(); }

  std::string read() {
    while (!left_out_ && !finished_) {
      const std::string_view piece = core::utf8_truncate(page_.substr(at_), kPieceBytes);
      at_ += piece.size();
      finished_ = piece.empty();
      parse(piece, finished_);
      check();
    }
    std::string text = writer_.take();
    if (left_out_) text.append(text.empty() ? "" : "\n\n").append(kLeftOut);
    return text;
  }

 private:
  struct FreeContext {
    void operator()(htmlParserCtxtPtr context) const { htmlFreeParserCtxt(context); }
  };

  static PageReader& of(void* self) { return *static_cast<PageReader*>(self); }

  // Keeps the first exception until the parser returns: none may pass through C code.
  template <typename Work>
  static void guarded(void* self, Work work) noexcept {
    PageReader& reader = of(self);
    if (reader.thrown_) return;
    try {
      work(reader);
    } catch (...) {
      reader.thrown_ = std::current_exception();
    }
  }

  void begin() {
    htmlSAXHandler handler{};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElement = [](void* self, const xmlChar* name, const xmlChar** attributes) {
      guarded(self, [&](PageReader& reader) {
        const Attributes all(attributes);
        const std::uint64_t count = all.count();
        reader.work_ += 1 + count * count;
        if (!reader.muted_) reader.writer_.start(view_of(name), all, reader.depth());
      });
    };
    handler.endElement = [](void* self, const xmlChar* name) {
      guarded(self, [&](PageReader& reader) { reader.writer_.end(view_of(name), reader.depth()); });
    };
    handler.characters = [](void* self, const xmlChar* text, int length) {
      guarded(self, [&](PageReader& reader) {
        reader.writer_.text({reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)},
                            reader.depth());
      });
    };
    handler.ignorableWhitespace = handler.characters;
    handler.serror = [](void* self, xmlErrorPtr /*error*/) {
      guarded(self, [](PageReader& reader) {
        reader.work_ += kErrorWork + static_cast<std::uint64_t>(reader.depth());
      });
    };
    context_.reset(
        htmlCreatePushParserCtxt(&handler, this, "", 0, nullptr, XML_CHAR_ENCODING_UTF8));
    if (!context_) throw std::bad_alloc();
    // Ignores the encoding that the page names: it is already decoded.
    htmlCtxtUseOptions(context_.get(), HTML_PARSE_RECOVER | HTML_PARSE_NONET |
                                           HTML_PARSE_IGNORE_ENC | HTML_PARSE_COMPACT);
  }

  int depth() const { return context_ ? context_->nameNr : 0; }

  void parse(std::string_view piece, bool last) {
    htmlParseChunk(context_.get(), piece.data(), static_cast<int>(piece.size()), last ? 1 : 0);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

  // Bytes that the parser has not processed: an incomplete tag, comment or script.
  std::string_view pending() const {
    const htmlParserInputPtr input = context_->input;
    return {reinterpret_cast<const char*>(input->cur),
            static_cast<std::size_t>(input->end - input->cur)};
  }

  void check() {
    if (work_ > kMaxHtmlWork) {
      left_out_ = true;
      return;
    }
    const std::string_view rest = pending();
    const std::string_view in = view_of(context_->name);
    const bool tag = rest.size() > 1 && rest[0] == '<' && in != "script" && in != "style" &&
                     std::isalpha(static_cast<unsigned char>(rest[1])) != 0;
    if (tag && rest.size() > kMaxHtmlTagBytes) {
      begin_again(std::min(page_.find('>', at_), page_.size() - 1) + 1);
    } else if (depth() > kMaxHtmlDepth) {
      // Otherwise the rest of a hidden element would be shown.
      left_out_ = writer_.hides();
      begin_again(at_ - std::min(rest.size(), at_));
    } else if (context_->instate == XML_PARSER_EOF && !rest.empty()) {
      // The parser ends the page at the end of its outermost element.
      begin_again(at_ - std::min(rest.size(), at_));
    }
  }

  // Continues at `place` with a new parser, as if all earlier elements were closed.
  void begin_again(std::size_t place) {
    work_ += kAnewWork;
    writer_.close_all();
    finished_ = place <= began_at_;  // the parser makes no progress
    at_ = began_at_ = place;
    begin();
    muted_ = true;
    parse("<html><body>", false);
    muted_ = false;
  }

  static constexpr std::uint64_t kErrorWork = 100;
  static constexpr std::uint64_t kAnewWork = 5'000;
  static constexpr std::string_view kLeftOut =
      "[The rest of the page is left out: its markup is too tangled.]";

  std::string_view page_;
  std::size_t at_ = 0;        // bytes passed to the parser so far
  std::size_t began_at_ = 0;  // position at which this parser began
  TextWriter writer_;
  std::unique_ptr<htmlParserCtxt, FreeContext> context_;
  std::uint64_t work_ = 0;  // in units of about 10 ns
  bool finished_ = false;
  bool left_out_ = false;
  bool muted_ = false;  // ignores elements that the page does not have
  std::exception_ptr thrown_;
};

}  // namespace

std::string html_to_text(std::string_view html) {
  // Initialises the library's tables, which the threads share.
  static const bool ready = (xmlInitParser(), true);
  static_cast<void>(ready);
  std::string page =
      with_numbered_characters(core::repaired_utf8(core::utf8_truncate(html, kMaxHtmlBytes)));
  // The parser treats NUL as the end of the text.
  std::replace(page.begin(), page.end(), '\0', ' ');
  return PageReader(page).read();
}

}  // namespace parley::tool
