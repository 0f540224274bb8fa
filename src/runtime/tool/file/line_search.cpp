// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/line_search.h"

#include <re2/re2.h>

#include <deque>
#include <utility>

#include "base/core/utf8_repair.h"
#include "runtime/tool/plain_text.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

constexpr std::int64_t kSearchMemory = 8 << 20;
constexpr std::size_t kLinesBetweenLooks = 256;

}  // namespace

// State of the search in one text.
struct LineSearch::File {
  std::string shown_path;
  std::deque<std::string_view> before;  // lines that may become context
  std::size_t after = 0;                // lines still to show after the last match
  std::size_t last_shown = 0;           // number of the line shown last
};

LineSearch::LineSearch(std::unique_ptr<re2::RE2> expression, const SearchOptions& options)
    : expression_(std::move(expression)), context_(options.context), most_(options.most) {}
LineSearch::LineSearch(LineSearch&&) noexcept = default;
LineSearch& LineSearch::operator=(LineSearch&&) noexcept = default;
LineSearch::~LineSearch() = default;

Result<LineSearch> LineSearch::make(const SearchOptions& options) {
  if (options.pattern.empty() || options.pattern.size() > kMaxPatternBytes) {
    return fail(Code::invalid_argument,
                "The pattern must have 1 to " + std::to_string(kMaxPatternBytes) + " bytes.",
                "pattern");
  }
  re2::RE2::Options how;
  how.set_log_errors(false);
  how.set_max_mem(kSearchMemory);
  how.set_case_sensitive(!options.ignore_case);
  how.set_literal(options.literal);
  auto expression = std::make_unique<re2::RE2>(options.pattern, how);
  if (!expression->ok()) {
    return fail(Code::invalid_argument,
                "The regular expression cannot be read: " + expression->error() +
                    ". (RE2's syntax: no back references, no look-around. Set `literal` to look "
                    "for the text as it is.)",
                "pattern");
  }
  return LineSearch(std::move(expression), options);
}

void LineSearch::show(const File& file, std::size_t number, std::string_view line, char mark) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string_view shown = cut_bytes(line, kMaxShownBytes);
  output_.append(file.shown_path).push_back(mark);
  output_.append(std::to_string(number)).push_back(mark);
  output_.append(core::repaired_utf8(shown)).append(shown.size() < line.size() ? "...\n" : "\n");
}

// False if this match exceeds a limit.
bool LineSearch::match(File& file, std::string_view line, std::size_t number) {
  if (matches_ == most_ || output_.size() >= kMaxOutputBytes) {
    full_ = true;
    return false;
  }
  ++matches_;
  const std::size_t first = number - file.before.size();
  if (context_ > 0 && !output_.empty() && (file.last_shown == 0 || first > file.last_shown + 1)) {
    output_.append("--\n");
  }
  for (std::size_t i = 0; i < file.before.size(); ++i) {
    show(file, first + i, file.before[i], '-');
  }
  show(file, number, line, ':');
  file.before.clear();
  file.last_shown = number;
  file.after = context_;
  return true;
}

bool LineSearch::add(std::string_view path, std::string_view text, const StopFlag& stop) {
  File file;
  file.shown_path = core::repaired_utf8(path);
  for (std::size_t number = 1; !text.empty(); ++number) {
    if (number % kLinesBetweenLooks == 0 && stop.stopped()) return false;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string_view searched = line.substr(0, kMaxSearchedBytes);
    if (searched.size() == kMaxSearchedBytes && stop.stopped()) return false;
    if (re2::RE2::PartialMatch(re2::StringPiece(searched.data(), searched.size()), *expression_)) {
      if (!match(file, line, number)) return false;
    } else if (file.after > 0) {
      show(file, number, line, '-');
      file.last_shown = number;
      --file.after;
    } else if (context_ > 0) {
      file.before.push_back(line);
      if (file.before.size() > context_) file.before.pop_front();
    }
  }
  return true;
}

}  // namespace parley::tool
