// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"

namespace parley::core {
namespace {

constexpr std::size_t kMaxQuoted = 80;  // bytes

// The Levenshtein distance, with a swap of two neighbours as one change.
std::size_t letters_changed(std::string_view a, std::string_view b) {
  std::vector<std::size_t> older(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({row[j - 1] + 1, above[j] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], older[j - 2] + 1);
      }
    }
    older.swap(above);
    above.swap(row);
  }
  return above.back();
}

// Limit of the distance of a near name; 0: equal except for case.
constexpr std::size_t kFar = 1'000;

std::size_t farness(std::string_view wanted, std::string_view name) {
  if (name.size() > kMaxComparedName) return kFar + 1;
  const std::string small = lowered(name);
  if (small == wanted) return 0;
  const std::size_t allowed = std::max<std::size_t>(1, std::min<std::size_t>(3, wanted.size() / 3));
  const std::size_t longer = std::max(small.size(), wanted.size());
  const std::size_t gap = longer - std::min(small.size(), wanted.size());
  if (gap <= allowed) {
    const std::size_t changed = letters_changed(wanted, small);
    if (changed <= allowed) return changed;
  }
  const bool inside =
      wanted.size() >= 3 && small.size() >= 3 &&
      (small.find(wanted) != std::string::npos || wanted.find(small) != std::string_view::npos);
  return inside ? std::min(kFar, 10 + gap) : kFar + 1;
}

}  // namespace

std::vector<std::string> near_names(std::string_view wanted,
                                    const std::vector<std::string_view>& names, std::size_t count) {
  std::vector<std::string> out;
  if (wanted.size() > kMaxComparedName) return out;
  const std::string small = lowered(wanted);
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view name : names) {
    const std::size_t far = farness(small, name);
    if (far <= kFar) ranked.emplace_back(far, name);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  for (const auto& [far, name] : ranked) {
    if (out.size() == count) break;
    out.emplace_back(name);
  }
  return out;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string_view>& names) {
  const std::vector<std::string> near = near_names(wanted, names);
  if (near.empty()) return {};
  std::string out = " Did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i > 0) out += i + 1 == near.size() ? " or " : ", ";
    out += in_quotes(near[i]);
  }
  return out + "?";
}

std::string in_quotes(std::string_view name) {
  const std::string_view cut = utf8_truncate(name, kMaxQuoted);
  return "\"" + visible_line(cut) + (cut.size() < name.size() ? "…\"" : "\"");
}

std::string listed(const std::vector<std::string_view>& names, std::size_t count) {
  if (names.empty()) return "none";
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < count; ++i) {
    if (i > 0) out += ", ";
    out += in_quotes(names[i]);
  }
  if (names.size() > count) out += " and " + std::to_string(names.size() - count) + " more";
  return out;
}

}  // namespace parley::core
