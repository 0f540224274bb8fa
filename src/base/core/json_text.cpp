// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_text.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/core/hex.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace parley::core {
namespace {

// Upper limit of `max_depth`, in levels: the scanner is recursive.
constexpr std::size_t kDeepest = 1'000;
constexpr char32_t kReplacementCharacter = 0xFFFD;

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The first quote, backslash or control character; `end` if there is none.
const char* find_special(const char* at, const char* end) {
#if defined(__SSE2__)
  constexpr std::ptrdiff_t kBlock = sizeof(__m128i);
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i slash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1F);
  while (end - at >= kBlock) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i named = _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, slash));
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(block, control), block);
    const auto hits = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(named, low)));
    if (hits != 0) return at + std::countr_zero(hits);
    at += kBlock;
  }
#else
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
    constexpr std::uint64_t kHighs = kOnes * 0x80U;
    while (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t quote = word ^ (kOnes * static_cast<unsigned char>('"'));
      const std::uint64_t slash = word ^ (kOnes * static_cast<unsigned char>('\\'));
      // The lowest flagged byte is always right; higher ones may be borrows.
      const std::uint64_t hits = (((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash) |
                                  ((word - kOnes * 0x20U) & ~word)) &
                                 kHighs;
      if (hits != 0) return at + std::countr_zero(hits) / 8;
      at += 8;
    }
  }
#endif
  while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20U) ++at;
  return at;
}

