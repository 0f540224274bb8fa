// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/patch.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

// Limit of the line comparisons for one patched file: about a second of work.
// Limit (Tools): comparisons of lines, a file. Reached: refused, nothing changed.
constexpr std::size_t kMaxComparisons = 5'000'000;

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";
constexpr std::string_view kAdd = "*** Add File: ";
constexpr std::string_view kUpdate = "*** Update File: ";
constexpr std::string_view kDelete = "*** Delete File: ";
constexpr std::string_view kMove = "*** Move to: ";
constexpr std::string_view kEndOfFile = "*** End of File";

std::string_view right_trimmed(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::string_view blanks_trimmed(std::string_view text) {
  text = right_trimmed(text);
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// For "-1,2 +1,3 @@ void f()" of a unified diff: the text after the ranges.
std::string_view header_of(std::string_view line) {
  line.remove_prefix(2);
  line = blanks_trimmed(line);
  if (!line.starts_with("-") || line.find(" +") == std::string_view::npos) return line;
  const std::size_t end = line.find("@@");
  return end == std::string_view::npos ? std::string_view() : blanks_trimmed(line.substr(end + 2));
}

class PatchReader {
 public:
  explicit PatchReader(std::string_view text) : lines_(lines_of(text)) {}

  Result<std::vector<FilePatch>> read() {
    while (at_ < lines_.size() && blanks_trimmed(lines_[at_]) != kBegin) ++at_;
    if (at_ == lines_.size()) {
      return fail(Code::invalid_argument,
                  "The patch must begin with the line \"" + std::string(kBegin) + "\".",
                  "patchText");
    }
    ++at_;
    std::vector<FilePatch> patches;
    while (at_ < lines_.size() && blanks_trimmed(lines_[at_]) != kEnd) {
      if (blanks_trimmed(lines_[at_]).empty()) {
        ++at_;
        continue;
      }
      if (patches.size() == kMaxPatchFiles) {
        return wrong("has more than " + std::to_string(kMaxPatchFiles) + " files");
      }
      Result<FilePatch> patch = read_file();
      if (!patch) return fail(patch.error());
      patches.push_back(std::move(*patch));
    }
    if (at_ == lines_.size()) return wrong("is not ended by \"" + std::string(kEnd) + "\"");
    if (patches.empty()) return wrong("changes no file");
    return patches;
  }

 private:
  tl::unexpected<core::Error> wrong(const std::string& what) const {
    return fail(Code::invalid_argument,
                "Line " + std::to_string(std::min(at_, lines_.size() - 1) + 1) +
                    " of the patch: it " + what + ".",
                "patchText");
  }

  bool at_mark() const {
    return at_ >= lines_.size() ||
           (lines_[at_].starts_with("*** ") && !lines_[at_].starts_with(kEndOfFile));
  }

  Result<FilePatch> read_file() {
    const std::string_view line = lines_[at_];
    FilePatch patch;
    const auto begins = [&line, &patch](std::string_view mark) {
      if (!line.starts_with(mark)) return false;
      patch.path = blanks_trimmed(line.substr(mark.size()));
      return true;
    };
    Result<void> rest;
    ++at_;
    if (begins(kAdd)) {
      patch.kind = FilePatch::Kind::add;
      rest = read_content(patch);
    } else if (begins(kUpdate)) {
      rest = read_update(patch);
    } else if (begins(kDelete)) {
      patch.kind = FilePatch::Kind::remove;
    } else {
      --at_;
      return wrong(
          "should be \"*** Add File: \", \"*** Update File: \" or \"*** Delete File: \" "
          "and a path, but is \"" +
          std::string(line.substr(0, 80)) + "\"");
    }
    if (!rest) return fail(rest.error());
    if (patch.path.empty()) return wrong("has no path before it");
    return patch;
  }

  Result<void> read_content(FilePatch& patch) {
    for (; !at_mark(); ++at_) {
      const std::string_view line = lines_[at_];
      if (!line.starts_with('+')) return wrong("should begin with + (a line of the new file)");
      patch.content.append(line.substr(1)).append("\n");
    }
    return {};
  }

  Result<void> read_update(FilePatch& patch) {
    if (at_ < lines_.size() && lines_[at_].starts_with(kMove)) {
      patch.move_to = blanks_trimmed(lines_[at_].substr(kMove.size()));
      ++at_;
    }
    while (!at_mark()) {
      if (patch.hunks.size() == kMaxPatchHunks) {
        return wrong("is in a file with more than " + std::to_string(kMaxPatchHunks) + " hunks");
      }
      PatchHunk hunk;
      hunk.number = patch.hunks.size() + 1;
      if (lines_[at_].starts_with("@@")) {
        hunk.header = header_of(lines_[at_]);
        ++at_;
      }
      if (Result<void> read = read_hunk(hunk); !read) return read;
      // Empty lines between two files are not context.
      if (hunk.before.empty() && hunk.after.empty() && at_mark()) break;
      patch.hunks.push_back(std::move(hunk));
    }
    if (patch.hunks.empty() && patch.move_to.empty()) return wrong("has no hunk before it");
    return {};
  }

  Result<void> read_hunk(PatchHunk& hunk) {
    std::size_t trailing = 0;  // empty lines, which may only separate this file from the next
    for (; !at_mark() && !lines_[at_].starts_with("@@"); ++at_) {
      const std::string_view line = lines_[at_];
      if (line.starts_with(kEndOfFile)) {
        hunk.at_end = true;
        ++at_;
        return {};
      }
      trailing = line.empty() ? trailing + 1 : 0;
      const char sign = line.empty() ? ' ' : line.front();
      const std::string text(line.empty() ? line : line.substr(1));
      if (sign != ' ' && sign != '-' && sign != '+') {
        return wrong("should begin with a space, - or +, but is \"" +
                     std::string(line.substr(0, 80)) + "\"");
      }
      if (sign != '+') hunk.before.push_back(text);
      if (sign != '-') hunk.after.push_back(text);
    }
    for (; trailing > 0; --trailing) {
      hunk.before.pop_back();
      hunk.after.pop_back();
    }
    return {};
  }

  const std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
};

// Treatment of white space when lines are compared.
enum class Care : std::uint8_t { exact, left, none };

bool alike(std::string_view one, std::string_view other, Care care) {
  switch (care) {
    case Care::exact:
      return one == other;
    case Care::left:
      return right_trimmed(one) == right_trimmed(other);
    case Care::none:
      break;
  }
  return blanks_trimmed(one) == blanks_trimmed(other);
}

class HunkMaker {
 public:
  explicit HunkMaker(std::string_view text)
      : crlf_(text.find("\r\n") != std::string_view::npos),
        ends_open_(!text.empty() && !text.ends_with('\n')) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      lines_.emplace_back(text.substr(0, end));  // with its CR
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }

  Result<void> make(const PatchHunk& hunk) {
    if (!hunk.header.empty()) {
      const std::optional<std::size_t> header = find_header(hunk.header);
      if (!header) return fail(Code::failed_precondition, no_header(hunk));
      at_ = *header + 1;
    }
    if (hunk.before.empty()) {
      const std::size_t where = hunk.header.empty() ? lines_.size() : at_;
      put(where, 0, context_lines(where, hunk));
      return {};
    }
    for (const Care care : {Care::exact, Care::left, Care::none}) {
      if (const std::optional<std::size_t> found = find(hunk, care)) {
        const std::vector<std::string> after = context_lines(*found, hunk);
        if (comparisons_ > kMaxComparisons) return fail(gave_up(hunk));
        put(*found, hunk.before.size(), after);
        return {};
      }
    }
    if (comparisons_ > kMaxComparisons) return fail(gave_up(hunk));
    return fail(Code::failed_precondition, no_fit(hunk));
  }

  std::size_t size() const {
    std::size_t bytes = 0;
    for (const std::string& line : lines_) bytes += line.size() + 1;
    return bytes;
  }

  std::string text() const {
    std::string out;
    out.reserve(size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      out += lines_[i];
      if (i + 1 == lines_.size() && ends_open_) break;
      out += "\n";
    }
    return out;
  }

 private:
  static core::Error gave_up(const PatchHunk& hunk) {
    return {Code::resource_exhausted,
            "Hunk " + std::to_string(hunk.number) +
                " was not found: the file has too many lines that are alike. Give a line above it "
                "after @@.",
            {}};
  }

  std::optional<std::size_t> find_header(const std::string& header) const {
    for (const Care care : {Care::exact, Care::none}) {
      for (std::size_t i = at_; i < lines_.size(); ++i) {
        if (alike(lines_[i], header, care)) return i;
      }
    }
    // A header is often only a part of the line, such as a name.
    for (std::size_t i = at_; i < lines_.size(); ++i) {
      if (blanks_trimmed(lines_[i]).starts_with(blanks_trimmed(header))) return i;
    }
    return std::nullopt;
  }

  // Number of lines of the hunk that match from line `from` on.
  std::size_t matched(const PatchHunk& hunk, std::size_t from, Care care) const {
    std::size_t count = 0;
    while (count < hunk.before.size() && from + count < lines_.size() &&
           alike(lines_[from + count], hunk.before[count], care)) {
      ++count;
    }
    comparisons_ += count + 1;
    return count;
  }

  std::optional<std::size_t> find(const PatchHunk& hunk, Care care) const {
    const std::size_t size = hunk.before.size();
    if (lines_.size() < size) return std::nullopt;
    const std::size_t last = lines_.size() - size;
    if (hunk.at_end) {
      return last >= at_ && matched(hunk, last, care) == size ? std::optional(last) : std::nullopt;
    }
    for (std::size_t from = at_; from <= last && comparisons_ <= kMaxComparisons; ++from) {
      if (matched(hunk, from, care) == size) return from;
    }
    return std::nullopt;
  }

  // Replacement of the hunk: context as in the file, not as in the patch, and new lines with the
  // file's line ends.
  std::vector<std::string> context_lines(std::size_t found, const PatchHunk& hunk) const {
    std::vector<std::string> out = hunk.after;
    std::size_t line = 0;
    for (std::string& text : out) {
      const auto from = hunk.before.begin() + static_cast<std::ptrdiff_t>(line);
      const auto same = std::find(from, hunk.before.end(), text);
      comparisons_ += static_cast<std::size_t>(same - from) + 1;
      if (comparisons_ > kMaxComparisons) return {};
      if (same == hunk.before.end()) {
        if (crlf_) text += "\r";
        continue;
      }
      line = static_cast<std::size_t>(same - hunk.before.begin());
      text = lines_[found + line];
      ++line;
    }
    return out;
  }

  void put(std::size_t where, std::size_t size, const std::vector<std::string>& after) {
    const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(where);
    const auto end = begin + static_cast<std::ptrdiff_t>(size);
    lines_.insert(lines_.erase(begin, end), after.begin(), after.end());
    at_ = where + after.size();
  }

  std::string no_header(const PatchHunk& hunk) const {
    return "Hunk " + std::to_string(hunk.number) + " does not fit: there is no line \"" +
           hunk.header + "\"" + below() + ".";
  }

  std::string below() const {
    return at_ == 0 ? std::string() : " below line " + std::to_string(at_);
  }

  // Names the line at which the best attempt failed.
  std::string no_fit(const PatchHunk& hunk) const {
    std::size_t best = 0;
    std::size_t best_from = 0;
    for (std::size_t from = at_; from < lines_.size(); ++from) {
      const std::size_t count = matched(hunk, from, Care::none);
      if (count <= best) continue;
      best = count;
      best_from = from;
    }
    std::string out = "Hunk " + std::to_string(hunk.number) + " does not fit" + below() + ": ";
    if (best == hunk.before.size()) {
      return out + "its lines are at line " + std::to_string(best_from + 1) +
             ", which is not the end of the file.";
    }
    out += "the line \"" + hunk.before[best] + "\" is not there";
    if (best > 0) {
      out += " (the " + std::to_string(best) + " before it are, from line " +
             std::to_string(best_from + 1) + ")";
    }
    return out + ".";
  }

  const bool crlf_;
  const bool ends_open_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;  // hunks apply in order, from here on
  mutable std::size_t comparisons_ = 0;
};

}  // namespace

Result<std::vector<FilePatch>> parse_patch(std::string_view text) {
  if (std::count(text.begin(), text.end(), '\n') > static_cast<std::ptrdiff_t>(kMaxPatchLines)) {
    return fail(Code::resource_exhausted,
                "The patch has more than " + std::to_string(kMaxPatchLines) + " lines.",
                "patchText");
  }
  return PatchReader(text).read();
}

Result<std::string> apply_hunks(std::string_view text, const std::vector<PatchHunk>& hunks,
                                std::size_t max_bytes) {
  if (std::count(text.begin(), text.end(), '\n') > static_cast<std::ptrdiff_t>(kMaxPatchedLines)) {
    return fail(Code::resource_exhausted,
                "The file has more than " + std::to_string(kMaxPatchedLines) + " lines.");
  }
  HunkMaker maker(text);
  for (const PatchHunk& hunk : hunks) {
    if (Result<void> created = maker.make(hunk); !created) return fail(created.error());
  }
  if (maker.size() > max_bytes) {
    return fail(Code::resource_exhausted,
                "The file would be larger than " + std::to_string(max_bytes) + " bytes.");
  }
  return maker.text();
}

}  // namespace parley::tool
