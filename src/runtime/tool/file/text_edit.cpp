// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/text_edit.h"

#include <algorithm>

#include "base/core/find_part.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

constexpr std::size_t kMaxLinesTold = 10;

std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) out.push_back('\r');
    out.push_back(text[i]);
  }
  return out;
}

// Number of occurrences of a part, and the first positions. A text may repeat the part millions of
// times, so not all positions are kept.
struct Occurrences {
  std::size_t count = 0;
  std::vector<std::size_t> first;
};

Occurrences occurrences(std::string_view text, std::string_view part) {
  Occurrences found;
  for (std::size_t at = core::find_part(text, part); at != std::string_view::npos;
       at = core::find_part(text, part, at + part.size())) {
    if (found.count++ < kMaxLinesTold) found.first.push_back(at);
  }
  return found;
}

// True if `count` replacements leave at most `max` bytes.
bool fits(std::size_t size, std::size_t count, std::size_t old_size, std::size_t new_size,
          std::size_t max) {
  if (new_size <= old_size) return size - count * (old_size - new_size) <= max;
  return size <= max && count <= (max - size) / (new_size - old_size);
}

std::string replaced(std::string_view text, std::string_view old_text, std::string_view new_text,
                     std::size_t count) {
  std::string out;
  out.reserve(text.size() - count * old_text.size() + count * new_text.size());
  std::size_t from = 0;
  for (std::size_t at = core::find_part(text, old_text); at != std::string_view::npos;
       at = core::find_part(text, old_text, from)) {
    out.append(text.substr(from, at - from)).append(new_text);
    from = at + old_text.size();
  }
  out.append(text.substr(from));
  return out;
}

std::vector<std::size_t> lines_of(std::string_view text, const std::vector<std::size_t>& offsets) {
  std::vector<std::size_t> lines;
  std::size_t line = 1;
  std::size_t from = 0;
  for (const std::size_t offset : offsets) {
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(from),
                                                text.begin() + static_cast<std::ptrdiff_t>(offset),
                                                '\n'));
    from = offset;
    lines.push_back(line);
  }
  return lines;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A text without its white space, and the original position of each character.
struct Squeezed {
  std::string text;
  std::vector<std::size_t> from;
};

Squeezed squeezed(std::string_view text) {
  Squeezed out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_blank(text[i])) continue;
    out.text.push_back(text[i]);
    out.from.push_back(i);
  }
  return out;
}

// Explains why the old text was not found, with hints.
core::Error not_there(std::string_view text, std::string_view old_text) {
  core::Error error{Code::not_found, "oldString does not occur in the file", "oldString"};
  constexpr std::size_t kMaxSqueezed = 1U << 20U;
  if (text.size() > kMaxSqueezed || old_text.size() > text.size())
    return {error.code, error.message + ".", error.field};
  const Squeezed all = squeezed(text);
  const std::string part = squeezed(old_text).text;
  const std::size_t at = part.empty() ? std::string::npos : core::find_part(all.text, part);
  if (at != std::string::npos) {
    const std::size_t line = lines_of(text, {all.from[at]}).front();
    error.message += "; it occurs at line " + std::to_string(line) +
                     " with different white space: copy that exactly";
  }
  error.message += ".";
  return error;
}

std::string listed(const std::vector<std::size_t>& lines, std::size_t count) {
  std::string out;
  for (const std::size_t line : lines) {
    if (!out.empty()) out += ", ";
    out += std::to_string(line);
  }
  return count > lines.size() ? out + ", ..." : out;
}

}  // namespace

Result<Edited> apply_edit(std::string_view text, const TextEdit& edit, std::size_t max_bytes) {
  if (edit.old_text.empty()) {
    return fail(Code::invalid_argument, "oldString is empty: it must be text of the file.",
                "oldString");
  }
  if (edit.old_text == edit.new_text) {
    return fail(Code::invalid_argument, "oldString and newString are the same.", "newString");
  }
  std::string old_text(edit.old_text);
  std::string new_text(edit.new_text);
  Occurrences found = occurrences(text, old_text);
  if (found.count == 0 && text.find("\r\n") != std::string_view::npos) {
    old_text = with_crlf(edit.old_text);
    new_text = with_crlf(edit.new_text);
    found = occurrences(text, old_text);
  }
  if (found.count == 0) return fail(not_there(text, edit.old_text));
  Edited out;
  out.count = found.count;
  out.lines = lines_of(text, found.first);
  if (found.count > 1 && !edit.all) {
    return fail(Code::failed_precondition,
                "oldString occurs " + std::to_string(found.count) + " times (lines " +
                    listed(out.lines, out.count) +
                    "): add text around it until it is unique, or set replaceAll.",
                "oldString");
  }
  if (!fits(text.size(), found.count, old_text.size(), new_text.size(), max_bytes)) {
    return fail(Code::resource_exhausted,
                "The file would be larger than " + std::to_string(max_bytes) + " bytes.");
  }
  out.text = replaced(text, old_text, new_text, found.count);
  return out;
}

}  // namespace parley::tool
