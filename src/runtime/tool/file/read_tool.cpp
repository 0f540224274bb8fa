// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/core/utf8_repair.h"
#include "runtime/tool/arguments.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/file_tool.h"
#include "runtime/tool/plain_text.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

// Limit (Tools): lines of `read`. Reached: cut; the result says where to continue.
constexpr std::int64_t kDefaultLines = 2000;
// Limit (Tools): a line of `read`. Reached: cut.
constexpr std::size_t kMaxLineBytes = 2000;
// Limit (Tools): result of `read`. Reached: cut; the result says where to continue.
constexpr std::size_t kMaxOutputBytes = 256U << 10U;
constexpr std::size_t kReadChunkBytes = 64U << 10U;
// Limit of the bytes scanned to count lines; the rest of a longer file (a sparse one can be
// endless) cannot be read.
// Limit (Tools): a file of `read`, from its beginning. Reached: the rest cannot be read; the result
// says so.
constexpr std::size_t kMaxScannedBytes = 256U << 20U;
constexpr std::size_t kMaxSuggestions = 3;
// Limit of the entries of a folder that is searched for similar names.
constexpr std::size_t kMaxSuggestedFrom = 5000;

// Type of a picture by its first bytes; empty if it is none.
std::string_view picture_kind(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x89PNG\r\n\x1a\n"sv)) return "PNG";
  if (head.starts_with("\xff\xd8\xff"sv)) return "JPEG";
  if (head.starts_with("GIF87a"sv) || head.starts_with("GIF89a"sv)) return "GIF";
  if (head.starts_with("RIFF"sv) && head.substr(0, 12).ends_with("WEBP"sv)) return "WebP";
  if (head.starts_with("II*\0"sv) || head.starts_with("MM\0*"sv)) return "TIFF";
  if (head.starts_with("BM"sv) && head.substr(0, 14).find('\0') != std::string_view::npos) {
    return "BMP";
  }
  return {};
}

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

// Similar names in the folder of a missing file.
std::string suggestions(const Place& place, const StopFlag& stop) {
  if (!place.missing.empty()) return {};
  const Result<std::vector<FolderEntry>> entries =
      list_folder(place.folder.get(), place.path, stop);
  if (!entries || entries->size() > kMaxSuggestedFrom) return {};
  const std::string wanted = in_lower_case(place.name);
  std::string out;
  std::size_t count = 0;
  for (const FolderEntry& entry : *entries) {
    const std::string name = in_lower_case(entry.name);
    const bool alike = name.find(wanted) != std::string::npos ||
                       (name.size() > 2 && wanted.find(name) != std::string::npos);
    if (!alike || count == kMaxSuggestions) continue;
    out += (count == 0 ? " Did you mean " : ", ") + core::repaired_utf8(entry.name);
    ++count;
  }
  return count == 0 ? out : out + "?";
}

// Numbers lines that arrive in pieces, and keeps the requested ones.
class LineWindow {
 public:
  LineWindow(std::uint64_t offset, std::uint64_t limit) : offset_(offset), limit_(limit) {}

  // False once no more bytes are needed.
  bool add(std::string_view bytes) {
    while (!bytes.empty()) {
      if (full()) {
        more_ = true;
        return false;
      }
      const std::size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, end);
      if (number_ >= offset_ && line_.size() <= kMaxLineBytes) {
        line_.append(part.substr(0, kMaxLineBytes + 4 - std::min(line_.size(), kMaxLineBytes)));
      }
      begun_ = true;
      if (end == std::string_view::npos) return true;
      bytes.remove_prefix(end + 1);
      end_line();
    }
    return true;
  }

  void end() {
    if (begun_) end_line();
  }

  std::uint64_t lines() const { return number_; }
  bool more() const { return more_; }
  const std::vector<std::uint64_t>& cut() const { return cut_; }
  std::string& text() { return text_; }

 private:
  bool full() const { return number_ >= offset_ + limit_ || text_.size() >= kMaxOutputBytes; }

  void end_line() {
    ++number_;
    begun_ = false;
    if (number_ <= offset_) return;
    if (line_.ends_with('\r')) line_.pop_back();
    const std::string_view shown = cut_bytes(line_, kMaxLineBytes);
    if (shown.size() < line_.size()) cut_.push_back(number_);
    text_ += "  " + std::to_string(number_) + "\t" + core::repaired_utf8(shown) + "\n";
    line_.clear();
  }

  const std::uint64_t offset_;
  const std::uint64_t limit_;
  std::uint64_t number_ = 0;  // of complete lines
  bool begun_ = false;        // an incomplete line follows
  bool more_ = false;
  std::string line_;
  std::string text_;
  std::vector<std::uint64_t> cut_;
};