// Each function takes the start of its part and returns its end, or null if the part is malformed:
// the read position stays in a register.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t max_depth)
      : begin_(text.data()), end_(text.data() + text.size()), deepest_(max_depth) {}

  // The list that receives an object's members, and the member whose own members are listed too.
  struct Listing {
    std::vector<JsonField>* fields = nullptr;
    std::string_view inner_name = {};
    std::vector<JsonField>* inner = nullptr;
  };

  ScanResult list(std::vector<JsonField>& values) {
    const char* const at = after_space(begin_);
    return is(at, '[') ? whole(array(at, 1, &values)) : ScanResult::malformed;
  }

  ScanResult document(const Listing& listing) {
    const char* const at = after_space(begin_);
    return is(at, '{') ? whole(object(at, 1, &listing)) : ScanResult::malformed;
  }

 private:
  ScanResult whole(const char* at) const {
    if (at == nullptr) return failure_;
    return after_space(at) == end_ ? ScanResult::ok : ScanResult::malformed;
  }
  const char* fail(ScanResult result) {
    failure_ = result;
    return nullptr;
  }
  // Runs between every two tokens; without the attribute the compiler makes it a call.
  [[gnu::always_inline]] const char* after_space(const char* at) const {
    while (at != end_ && is_space(*at)) ++at;
    return at;
  }
  bool is(const char* at, char c) const { return at != end_ && *at == c; }

  const char* value(const char* at, std::size_t depth, JsonType& type, const Listing* listing) {
    if (at == end_) return nullptr;
    switch (*at) {
      case '{':
        type = JsonType::object;
        return object(at, depth + 1, listing);
      case '[':
        type = JsonType::array;
        return array(at, depth + 1);
      case '"':
        type = JsonType::string;
        return string(at);
      case 't':
        type = JsonType::boolean;
        return word(at, "true");
      case 'f':
        type = JsonType::boolean;
        return word(at, "false");
      case 'n':
        type = JsonType::null;
        return word(at, "null");
      default:
        type = JsonType::number;
        return number(at);
    }
  }

  const char* object(const char* at, std::size_t depth, const Listing* listing) {
    if (depth > deepest_) return fail(ScanResult::too_deep);
    if (listing != nullptr) listing->fields->clear();
    at = after_space(at + 1);
    if (is(at, '}')) return at + 1;
    while (true) {
      at = member(at, depth, listing);
      if (at == nullptr) return nullptr;
      at = after_space(at);
      if (is(at, '}')) return at + 1;
      if (!is(at, ',')) return nullptr;
      at = after_space(at + 1);
    }
  }

  const char* member(const char* at, std::size_t depth, const Listing* listing) {
    if (!is(at, '"')) return nullptr;
    const char* const name = at;
    at = string(at);
    if (at == nullptr) return nullptr;
    const std::string_view raw_name(name, static_cast<std::size_t>(at - name));
    at = after_space(at);
    if (!is(at, ':')) return nullptr;
    const char* const begin = after_space(at + 1);
    JsonType type = JsonType::null;
    if (listing == nullptr) return value(begin, depth, type, nullptr);
    Listing below;
    const bool listed = listing->inner != nullptr && names(raw_name, listing->inner_name);
    if (listed) {
      below.fields = listing->inner;
      below.fields->clear();
    }
    at = value(begin, depth, type, listed ? &below : nullptr);
    if (at == nullptr) return nullptr;
    if (listing->fields->size() == kMaxScannedFields) return fail(ScanResult::too_many_fields);
    listing->fields->push_back({raw_name, {begin, static_cast<std::size_t>(at - begin)}, type});
    return at;
  }

  const char* array(const char* at, std::size_t depth, std::vector<JsonField>* values = nullptr) {
    if (depth > deepest_) return fail(ScanResult::too_deep);
    at = after_space(at + 1);
    if (is(at, ']')) return at + 1;
    while (true) {
      JsonType type = JsonType::null;
      const char* const begin = at;
      at = value(begin, depth, type, nullptr);
      if (at == nullptr) return nullptr;
      if (values != nullptr) {
        if (values->size() == kMaxScannedValues) return fail(ScanResult::too_many_fields);
        values->push_back({{}, {begin, static_cast<std::size_t>(at - begin)}, type});
      }
      at = after_space(at);
      if (is(at, ']')) return at + 1;
      if (!is(at, ',')) return nullptr;
      at = after_space(at + 1);
    }
  }

  const char* string(const char* at) const {
    ++at;
    while (true) {
      at = find_special(at, end_);
      if (at == end_) return nullptr;
      if (*at == '"') return at + 1;
      if (*at != '\\') return nullptr;
      at = escape(at + 1);
      if (at == nullptr) return nullptr;
    }
  }

  // `at` is behind the backslash.
  const char* escape(const char* at) const {
    if (at == end_) return nullptr;
    const char c = *at++;
    if (c != 'u') return c != '\0' && std::strchr("\"\\/bfnrt", c) != nullptr ? at : nullptr;
    if (end_ - at < 4) return nullptr;
    const bool ok = std::all_of(at, at + 4, [](char digit) { return hex_value(digit) >= 0; });
    return ok ? at + 4 : nullptr;
  }

  const char* word(const char* at, std::string_view expected) const {
    if (static_cast<std::size_t>(end_ - at) < expected.size()) return nullptr;
    if (std::memcmp(at, expected.data(), expected.size()) != 0) return nullptr;
    return at + expected.size();
  }

  // At least one digit.
  const char* digits(const char* at) const {
    if (at == end_ || !is_digit(*at)) return nullptr;
    while (at != end_ && is_digit(*at)) ++at;
    return at;
  }

  const char* number(const char* at) const {
    if (is(at, '-')) ++at;
    at = is(at, '0') ? at + 1 : digits(at);
    if (at == nullptr) return nullptr;
    if (is(at, '.')) {
      at = digits(at + 1);
      if (at == nullptr) return nullptr;
    }
    if (!is(at, 'e') && !is(at, 'E')) return at;
    ++at;
    if (is(at, '+') || is(at, '-')) ++at;
    return digits(at);
  }

  const char* const begin_;
  const char* const end_;
  const std::size_t deepest_;
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

// The character of a \u escape whose digits begin at `at`; moves `at` behind it, and behind the
// other half of a surrogate pair.
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
