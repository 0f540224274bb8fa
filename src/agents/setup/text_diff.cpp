// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agents/setup/text_lines.h"

namespace parley::setup {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kContext = 3;
constexpr std::size_t kMaxCells = 4'000'000;

struct DiffLine {
  char sign = ' ';
  std::string text;
};

// The lengths of the longest common subsequences of the ends of two lists of lines.
class CommonLines {
 public:
  CommonLines(const Lines& a, const Lines& b)
      : width_(b.size() + 1), cells_((a.size() + 1) * width_) {
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t k = b.size(); k-- > 0;) {
        cell(i, k) = a[i] == b[k] ? at(i + 1, k + 1) + 1 : std::max(at(i + 1, k), at(i, k + 1));
      }
    }
  }
  std::uint32_t at(std::size_t i, std::size_t k) const { return cells_[i * width_ + k]; }

 private:
  std::uint32_t& cell(std::size_t i, std::size_t k) { return cells_[i * width_ + k]; }

  std::size_t width_;
  std::vector<std::uint32_t> cells_;
};

void compare(const Lines& a, const Lines& b, std::vector<DiffLine>& out) {
  std::size_t i = 0;
  std::size_t k = 0;
  if ((a.size() + 1) * (b.size() + 1) <= kMaxCells) {
    const CommonLines common(a, b);
    while (i < a.size() && k < b.size()) {
      if (a[i] == b[k]) {
        out.push_back({' ', a[i]});
        ++i;
        ++k;
      } else if (common.at(i + 1, k) >= common.at(i, k + 1)) {
        out.push_back({'-', a[i++]});
      } else {
        out.push_back({'+', b[k++]});
      }
    }
  }
  for (; i < a.size(); ++i) out.push_back({'-', a[i]});
  for (; k < b.size(); ++k) out.push_back({'+', b[k]});
}

std::vector<DiffLine> diff_lines(const Lines& a, const Lines& b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail + head < a.size() && tail + head < b.size() &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  const auto part = [head, tail](const Lines& lines) {
    return Lines(lines.begin() + static_cast<long>(head), lines.end() - static_cast<long>(tail));
  };
  std::vector<DiffLine> out;
  for (std::size_t i = 0; i < head; ++i) out.push_back({' ', a[i]});
  compare(part(a), part(b), out);
  for (std::size_t i = a.size() - tail; i < a.size(); ++i) out.push_back({' ', a[i]});
  return out;
}

std::string range(std::size_t from, std::size_t count) {
  return std::to_string(count == 0 ? from : from + 1) + "," + std::to_string(count);
}

void append_line(std::string& out, const DiffLine& line) {
  out += line.sign + line.text;
  if (!line.text.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, const std::string& name) {
  if (before == after) return {};
  const std::vector<DiffLine> lines = diff_lines(lines_of(before), lines_of(after));
  std::string out = "--- " + name + "\n+++ " + name + "\n";
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  const auto changes = [&lines](std::size_t i) { return lines[i].sign != ' '; };
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t first = i;
    while (first < lines.size() && !changes(first)) ++first;
    if (first == lines.size()) break;
    const std::size_t begin = std::max(i, first < kContext ? 0 : first - kContext);
    std::size_t end = first;
    for (std::size_t k = first; k < lines.size() && k <= end + 2 * kContext; ++k) {
      if (changes(k)) end = k;
    }
    end = std::min(end + kContext + 1, lines.size());
    old_line += begin - i;
    new_line += begin - i;
    std::string hunk;
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    for (std::size_t k = begin; k < end; ++k) {
      append_line(hunk, lines[k]);
      if (lines[k].sign != '+') ++old_count;
      if (lines[k].sign != '-') ++new_count;
    }
    out += "@@ -" + range(old_line, old_count) + " +" + range(new_line, new_count) + " @@\n" + hunk;
    old_line += old_count;
    new_line += new_count;
    i = end;
  }
  return out;
}

}  // namespace parley::setup