Result<void> refuse_binary(std::string_view head, const Place& place) {
  const std::string size = std::to_string(place.status.st_size) + " bytes";
  const std::string path = core::repaired_utf8(place.path);
  if (const std::string_view kind = picture_kind(head); !kind.empty()) {
    return fail(Code::invalid_argument, "This is an image (" + std::string(kind) + ", " + size +
                                            "): it has no text to read: " + path);
  }
  if (looks_binary(head)) {
    return fail(Code::invalid_argument,
                "This is a binary file (" + size + "): it has no text to read: " + path);
  }
  return {};
}

std::string remarks(LineWindow& window, std::uint64_t offset) {
  std::string out;
  if (!window.cut().empty()) {
    out += "(Cut at " + std::to_string(kMaxLineBytes) + " bytes: line " +
           std::to_string(window.cut().front());
    if (window.cut().size() > 1) {
      out += " and " + std::to_string(window.cut().size() - 1) + " more";
    }
    out += ".)\n";
  }
  if (window.more()) {
    out += "(The file continues: read it with offset " + std::to_string(window.lines()) + ".)\n";
  } else if (window.lines() == 0) {
    out += "(The file is empty.)\n";
  } else if (window.text().empty()) {
    out += "(The file has only " + std::to_string(window.lines()) + " lines; offset was " +
           std::to_string(offset) + ".)\n";
  }
  return out;
}

Result<std::string> read_file(FileCall& call) {
  Result<ReadablePlace> found = locate_readable(call, call.text("path"));
  if (!found) return fail(found.error());
  const Place& place = found->place;
  if (place.is_folder()) {
    return fail(Code::invalid_argument,
                "This is a folder; list it with ls: " + core::repaired_utf8(place.path));
  }
  Result<core::FileDescriptor> fd = open_to_read(place);
  if (!fd) {
    core::Error error = fd.error();
    if (error.code == Code::not_found) error.message += "." + suggestions(place, call.stop);
    return fail(std::move(error));
  }
  const auto offset = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, integer_argument(call.arguments, "offset", 0)));
  const auto limit = static_cast<std::uint64_t>(std::clamp<std::int64_t>(
      integer_argument(call.arguments, "limit", kDefaultLines), 1, kDefaultLines));
  LineWindow window(offset, limit);
  std::array<char, kReadChunkBytes> chunk{};
  std::size_t scanned = 0;
  for (bool first = true; scanned < kMaxScannedBytes; first = false) {
    if (call.stop.stopped()) return fail(cancelled_error());
    const Result<std::size_t> got = read_some(fd->get(), chunk.data(), chunk.size(), place.path);
    if (!got) return fail(got.error());
    const std::string_view bytes(chunk.data(), *got);
    scanned += bytes.size();
    if (first) {
      if (Result<void> text = refuse_binary(bytes, place); !text) return fail(text.error());
    }
    if (bytes.empty() || !window.add(bytes)) break;
  }
  if (!window.more()) window.end();
  std::string notes = remarks(window, offset);
  if (scanned >= kMaxScannedBytes && !window.more()) {
    notes += "(The file continues, but only its first " + std::to_string(kMaxScannedBytes) +
             " bytes are read.)\n";
  }
  return std::move(window.text()) + notes;
}

constexpr FileToolForm kRead = {
    "read",
    "Reads a text file. Each line comes with its number, as \"  N\\ttext\". Gives at most 2000 "
    "lines; `offset` is the number of lines to skip (0 reads from the beginning), `limit` how many "
    "to read. Lines longer than 2000 bytes are cut. Use `ls` for folders.",
    R"({"type":"object","properties":{)"
    R"("path":{"type":"string","description":"the file, inside the working folder"},)"
    R"("offset":{"type":"integer","minimum":0,"description":"lines to skip; 0 if absent"},)"
    R"("limit":{"type":"integer","minimum":1,"description":"lines to read; at most 2000"}},)"
    R"("required":["path"],"additionalProperties":false})",
    Approval::automatic, read_file};

}  // namespace

void add_read_tool(Toolbox& box, const std::shared_ptr<FileServices>& services) {
  box.add(make_file_tool(kRead, services));
}

}  // namespace parley::tool
