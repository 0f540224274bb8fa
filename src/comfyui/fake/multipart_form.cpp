// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "comfyui/fake/multipart_form.h"

#include "core/ascii.h"

namespace parley::fake_comfyui {
namespace {

// The value of `name="..."` in a header line.
std::string quoted(std::string_view line, std::string_view name) {
  const std::string mark = std::string(name) + "=\"";
  std::size_t at = line.find(mark);
  // "name=" is also the end of "filename=".
  while (at != std::string_view::npos && at > 0 && line[at - 1] != ' ' && line[at - 1] != ';') {
    at = line.find(mark, at + 1);
  }
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + mark.size();
  const std::size_t end = line.find('"', begin);
  return end == std::string_view::npos ? std::string()
                                       : std::string(line.substr(begin, end - begin));
}

}  // namespace

std::optional<std::vector<FormPart>> read_form(std::string_view content_type,
                                               std::string_view body) {
  constexpr std::string_view kMark = "boundary=";
  const std::size_t at = content_type.find(kMark);
  if (!content_type.starts_with("multipart/form-data") || at == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view boundary = content_type.substr(at + kMark.size());
  boundary = core::trimmed(boundary.substr(0, boundary.find(';')), "\" ");
  if (boundary.empty()) return std::nullopt;
  const std::string separator = "--" + std::string(boundary);
  std::vector<FormPart> parts;
  std::size_t begin = body.find(separator);
  while (begin != std::string_view::npos && parts.size() < kMaxFormParts) {
    begin += separator.size();
    if (body.substr(begin).starts_with("--")) return parts;
    const std::size_t head_end = body.find("\r\n\r\n", begin);
    const std::size_t end = body.find("\r\n" + separator, begin);
    if (head_end == std::string_view::npos || end == std::string_view::npos || head_end > end) {
      return std::nullopt;
    }
    const std::string_view head = body.substr(begin, head_end - begin);
    const std::size_t data = std::min(head_end + 4, end);
    parts.push_back(
        {quoted(head, "name"), quoted(head, "filename"), body.substr(data, end - data)});
    begin = end + 2;
  }
  return std::nullopt;
}

}  // namespace parley::fake_comfyui
