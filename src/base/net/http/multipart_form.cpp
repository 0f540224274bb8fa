// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/multipart_form.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/core/result.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

using core::Result;

constexpr std::string_view kFormType = "multipart/form-data";
constexpr std::string_view kFormLineEnd = "\r\n";
constexpr std::string_view kFormHeadEnd = "\r\n\r\n";

tl::unexpected<core::Error> broken(std::string message) {
  return core::fail(core::Code::invalid_argument, std::move(message), "body");
}

// A field value such as "text/plain; charset=utf-8; name=\"a;b\"": first() is the text before the
// first semicolon; parameter() is std::nullopt if the parameter is missing or its quotes are not
// closed.
class FieldValue {
 public:
  explicit FieldValue(std::string_view text) : text_(text) {}

  std::string_view first() const { return trim(text_.substr(0, text_.find(';'))); }

  std::optional<std::string> parameter(std::string_view name) const {
    std::size_t at = text_.find(';');
    while (at < text_.size()) {
      const std::size_t equals = text_.find('=', at);
      if (equals == std::string_view::npos) return std::nullopt;
      const std::string_view found = trim(text_.substr(at + 1, equals - at - 1));
      std::string value;
      const std::optional<std::size_t> end = read_value(equals + 1, value);
      if (!end) return std::nullopt;
      if (equals_ignoring_case(found, name)) return value;
      at = *end;
    }
    return std::nullopt;
  }

 private:
  // Returns the position of the semicolon after the value, or the end.
  std::optional<std::size_t> read_value(std::size_t at, std::string& value) const {
    at = std::min(text_.find_first_not_of(" \t", at), text_.size());
    if (at == text_.size() || text_[at] != '"') {
      const std::size_t end = std::min(text_.find(';', at), text_.size());
      value = trim(text_.substr(at, end - at));
      return end;
    }
    // Browsers encode quotes; other clients escape only quotes with a backslash: the backslashes of
    // "C:\a.png" belong to the name.
    for (++at; at < text_.size() && text_[at] != '"'; ++at) {
      if (text_[at] == '\\' && at + 1 < text_.size() && text_[at + 1] == '"') ++at;
      value.push_back(text_[at]);
    }
    if (at == text_.size()) return std::nullopt;
    return std::min(text_.find(';', at), text_.size());
  }

  std::string_view text_;
};

Result<std::string> boundary_of(std::string_view content_type) {
  const FieldValue type(content_type);
  if (!equals_ignoring_case(type.first(), kFormType)) {
    return broken("The body must be multipart/form-data.");
  }
  std::optional<std::string> boundary = type.parameter("boundary");
  if (!boundary || boundary->empty() || boundary->size() > kMaxFormBoundary ||
      std::any_of(boundary->begin(), boundary->end(), is_control)) {
    return broken("The Content-Type must have a boundary of 1 to " +
                  std::to_string(kMaxFormBoundary) + " characters.");
  }
  return std::move(*boundary);
}

// Name, filename and type from the head of a part, which ends with a line end.
Result<FormPart> read_head(std::string_view head) {
  FormPart part;
  bool named = false;
  while (!head.empty()) {
    const std::size_t end = head.find(kFormLineEnd);
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + kFormLineEnd.size());
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || std::any_of(line.begin(), line.end(), is_bad_text)) {
      return broken("The headers of a part are malformed.");
    }
    const FieldValue value(line.substr(colon + 1));
    const std::string_view field = trim(line.substr(0, colon));
    if (equals_ignoring_case(field, "Content-Type")) part.type = value.first();
    if (!equals_ignoring_case(field, "Content-Disposition")) continue;
    std::optional<std::string> name = value.parameter("name");
    if (named || !name || !equals_ignoring_case(value.first(), "form-data")) {
      return broken("The Content-Disposition of a part must be form-data with exactly one name.");
    }
    named = true;
    part.name = std::move(*name);
    part.filename = value.parameter("filename").value_or("");
  }
  if (!named) return broken("A part has no Content-Disposition.");
  return part;
}

// The position of the next delimiter at the beginning of a line, from `at` on.
std::size_t find_delimiter(std::string_view body, std::string_view delimiter, std::size_t at) {
  while (true) {
    at = body.find(delimiter, at);
    if (at == std::string_view::npos || at == 0) return at;
    if (body.substr(0, at).ends_with(kFormLineEnd)) return at;
    ++at;
  }
}

}  // namespace

Result<std::vector<FormPart>> read_form(std::string_view content_type, std::string_view body) {
  PARLEY_TRY(const std::string boundary, boundary_of(content_type));
  const std::string delimiter = "--" + boundary;
  const std::string behind = std::string(kFormLineEnd) + delimiter;
  std::size_t at = find_delimiter(body, delimiter, 0);
  std::vector<FormPart> parts;
  while (at != std::string_view::npos) {
    at += delimiter.size();
    const std::string_view rest = body.substr(at);
    if (rest.starts_with("--")) return parts;
    const std::size_t blank = std::min(rest.find_first_not_of(" \t"), rest.size());
    if (rest.substr(blank, 2) != kFormLineEnd) {
      return broken("A boundary is not followed by a line end.");
    }
    if (parts.size() == kMaxFormParts) {
      return broken("A form may have at most " + std::to_string(kMaxFormParts) + " parts.");
    }
    // The search begins at the boundary's line end, because the head may be empty.
    const std::size_t head_end = rest.substr(0, blank + kMaxFormPartHead).find(kFormHeadEnd, blank);
    if (head_end == std::string_view::npos) {
      return broken("The headers of a part are longer than " + std::to_string(kMaxFormPartHead) +
                    " bytes.");
    }
    const std::size_t head_begin = blank + kFormLineEnd.size();
    PARLEY_TRY(
        FormPart part,
        read_head(head_end < head_begin ? "" : rest.substr(head_begin, head_end + 2 - head_begin)));
    const std::size_t data = head_end + kFormHeadEnd.size();
    // The delimiter of an empty part may begin with the line end of its head.
    const std::size_t end = rest.find(behind, data - kFormLineEnd.size());
    if (end == std::string_view::npos) return broken("The form has no closing boundary.");
    part.bytes = rest.substr(data, std::max(end, data) - data);
    parts.push_back(std::move(part));
    at += end + kFormLineEnd.size();
  }
  return broken("The form has no closing boundary.");
}

}  // namespace parley::net
