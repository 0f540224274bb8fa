// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/core/utf8.h"
#include "runtime/model/completion_stream.h"

namespace {

using parley::model::CompletionStream;
using parley::model::ModelEvents;
using parley::model::ModelReply;

struct Heard {
  std::string text;
  std::string reasoning;
  std::size_t calls = 0;
};

parley::core::Result<ModelReply> read(std::string_view bytes, std::size_t cut, Heard& heard) {
  ModelEvents events;
  events.on_text = [&heard](std::string_view text) { heard.text += text; };
  events.on_reasoning = [&heard](std::string_view text) { heard.reasoning += text; };
  events.on_tool_call = [&heard](std::size_t index, std::string_view id, std::string_view,
                                 std::string_view) {
    if (index > heard.calls || id.empty()) std::abort();
    if (index == heard.calls) ++heard.calls;
  };
  int created = 0;
  CompletionStream stream(events, [&created] { return "made_" + std::to_string(++created); });
  if (stream.feed(bytes.substr(0, cut))) (void)stream.feed(bytes.substr(cut));
  return stream.finish(true);
}

}  // namespace

// The reply is the same for any split of the bytes, and equals the events, in valid UTF-8.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Heard whole;
  Heard split;
  const auto first = read(bytes, 0, whole);
  const auto second = read(bytes, bytes.size() * data[0] / 256, split);
  if (first.has_value() != second.has_value()) std::abort();
  if (whole.text != split.text || whole.reasoning != split.reasoning) std::abort();
  if (!parley::core::is_utf8(whole.text) || !parley::core::is_utf8(whole.reasoning)) std::abort();
  if (!first) return 0;
  if (first->message.content != whole.text || first->message.reasoning != whole.reasoning) {
    std::abort();
  }
  if (first->message.tool_calls != second->message.tool_calls) std::abort();
  if (first->message.tool_calls.size() != whole.calls) std::abort();
  return 0;
}
