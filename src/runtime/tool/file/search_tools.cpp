// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/utf8_repair.h"
#include "runtime/tool/arguments.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/file_tool.h"
#include "runtime/tool/file/line_search.h"
#include "runtime/tool/file/path_pattern.h"
#include "runtime/tool/file/tree_walk.h"
#include "runtime/tool/plain_text.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

// Limit (Tools): files of `glob`. Reached: the result says that there are more.
constexpr std::size_t kMaxFound = 500;
// Limit (Tools): matches of `grep` if the model names no number. Reached: the result says that
// there are more.
constexpr std::int64_t kDefaultMatches = 100;
// Limit (Tools): matches of `grep`. Reached: the result says that there are more.
constexpr std::int64_t kMaxMatches = 1000;
constexpr std::int64_t kMaxContext = 10;

// The patterns of `include`; without any, every path passes.
class Includes {
 public:
  static Result<Includes> make(const FileCall& call) {
    Includes out;
    for (const std::string& text : texts_argument(call.arguments, "include")) {
      PARLEY_TRY(PathPattern pattern, PathPattern::compile(text));
      out.patterns_.push_back(std::move(pattern));
    }
    return out;
  }
  bool match(std::string_view path) const {
    return patterns_.empty() ||
           std::any_of(patterns_.begin(), patterns_.end(),
                       [path](const PathPattern& pattern) { return pattern.matches(path); });
  }

 private:
  std::vector<PathPattern> patterns_;
};

std::string remarks(const WalkOutcome& outcome) {
  if (outcome.unreadable == 0) return {};
  return "(" + std::to_string(outcome.unreadable) + " folders could not be opened.)\n";
}

Result<std::string> glob(FileCall& call) {
  PARLEY_TRY(const Workspace workspace, call.workspace());
  PARLEY_TRY(const Place from, workspace.locate(call.text("path", ".")));
  std::string_view text = call.text("pattern");
  const std::string top = workspace.root() + "/" + (from.is_root() ? "" : from.path + "/");
  if (text.starts_with(top)) text.remove_prefix(top.size() - 1);
  PARLEY_TRY(const PathPattern pattern, PathPattern::compile(text));
  PARLEY_TRY(const Includes includes, Includes::make(call));

  std::string out;
  std::size_t count = 0;
  const auto visit = [&](const WalkedEntry& entry) {
    if (entry.type == S_IFDIR) return true;
    if (!pattern.matches(entry.relative) || !includes.match(entry.relative)) return true;
    if (count == kMaxFound) return false;
    ++count;
    out += core::repaired_utf8(entry.path) + "\n";
    return true;
  };
  const WalkOptions options{flag_argument(call.arguments, "includeIgnored")};
  PARLEY_TRY(const WalkOutcome outcome, walk_tree(workspace, from, options, call.stop, visit));
  if (count == 0) out = "(No file fits.)\n";
  if (!outcome.complete) {
    out += "(There are more than these " + std::to_string(count) +
           "; narrow the pattern or the path.)\n";
  }
  return out + remarks(outcome);
}

// One grep over files.
class Grep {
 public:
  Grep(FileCall& call, LineSearch search) : call_(call), search_(std::move(search)) {}

  // False once a limit is reached.
  Result<bool> file(const Place& place) {
    const Result<FileBytes> text = read_whole(place, kMaxWholeFileBytes, call_.stop);
    if (!text && text.error().code == Code::cancelled) return fail(text.error());
    if (!text) {
      ++(text.error().code == Code::resource_exhausted ? large_ : unreadable_);
      return true;
    }
    if (looks_binary(text->bytes)) {
      ++binary_;
      return true;
    }
    const bool more = search_.add(place.path, text->bytes, call_.stop);
    if (call_.stop.stopped()) return fail(cancelled_error());
    return more;
  }

  std::string report(const WalkOutcome& outcome) {
    std::string out = std::move(search_.output());
    if (search_.matches() == 0) out = "(No match.)\n";
    if (search_.full()) {
      out += "(There are more than these " + std::to_string(search_.matches()) +
             " matches; narrow the pattern, the path or `include`.)\n";
    } else if (!outcome.complete) {
      out += "(Not all files were searched: there are too many. Name a path below.)\n";
    }
    if (large_ > 0) out += "(" + std::to_string(large_) + " large files were passed over.)\n";
    if (search_.matches() == 0 && binary_ > 0) {
      out += "(" + std::to_string(binary_) + " binary files were passed over.)\n";
    }
    const std::size_t unreadable = unreadable_ + outcome.unreadable;
    if (unreadable > 0) {
      out += "(" + std::to_string(unreadable) + " files or folders could not be opened.)\n";
    }
    return out;
  }

 private:
  FileCall& call_;
  LineSearch search_;
  std::size_t large_ = 0;
  std::size_t binary_ = 0;
  std::size_t unreadable_ = 0;
};

