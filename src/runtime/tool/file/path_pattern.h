// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace re2 {
class RE2;
}

namespace parley::tool {

// A pattern for paths, matched in linear time: "*" (within a name), "?" (one character), "[a-z]",
// "[!a-z]", "**" (any folders), "{a,b}"; "\" escapes the next character.
class PathPattern {
 public:
  // A pattern without "/" matches names in any folder ("*.h"); one with "/" matches paths from the
  // top ("src/**/*.h", "./*.h"). `memory`: limit of the memory for matching, in bytes. Errors:
  // `invalid_argument`.
  static core::Result<PathPattern> compile(std::string_view pattern, std::int64_t memory = kMemory);
  // As compile(), but a pattern without "/" matches paths from the top too.
  static core::Result<PathPattern> compile_anchored(std::string_view pattern,
                                                    std::int64_t memory = kMemory);

  // `path` is relative, with "/" between names.
  bool matches(std::string_view path) const;

  PathPattern(PathPattern&&) noexcept;
  PathPattern& operator=(PathPattern&&) noexcept;
  ~PathPattern();

  static constexpr std::size_t kMaxBytes = 1000;
  static constexpr std::int64_t kMemory = 2 << 20;

 private:
  PathPattern(std::unique_ptr<re2::RE2> expression, bool whole_path);
  static core::Result<PathPattern> make(std::string_view pattern, bool whole_path,
                                        std::int64_t memory);

  std::unique_ptr<re2::RE2> expression_;
  bool whole_path_;
};

// The rules of one .gitignore file.
class IgnoreRules {
 public:
  enum class Verdict : std::uint8_t { none, ignored, kept };

  // Reads the first `most` rules. Lines that cannot be parsed are skipped.
  static IgnoreRules parse(std::string_view text, std::size_t most = kMaxRules);
  std::size_t size() const { return rules_.size(); }
  // Verdict of the last matching rule for a path relative to this file's folder.
  Verdict judge(std::string_view path, bool is_folder) const;

  // Limit (Tools): rules of all `.gitignore` on a path. Reached: the rest is ignored.
  static constexpr std::size_t kMaxRules = 2000;
  // Limit per rule, in bytes, so that all rules of a file take at most 128 MiB.
  // Limit (Tools, bytes): memory of one rule of `.gitignore`. Reached: matched more slowly.
  static constexpr std::int64_t kRuleMemory = 64 << 10;

 private:
  struct Rule {
    PathPattern pattern;
    bool keeps = false;
    bool folders_only = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace parley::tool
