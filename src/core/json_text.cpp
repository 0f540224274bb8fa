// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "core/json_text.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace parley::core {
namespace {

// The scanner is recursive; no setting makes it deeper than this.
constexpr std::size_t kDeepest = 1'000;
constexpr char32_t kReplacementCharacter = 0xFFFD;

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Where the first quote, backslash or control character is; `end` if there is none.
const char* find_special(const char* at, const char* end) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
    constexpr std::uint64_t kHighs = kOnes * 0x80U;
    while (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t quote = word ^ (kOnes * static_cast<unsigned char>('"'));
      const std::uint64_t slash = word ^ (kOnes * static_cast<unsigned char>('\\'));
      // The lowest byte that is flagged is one that is meant; higher ones may be borrows.
      const std::uint64_t hits = (((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash) |
                                  ((word - kOnes * 0x20U) & ~word)) &
                                 kHighs;
      if (hits != 0) return at + std::countr_zero(hits) / 8;
      at += 8;
    }
  }
  while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20U) ++at;
  return at;
}

class Scanner {
 public:
  Scanner(std::string_view text, std::size_t max_depth)
      : at_(text.data()), end_(text.data() + text.size()), deepest_(max_depth) {}

  // The list that an object's members go to, and what to list of one of them.
  struct Listing {
    std::vector<JsonField>* fields = nullptr;
    std::string_view inner_name = {};
    std::vector<JsonField>* inner = nullptr;
  };

  ScanResult list(std::vector<JsonField>& values) {
    skip_space();
    if (at_ == end_ || *at_ != '[') return ScanResult::malformed;
    if (!array(1, &values)) return failure_;
    skip_space();
    return at_ == end_ ? ScanResult::ok : ScanResult::malformed;
  }

  ScanResult document(const Listing& listing) {
    skip_space();
    if (at_ == end_ || *at_ != '{') return ScanResult::malformed;
    if (!object(1, &listing)) return failure_;
    skip_space();
    return at_ == end_ ? ScanResult::ok : ScanResult::malformed;
  }

 private:
  bool fail(ScanResult result) {
    failure_ = result;
    return false;
  }
  // Between every two tokens: the compiler's own guess makes it a call.
  [[gnu::always_inline]] void skip_space() {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool value(std::size_t depth, JsonType& type, const Listing* listing) {
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
        type = JsonType::object;
        return object(depth + 1, listing);
      case '[':
        type = JsonType::array;
        return array(depth + 1);
      case '"':
        type = JsonType::string;
        return string();
      case 't':
        type = JsonType::boolean;
        return word("true");
      case 'f':
        type = JsonType::boolean;
        return word("false");
      case 'n':
        type = JsonType::null;
        return word("null");
      default:
        type = JsonType::number;
        return number();
    }
  }

  bool object(std::size_t depth, const Listing* listing) {
    if (depth > deepest_) return fail(ScanResult::too_deep);
    if (listing != nullptr) listing->fields->clear();
    ++at_;
    skip_space();
    if (take('}')) return true;
    while (true) {
      if (!member(depth, listing)) return false;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return false;
      skip_space();
    }
  }

  bool member(std::size_t depth, const Listing* listing) {
    if (at_ == end_ || *at_ != '"') return false;
    const char* const name = at_;
    if (!string()) return false;
    const std::string_view raw_name(name, static_cast<std::size_t>(at_ - name));
    skip_space();
    if (!take(':')) return false;
    skip_space();
    const char* const begin = at_;
    JsonType type = JsonType::null;
    if (listing == nullptr) return value(depth, type, nullptr);
    Listing below;
    const bool listed = listing->inner != nullptr && names(raw_name, listing->inner_name);
    if (listed) {
      below.fields = listing->inner;
      below.fields->clear();
    }
    if (!value(depth, type, listed ? &below : nullptr)) return false;
    if (listing->fields->size() == kMaxScannedFields) return fail(ScanResult::too_many_fields);
    listing->fields->push_back({raw_name, {begin, static_cast<std::size_t>(at_ - begin)}, type});
    return true;
  }

