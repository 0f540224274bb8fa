// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/segment.h"

#include "base/core/utf8.h"

namespace parley::typing {
namespace {

auto refused(std::string why) {
  return core::fail(core::Code::invalid_argument, std::move(why), "input");
}

// C0, DEL and C1 characters: no key types them.
bool is_control(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20U || byte == 0x7FU) return true;
  return byte == 0xC2U && static_cast<unsigned char>(text[at + 1]) < 0xA0U;
}

}  // namespace

core::Result<std::vector<Segment>> segments_of(std::string_view text) {
  if (text.size() > kMaxTypedBytes) {
    return refused("The text has " + std::to_string(text.size()) + " bytes; at most " +
                   std::to_string(kMaxTypedBytes) + " can be typed.");
  }
  if (!core::is_utf8(text)) {
    return refused("The text is not valid UTF-8 at byte " +
                   std::to_string(core::utf8_prefix(text)) + ".");
  }
  std::vector<Segment> out;
  std::string run;
  const auto press = [&](Key key) {
    if (!run.empty()) out.push_back({std::move(run), Key::none});
    run.clear();
    out.push_back({{}, key});
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r') continue;
    if (text[at] == '\n') {
      press(Key::enter);
    } else if (text[at] == '\t') {
      press(Key::tab);
    } else if (is_control(text, at)) {
      return refused("The text has a control character at byte " + std::to_string(at) +
                     ", which cannot be typed.");
    } else {
      run += text[at];
    }
  }
  if (!run.empty()) out.push_back({std::move(run), Key::none});
  if (out.empty()) return refused("There is nothing to type.");
  return out;
}

}  // namespace parley::typing
