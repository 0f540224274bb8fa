// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/context_cut.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "base/core/utf8.h"
#include "runtime/model/context.h"

namespace parley::model {
namespace {

constexpr std::size_t kBytesPerToken = 4;
// Argument strings up to this size are never cut, in bytes.
constexpr std::size_t kShortArgument = 200;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

// The last `limit` bytes; does not start within a character.
std::string_view tail_of(std::string_view text, std::size_t limit) {
  std::size_t begin = text.size() - std::min(limit, text.size());
  while (begin < text.size() && continues(text[begin])) ++begin;
  return text.substr(begin);
}

// The first `limit` bytes of possibly ill-formed text; does not end within a character.
std::string_view head_of(std::string_view text, std::size_t limit) {
  std::size_t end = std::min(limit, text.size());
  while (end > 0 && end < text.size() && continues(text[end])) --end;
  return text.substr(0, end);
}

void shorten_strings(boost::json::value& value, std::size_t limit) {
  if (boost::json::string* text = value.if_string()) {
    if (text->size() > limit)
      *text = cut_middle(std::string_view(text->data(), text->size()), limit);
  } else if (boost::json::array* array = value.if_array()) {
    for (boost::json::value& item : *array) shorten_strings(item, limit);
  } else if (boost::json::object* object = value.if_object()) {
    for (auto& member : *object) shorten_strings(member.value(), limit);
  }
}

std::string shorter_arguments(const std::string& arguments, std::size_t limit) {
  boost::system::error_code failure;
  boost::json::value parsed = boost::json::parse(arguments, failure);
  if (!failure && parsed.is_object()) {
    shorten_strings(parsed, kShortArgument);
    std::string shorter = boost::json::serialize(parsed);
    if (shorter.size() <= std::max(limit, kShortArgument)) return shorter;
  }
  boost::json::object note;
  note["cut"] = "The arguments had " + std::to_string(arguments.size()) + " bytes.";
  return boost::json::serialize(note);
}

std::size_t bytes_of(const Message& message) {
  std::size_t bytes = message.content.size() + message.reasoning.size();
  for (const ToolCall& call : message.tool_calls) bytes += call.arguments.size();
  return bytes;
}

// Replaces media by a line of text each: their data cannot be cut.
void drop_media(Message& message) {
  for (const Part& part : message.parts) {
    if (part.type == Part::Type::text) continue;
    message.content += "\n[A file was left out: too large for this model";
    if (!part.name.empty()) message.content += ", " + part.name;
    message.content += "]";
  }
  message.parts.clear();
}

}  // namespace

std::string cut_middle(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::string note = "\n[... about " +
                           std::to_string(text.size() - std::min(limit, text.size())) +
                           " bytes were cut here to fit the model's context ...]\n";
  const std::size_t room = limit > note.size() ? limit - note.size() : 0;
  const std::string_view head = head_of(text, room / 3 * 2);
  const std::string_view tail = tail_of(text.substr(head.size()), room / 3);
  std::string out(head);
  out += note;
  out += tail;
  return out;
}

bool cut_message(Message& message, std::uint64_t tokens) {
  if (estimate_tokens(message) <= tokens) return false;
  if (!message.parts.empty()) drop_media(message);
  // Old reasoning is removed first.
  if (estimate_tokens(message) > tokens) message.reasoning.clear();
  const std::size_t limit = static_cast<std::size_t>(tokens) * kBytesPerToken;
  if (bytes_of(message) > limit && !message.tool_calls.empty()) {
    const std::size_t share = limit / 2 / message.tool_calls.size();
    for (ToolCall& call : message.tool_calls) {
      if (call.arguments.size() > share) call.arguments = shorter_arguments(call.arguments, share);
    }
  }
  const std::uint64_t now = estimate_tokens(message);
  if (now > tokens) {
    const std::size_t over = static_cast<std::size_t>(now - tokens) * kBytesPerToken;
    const std::size_t size = message.content.size();
    message.content = cut_middle(message.content, size > over ? size - over : 0);
  }
  return true;
}

std::uint64_t level_for(const std::vector<std::uint64_t>& sizes, std::uint64_t total) {
  std::vector<std::uint64_t> sorted = sizes;
  std::sort(sorted.begin(), sorted.end());
  std::uint64_t left = total;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::uint64_t share = left / (sorted.size() - i);
    if (sorted[i] > share) return share;
    left -= sorted[i];
  }
  return total;
}

}  // namespace parley::model