  bool array(std::size_t depth, std::vector<JsonField>* values = nullptr) {
    if (depth > deepest_) return fail(ScanResult::too_deep);
    ++at_;
    skip_space();
    if (take(']')) return true;
    while (true) {
      JsonType type = JsonType::null;
      const char* const begin = at_;
      if (!value(depth, type, nullptr)) return false;
      if (values != nullptr) {
        if (values->size() == kMaxScannedValues) return fail(ScanResult::too_many_fields);
        values->push_back({{}, {begin, static_cast<std::size_t>(at_ - begin)}, type});
      }
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return false;
      skip_space();
    }
  }

  bool string() {
    ++at_;
    while (true) {
      at_ = find_special(at_, end_);
      if (at_ == end_) return false;
      if (*at_ == '"') {
        ++at_;
        return true;
      }
      if (*at_ != '\\' || !escape()) return false;
    }
  }

  bool escape() {
    ++at_;
    if (at_ == end_) return false;
    const char c = *at_++;
    if (c != 'u') return std::strchr("\"\\/bfnrt", c) != nullptr && c != '\0';
    if (end_ - at_ < 4) return false;
    const bool ok = std::all_of(at_, at_ + 4, [](char digit) { return hex_value(digit) >= 0; });
    at_ += 4;
    return ok;
  }

  bool word(std::string_view expected) {
    if (static_cast<std::size_t>(end_ - at_) < expected.size()) return false;
    if (std::memcmp(at_, expected.data(), expected.size()) != 0) return false;
    at_ += expected.size();
    return true;
  }

  bool digits() {
    if (at_ == end_ || !is_digit(*at_)) return false;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return true;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }

  const char* at_;
  const char* end_;
  std::size_t deepest_;
  ScanResult failure_ = ScanResult::malformed;
};

void append_utf8(std::string& out, char32_t c) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80U | ((c >> shift) & 0x3FU)); };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (c >> 6U)));
    out.push_back(tail(0));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (c >> 12U)));
    out.push_back(tail(6));
    out.push_back(tail(0));
  } else {
    out.push_back(static_cast<char>(0xF0U | (c >> 18U)));
    out.push_back(tail(12));
    out.push_back(tail(6));
    out.push_back(tail(0));
  }
}

char32_t hex4(std::string_view raw, std::size_t at) {
  char32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i)
    out = out * 16 + static_cast<char32_t>(hex_value(raw[at + i]));
  return out;
}

// The character of a \u escape whose digits begin at `at`; `at` is moved behind it, and behind the
// other half of a pair.
char32_t unicode_escape(std::string_view raw, std::size_t& at) {
  const char32_t first = hex4(raw, at);
  at += 4;
  if (first < 0xD800 || first > 0xDFFF) return first;
  if (first > 0xDBFF || raw.substr(at, 2) != "\\u") return kReplacementCharacter;
  const char32_t second = hex4(raw, at + 2);
  if (second < 0xDC00 || second > 0xDFFF) return kReplacementCharacter;
  at += 6;
  return 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
}

char simple_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

}  // namespace

std::string decode_json_string(std::string_view raw) {
  const std::string_view text = raw.substr(1, raw.size() - 2);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c != '\\') {
      out.push_back(c);
      continue;
    }
    const char kind = text[at++];
    if (kind == 'u') {
      append_utf8(out, unicode_escape(text, at));
    } else {
      out.push_back(simple_escape(kind));
    }
  }
  return out;
}

bool names(std::string_view raw_name, std::string_view wanted) {
  const std::string_view text = raw_name.substr(1, raw_name.size() - 2);
  if (text == wanted) return true;
  if (text.find('\\') == std::string_view::npos) return false;
  return decode_json_string(raw_name) == wanted;
}

const JsonField* find_field(const std::vector<JsonField>& fields, std::string_view name) {
  const auto found = std::find_if(fields.rbegin(), fields.rend(), [name](const JsonField& field) {
    return names(field.name, name);
  });
  return found == fields.rend() ? nullptr : &*found;
}

ScanResult scan_object(std::string_view text, std::size_t max_depth, std::string_view inner_name,
                       std::vector<JsonField>& fields, std::vector<JsonField>& inner) {
  fields.clear();
  inner.clear();
  Scanner::Listing listing;
  listing.fields = &fields;
  listing.inner_name = inner_name;
  listing.inner = &inner;
  return Scanner(text, std::min(max_depth, kDeepest)).document(listing);
}

ScanResult scan_array(std::string_view text, std::size_t max_depth,
                      std::vector<JsonField>& values) {
  values.clear();
  return Scanner(text, std::min(max_depth, kDeepest)).list(values);
}

}  // namespace parley::core
