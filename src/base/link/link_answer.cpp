// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_answer.h"

#include <algorithm>

#include "base/core/assert.h"
#include "base/core/number_text.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"

namespace parley::link {
namespace {

constexpr std::string_view kAccepted = "accepted";
constexpr std::string_view kMoved = "moved";
constexpr std::string_view kRefused = "refused";

// Removes the text up to the next space from `rest`, and the space.
std::string_view next_word(std::string_view& rest) {
  const std::size_t space = rest.find(' ');
  const std::string_view word = rest.substr(0, space);
  rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  return word;
}

RefusalCode refusal_of(std::string_view name) {
  const auto* const found = std::find(kRefusalNames.begin(), kRefusalNames.end(), name);
  if (found == kRefusalNames.end()) return RefusalCode::unknown;
  return static_cast<RefusalCode>(found - kRefusalNames.begin());
}

core::Result<LinkAnswer> no_answer(const std::string& expected) {
  return core::fail(core::Code::invalid_argument,
                    "The answer to the preface must be " + expected + ".", "answer");
}

}  // namespace

std::string encode_answer(const LinkAnswer& answer) {
  std::string out(kLinkMagic);
  out.append(std::to_string(kLinkVersion)).append(" ");
  if (answer.refusal) {
    PARLEY_ASSERT(answer.refusal->code != RefusalCode::unknown,
                  "link: a refusal without a code is sent");
    out.append(kRefused).append(" ").append(refusal_name(answer.refusal->code)).append(" ");
    const std::string sentence = core::visible_line(answer.refusal->sentence);
    out.append(core::utf8_truncate(sentence, kMaxLinkAnswerBytes - out.size() - 1));
  } else if (answer.successor != kNoNode) {
    out.append(kMoved).append(" ").append(std::to_string(answer.successor));
  } else {
    out.append(kAccepted);
  }
  return out += '\n';
}

core::Result<LinkAnswer> decode_answer(std::string_view line) {
  if (!core::is_utf8(line) || !line.starts_with(kLinkMagic)) {
    return no_answer("a line of UTF-8 that begins with " + std::string(kLinkMagic));
  }
  line.remove_prefix(kLinkMagic.size());
  const auto version = core::parse_number<int>(next_word(line));
  if (!version || *version < 1) return no_answer("of a version, a whole number from 1");
  const std::string_view kind = next_word(line);
  LinkAnswer out;
  if (kind == kRefused) {
    const RefusalCode code = refusal_of(next_word(line));
    out.refusal = Refusal{code, core::visible_line(line)};
    return out;
  }
  if (*version != kLinkVersion) {
    return no_answer("of version " + std::to_string(kLinkVersion) + ", or a refusal");
  }
  if (kind == kAccepted && line.empty()) return out;
  if (kind != kMoved) return no_answer("accepted, moved or refused");
  const auto successor = core::parse_number<NodeNumber>(line);
  if (!successor || *successor <= kNoNode) return no_answer("moved and a whole number from 1");
  out.successor = *successor;
  return out;
}

std::size_t LinkAnswerReader::take(std::string_view bytes) {
  if (result_) return 0;
  const std::size_t end = bytes.find('\n');
  const std::size_t size = end == std::string_view::npos ? bytes.size() : end + 1;
  if (line_.size() + size > kMaxLinkAnswerBytes) {
    result_ = no_answer("at most " + std::to_string(kMaxLinkAnswerBytes) + " bytes long");
    return 0;
  }
  line_.append(bytes.substr(0, size));
  if (end == std::string_view::npos) return size;
  line_.pop_back();
  result_ = decode_answer(line_);
  std::string().swap(line_);
  return size;
}

}  // namespace parley::link
