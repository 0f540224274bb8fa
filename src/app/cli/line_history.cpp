// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/line_history.h"

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/json_writer.h"
#include "base/core/private_files.h"

namespace parley::app {
namespace {

// Largest valid file: a byte of a line takes up to six bytes ("\u0001"). A larger file is not read.
constexpr std::size_t kMaxHistoryFileBytes =
    LineHistory::kMaxLines * (6 * LineHistory::kMaxLineBytes + 3);

}  // namespace

std::vector<std::string> LineHistory::load() const {
  std::vector<std::string> lines;
  std::error_code error;
  if (path_.empty() || std::filesystem::file_size(path_, error) > kMaxHistoryFileBytes || error) {
    return lines;
  }
  std::ifstream in(path_, std::ios::binary);
  for (std::string row; std::getline(in, row);) {
    boost::system::error_code unreadable;
    const boost::json::value line = boost::json::parse(row, unreadable);
    if (!unreadable && line.is_string()) lines.emplace_back(line.get_string());
  }
  if (lines.size() > kMaxLines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMaxLines));
  }
  return lines;
}

bool LineHistory::add(std::string_view line) const {
  if (path_.empty() || line.size() > kMaxLineBytes || core::trimmed(line).empty()) return false;
  std::vector<std::string> lines = load();
  if (!lines.empty() && lines.back() == line) return false;
  lines.emplace_back(line);
  if (lines.size() > kMaxLines) lines.erase(lines.begin());
  std::string text;
  for (const std::string& each : lines) {
    core::append_json_string(text, each);
    text += '\n';
  }
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  return core::make_private_folder(folder).has_value() &&
         core::write_private_file(path_, text).has_value();
}

}  // namespace parley::app
