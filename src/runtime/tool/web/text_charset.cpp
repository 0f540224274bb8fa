// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/text_charset.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/utf8.h"
#include "base/core/utf8_repair.h"

namespace parley::tool {
namespace {

constexpr std::string_view kUtf8 = "UTF-8";
constexpr const char* kLatin = "CP1252";
constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

// Labels in the form of plain_label(), and their encodings. numbered_charset() finds the numbered
// families (windows-125x, iso-8859-x).
constexpr std::array<std::pair<std::string_view, std::string_view>, 63> kLabels = {{
    {"utf8", "UTF-8"},
    {"unicode11utf8", "UTF-8"},
    {"utf16", "UTF-16LE"},
    {"utf16le", "UTF-16LE"},
    {"unicode", "UTF-16LE"},
    {"ucs2", "UTF-16LE"},
    {"utf16be", "UTF-16BE"},
    {"unicodefffe", "UTF-16BE"},
    {"ascii", "CP1252"},
    {"usascii", "CP1252"},
    {"ansix3.41968", "CP1252"},
    {"latin1", "CP1252"},
    {"l1", "CP1252"},
    {"iso885911987", "CP1252"},
    {"latin2", "ISO-8859-2"},
    {"l2", "ISO-8859-2"},
    {"latin3", "ISO-8859-3"},
    {"l3", "ISO-8859-3"},
    {"latin4", "ISO-8859-4"},
    {"l4", "ISO-8859-4"},
    {"cyrillic", "ISO-8859-5"},
    {"arabic", "ISO-8859-6"},
    {"greek", "ISO-8859-7"},
    {"hebrew", "ISO-8859-8"},
    {"iso88598i", "ISO-8859-8"},
    {"iso88598e", "ISO-8859-8"},
    {"latin5", "CP1254"},
    {"l5", "CP1254"},
    {"latin6", "ISO-8859-10"},
    {"latin9", "ISO-8859-15"},
    {"tis620", "CP874"},
    {"windows874", "CP874"},
    {"dos874", "CP874"},
    {"ibm866", "CP866"},
    {"cp866", "CP866"},
    {"866", "CP866"},
    {"koi8r", "KOI8-R"},
    {"koi8", "KOI8-R"},
    {"koi8u", "KOI8-U"},
    {"koi8ru", "KOI8-U"},
    {"macintosh", "MACINTOSH"},
    {"macroman", "MACINTOSH"},
    {"maccyrillic", "MAC-CYRILLIC"},
    {"gbk", "GB18030"},
    {"gb2312", "GB18030"},
    {"gb231280", "GB18030"},
    {"gb18030", "GB18030"},
    {"chinese", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"big5hkscs", "BIG5-HKSCS"},
    {"cnbig5", "BIG5-HKSCS"},
    {"shiftjis", "CP932"},
    {"sjis", "CP932"},
    {"mskanji", "CP932"},
    {"ms932", "CP932"},
    {"windows31j", "CP932"},
    {"eucjp", "EUC-JP"},
    {"iso2022jp", "ISO-2022-JP"},
    {"euckr", "CP949"},
    {"korean", "CP949"},
    {"ksc56011987", "CP949"},
    {"ksc5601", "CP949"},
    {"windows949", "CP949"},
}};

// A label in the form of kLabels: lower case, without blanks, "-", "_", ":", and a leading "x" or
// "cs".
std::string plain_label(std::string_view label) {
  std::string out = core::lowered(core::trimmed(label));
  std::erase_if(out, [](char c) { return c == '-' || c == '_' || c == ':' || c == ' '; });
  for (const char* before : {"x", "cs"}) {
    if (out.starts_with(before)) out.erase(0, std::string_view(before).size());
  }
  return out;
}

// The number after a name of the family; -1 if the label is not a member.
template <std::size_t N>
int number_in(const std::array<std::string_view, N>& family, std::string_view label) {
  for (const std::string_view name : family) {
    if (!label.starts_with(name)) continue;
    const std::string_view digits = label.substr(name.size());
    if (digits.empty() || digits.size() > 2) continue;
    int number = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return -1;
      number = number * 10 + (c - '0');
    }
    return number;
  }
  return -1;
}

std::string numbered_charset(std::string_view label) {
  constexpr std::array<std::string_view, 3> kWindows = {"windows125", "cp125", "win125"};
  constexpr std::array<std::string_view, 1> kIso = {"iso8859"};
  if (const int number = number_in(kWindows, label); number >= 0 && number <= 8) {
    return "CP125" + std::to_string(number);
  }
  const int number = number_in(kIso, label);
  if (number == 1) return kLatin;
  if (number == 9) return "CP1254";
  if (number == 11) return "CP874";
  if (number < 2 || number > 16 || number == 12) return {};
  return "ISO-8859-" + std::to_string(number);
}

// The value after "NAME =" in the markup of one tag, up to a quote, a blank or another delimiter.
std::string_view value_in(std::string_view tag, std::string_view name) {
  std::size_t at = tag.find(name);
  while (at != std::string_view::npos) {
    std::string_view rest = core::trimmed(tag.substr(at + name.size()));
    if (rest.starts_with('=')) {
      rest = core::trimmed(rest.substr(1));
      if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
      rest = core::trimmed(rest);
      return rest.substr(0, rest.find_first_of("\"' \t\r\n;>?/"));
    }
    at = tag.find(name, at + 1);
  }
  return {};
}

struct Mark {
  std::string_view bytes;
  const char* charset;
};
constexpr std::array<Mark, 3> kMarks = {
    {{"\xef\xbb\xbf", "UTF-8"}, {"\xff\xfe", "UTF-16LE"}, {"\xfe\xff", "UTF-16BE"}}};

const Mark* mark_of(std::string_view bytes) {
  for (const Mark& mark : kMarks) {
    if (bytes.starts_with(mark.bytes)) return &mark;
  }
  return nullptr;
}

// Encodings with one byte per character. Servers name these for UTF-8 by mistake; a text in them is
// hardly ever well-formed UTF-8.
bool is_one_byte(const std::string& charset) {
  return charset.starts_with("CP125") || charset.starts_with("ISO-8859");
}

// True if the bytes are more likely damaged UTF-8 than another encoding: they have more non-ASCII
// characters than ill-formed bytes.
bool is_mostly_utf8(std::string_view bytes) {
  std::size_t good = 0;
  std::size_t bad = 0;
  while (true) {
    const std::string_view prefix = bytes.substr(0, core::utf8_prefix(bytes));
    good += static_cast<std::size_t>(std::count_if(prefix.begin(), prefix.end(), [](char c) {
      return static_cast<unsigned char>(c) >= 0xc2;
    }));
    if (prefix.size() == bytes.size()) return bad == 0 || good > bad;
    ++bad;
    bytes.remove_prefix(prefix.size() + 1);
  }
}

// Converts one text with iconv.
class CharsetReader {
 public:
  explicit CharsetReader(const std::string& charset)
      : state_(::iconv_open("UTF-8", charset.c_str())) {}
  ~CharsetReader() {
    if (opened()) ::iconv_close(state_);
  }
  CharsetReader(const CharsetReader&) = delete;
  CharsetReader& operator=(const CharsetReader&) = delete;