Result<LineSearch> search_of(const FileCall& call) {
  SearchOptions options;
  options.pattern = call.text("pattern");
  options.ignore_case = flag_argument(call.arguments, "ignoreCase");
  options.literal = flag_argument(call.arguments, "literal");
  options.context = static_cast<std::size_t>(
      std::clamp<std::int64_t>(integer_argument(call.arguments, "context", 0), 0, kMaxContext));
  options.most = static_cast<std::size_t>(std::clamp<std::int64_t>(
      integer_argument(call.arguments, "maxMatches", kDefaultMatches), 1, kMaxMatches));
  return LineSearch::make(options);
}

Result<std::string> grep_folder(FileCall& call, const ReadablePlace& from, Grep& grep) {
  PARLEY_TRY(const Includes includes, Includes::make(call));
  core::Error stopped;
  const auto visit = [&](const WalkedEntry& entry) {
    if (entry.type != S_IFREG || !includes.match(entry.relative)) return true;
    Place place;
    place.folder = core::FileDescriptor(::fcntl(entry.folder, F_DUPFD_CLOEXEC, 0));
    place.name = entry.name;
    place.path = entry.path;
    place.exists =
        ::fstatat(entry.folder, place.name.c_str(), &place.status, AT_SYMLINK_NOFOLLOW) == 0;
    const Result<bool> more = grep.file(place);
    if (!more) stopped = more.error();
    return more && *more;
  };
  const WalkOptions options{flag_argument(call.arguments, "includeIgnored")};
  PARLEY_TRY(const WalkOutcome outcome,
             walk_tree(from.workspace, from.place, options, call.stop, visit));
  if (stopped.code == Code::cancelled) return fail(stopped);
  return grep.report(outcome);
}

Result<std::string> grep(FileCall& call) {
  PARLEY_TRY(const ReadablePlace from, locate_readable(call, call.text("path", ".")));
  PARLEY_TRY(LineSearch search, search_of(call));
  Grep grep(call, std::move(search));
  if (from.place.is_folder()) return grep_folder(call, from, grep);
  PARLEY_TRY_VOID(require_file(from.place));
  PARLEY_TRY_VOID(grep.file(from.place));
  return grep.report(WalkOutcome{});
}

constexpr FileToolForm kGlob = {
    "glob",
    "Finds files by name. \"*\" stands for any characters within a name, \"**\" for any folders, "
    "\"?\" for one character, \"{a,b}\" for either. A pattern without \"/\" fits names in any "
    "folder (\"*.h\"); one with \"/\" is a path from `path` on (\"src/**/*.h\"). With `include` a "
    "file must fit one of those patterns too. Files that .gitignore hides are left out. At most "
    "500 files.",
    R"({"type":"object","properties":{)"
    R"("pattern":{"type":"string","minLength":1,"description":"such as *.md or src/**/*.cpp"},)"
    R"("path":{"type":"string","description":"the folder to look in; the working folder if absent"},)"
    R"("include":{"type":"array","items":{"type":"string"},"maxItems":50,)"
    R"("description":"further patterns, of which one must fit"},)"
    R"("includeIgnored":{"type":"boolean","description":"also what .gitignore and .git hide"}},)"
    R"("required":["pattern"],"additionalProperties":false})",
    Approval::automatic, glob};

constexpr FileToolForm kGrep = {
    "grep",
    "Finds lines that match a regular expression (RE2's syntax) in a file or in all files below a "
    "folder. Gives \"PATH:LINE:text\"; with `context` also the lines around, as "
    "\"PATH-LINE-text\". "
    "Files that .gitignore hides, binary files and files over 16 MiB are left out.",
    R"({"type":"object","properties":{)"
    R"("pattern":{"type":"string","minLength":1,"description":"the regular expression"},)"
    R"("path":{"type":"string","description":"a file or folder; the working folder if absent"},)"
    R"("include":{"type":"array","items":{"type":"string"},"maxItems":50,)"
    R"("description":"only files that fit one of these patterns, such as *.cpp"},)"
    R"("ignoreCase":{"type":"boolean","description":"upper and lower case are the same"},)"
    R"("literal":{"type":"boolean","description":"the pattern is plain text"},)"
    R"("context":{"type":"integer","minimum":0,"maximum":10,"description":"lines around a match"},)"
    R"("maxMatches":{"type":"integer","minimum":1,"maximum":1000,"description":"100 if absent"},)"
    R"("includeIgnored":{"type":"boolean","description":"also what .gitignore and .git hide"}},)"
    R"("required":["pattern"],"additionalProperties":false})",
    Approval::automatic, grep};

}  // namespace

void add_search_tools(Toolbox& box, const std::shared_ptr<FileServices>& services) {
  box.add(make_file_tool(kGlob, services));
  box.add(make_file_tool(kGrep, services));
}

}  // namespace parley::tool