  bool opened() const {
    // iconv_t is a pointer type; -1 means an error.
    return state_ != reinterpret_cast<iconv_t>(-1);  // NOLINT(performance-no-int-to-ptr)
  }

  std::string convert(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() + bytes.size() / 2);
    // iconv takes a pointer to non-const, but does not write to the input.
    char* from = const_cast<char*>(bytes.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    std::size_t left = bytes.size();
    while (left > 0) {
      const bool more_room = step(&from, &left, out) || errno == E2BIG;
      if (more_room || left == 0) continue;
      out += kReplacementCharacter;
      ++from;
      --left;
    }
    step(nullptr, nullptr, out);
    return out;
  }

 private:
  // Converts at most one buffer. False: it stopped early; errno has the reason.
  bool step(char** from, std::size_t* left, std::string& out) {
    std::array<char, 16'384> room{};
    char* to = room.data();
    std::size_t free = room.size();
    const std::size_t converted = ::iconv(state_, from, left, &to, &free);
    const int why = errno;
    out.append(room.data(), room.size() - free);
    errno = why;
    return converted != static_cast<std::size_t>(-1);
  }

  iconv_t state_;
};

}  // namespace

std::string charset_of_label(std::string_view label) {
  // Limit (Tools, bytes): name of a page's encoding. Reached: not known.
  constexpr std::size_t kLongestLabel = 40;
  if (label.size() > kLongestLabel) return {};
  const std::string plain = plain_label(label);
  const auto* const found = std::find_if(kLabels.begin(), kLabels.end(),
                                         [&plain](const auto& row) { return row.first == plain; });
  return found != kLabels.end() ? std::string(found->second) : numbered_charset(plain);
}

std::string charset_parameter(std::string_view content_type) {
  const std::string lowered = core::lowered(content_type);
  const std::size_t parameters = std::min(lowered.find(';'), lowered.size());
  return std::string(value_in(std::string_view(lowered).substr(parameters), "charset"));
}

std::string declared_charset(std::string_view page) {
  const std::string head = core::lowered(page.substr(0, kCharsetProbeBytes));
  if (head.starts_with("<?xml")) {
    const std::string_view found =
        value_in(std::string_view(head).substr(0, head.find('>')), "encoding");
    if (!found.empty()) return std::string(found);
  }
  for (std::size_t at = head.find("<meta"); at != std::string::npos;
       at = head.find("<meta", at + 1)) {
    const std::string_view tag = std::string_view(head).substr(at, head.find('>', at) - at);
    const std::string_view found = value_in(tag, "charset");
    if (!found.empty()) return std::string(found);
  }
  return {};
}

std::string text_from_charset(std::string_view bytes, const std::string& charset) {
  if (charset != kUtf8) {
    CharsetReader reader(charset);
    if (reader.opened()) return core::repaired_utf8(reader.convert(bytes));
  }
  return core::repaired_utf8(bytes);
}

std::string text_of_body(std::string_view bytes, std::string_view content_type, bool is_markup) {
  std::string charset = charset_of_label(charset_parameter(content_type));
  const Mark* const mark = mark_of(bytes);
  if (mark != nullptr && (charset.empty() || charset.starts_with("UTF"))) charset = mark->charset;
  if (charset.empty() && is_markup) {
    charset = charset_of_label(declared_charset(bytes));
    // The declaration was readable as ASCII, so the page is not UTF-16.
    if (charset.starts_with("UTF-16")) charset = kUtf8;
    if (charset.empty() && !bytes.starts_with("<?xml") && !is_mostly_utf8(bytes)) charset = kLatin;
  }
  const bool is_utf8 = charset.empty() || (is_one_byte(charset) && core::is_utf8(bytes));
  std::string text = text_from_charset(bytes, is_utf8 ? std::string(kUtf8) : charset);
  if (text.starts_with(kMarks[0].bytes)) text.erase(0, kMarks[0].bytes.size());
  return text;
}

}  // namespace parley::tool
