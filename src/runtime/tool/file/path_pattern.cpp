// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/path_pattern.h"

#include <re2/re2.h>

#include <utility>

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

// Translates a path pattern to a regular expression.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string run() {
    while (at_ < pattern_.size()) step();
    for (; depth_ > 0; --depth_) out_ += ")";
    return std::move(out_);
  }

 private:
  bool next_is(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }

  void literal(char c) { out_ += re2::RE2::QuoteMeta(re2::StringPiece(&c, 1)); }

  void step() {
    const bool begins = at_ == 0 || pattern_[at_ - 1] == '/';
    if (begins && next_is("**/")) {
      out_ += "(?:[^/]+/)*";
      at_ += 3;
    } else if (begins && pattern_.substr(at_) == "**") {
      out_ += ".+";
      at_ += 2;
    } else {
      character(pattern_[at_++]);
    }
  }

  void character(char c) {
    switch (c) {
      case '*':
        while (next_is("*")) ++at_;
        out_ += "[^/]*";
        return;
      case '?':
        out_ += "[^/]";
        return;
      case '[':
        set();
        return;
      case '{':
        ++depth_;
        out_ += "(?:";
        return;
      case '}':
        if (depth_ == 0) break;
        --depth_;
        out_ += ")";
        return;
      case ',':
        if (depth_ == 0) break;
        out_ += "|";
        return;
      case '\\':
        if (at_ < pattern_.size()) c = pattern_[at_++];
        break;
      default:
        break;
    }
    if ((static_cast<unsigned char>(c) & 0x80U) != 0) {
      out_ += c;  // a byte of a character beyond ASCII is never special
    } else {
      literal(c);
    }
  }

  // "[...]"; a "[" that is never closed is literal.
  void set() {
    std::size_t end = at_;
    if (end < pattern_.size() && (pattern_[end] == '!' || pattern_[end] == '^')) ++end;
    if (end < pattern_.size() && pattern_[end] == ']') ++end;
    end = pattern_.find(']', end);
    if (end == std::string_view::npos) {
      literal('[');
      return;
    }
    std::string_view inside = pattern_.substr(at_, end - at_);
    at_ = end + 1;
    out_ += "[";
    if (inside.starts_with('!') || inside.starts_with('^')) {
      out_ += "^/";
      inside.remove_prefix(1);
    }
    for (const char c : inside) {
      if (c == '\\' || c == '[' || c == ']' || c == '^' || c == '&' || c == '~') out_ += '\\';
      out_ += c;
    }
    out_ += "]";
  }

  const std::string_view pattern_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string out_;
};

}  // namespace

PathPattern::PathPattern(std::unique_ptr<re2::RE2> expression, bool whole_path)
    : expression_(std::move(expression)), whole_path_(whole_path) {}
PathPattern::PathPattern(PathPattern&&) noexcept = default;
PathPattern& PathPattern::operator=(PathPattern&&) noexcept = default;
PathPattern::~PathPattern() = default;

Result<PathPattern> PathPattern::make(std::string_view pattern, bool whole_path,
                                      std::int64_t memory) {
  if (pattern.empty() || pattern.size() > kMaxBytes) {
    return fail(Code::invalid_argument,
                "A path pattern has 1 to " + std::to_string(kMaxBytes) + " bytes.", "pattern");
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  options.set_dot_nl(true);
  auto expression = std::make_unique<re2::RE2>(Translator(pattern).run(), options);
  if (!expression->ok()) {
    return fail(Code::invalid_argument,
                "This path pattern cannot be read: " + std::string(pattern) + " (" +
                    expression->error() + ").",
                "pattern");
  }
  return PathPattern(std::move(expression), whole_path);
}

Result<PathPattern> PathPattern::compile(std::string_view pattern, std::int64_t memory) {
  bool whole_path = pattern.find('/') != std::string_view::npos;
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  // "src/" means everything in it.
  if (pattern.ends_with('/')) return make(std::string(pattern) + "**", true, memory);
  return make(pattern, whole_path, memory);
}

Result<PathPattern> PathPattern::compile_anchored(std::string_view pattern, std::int64_t memory) {
  return make(pattern, true, memory);
}

bool PathPattern::matches(std::string_view path) const {
  if (!whole_path_) {
    const std::size_t slash = path.rfind('/');
    if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  }
  return re2::RE2::FullMatch(re2::StringPiece(path.data(), path.size()), *expression_);
}

IgnoreRules IgnoreRules::parse(std::string_view text, std::size_t most) {
  IgnoreRules rules;
  while (!text.empty() && rules.rules_.size() < most) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const bool keeps = line.starts_with('!');
    if (keeps) line.remove_prefix(1);
    const bool folders_only = line.ends_with('/');
    if (folders_only) line.remove_suffix(1);
    const bool anchored = line.find('/') != std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    Result<PathPattern> pattern = anchored ? PathPattern::compile_anchored(line, kRuleMemory)
                                           : PathPattern::compile(line, kRuleMemory);
    if (pattern) rules.rules_.push_back({std::move(*pattern), keeps, folders_only});
  }
  return rules;
}

IgnoreRules::Verdict IgnoreRules::judge(std::string_view path, bool is_folder) const {
  for (std::size_t i = rules_.size(); i > 0; --i) {
    const Rule& rule = rules_[i - 1];
    if (rule.folders_only && !is_folder) continue;
    if (rule.pattern.matches(path)) return rule.keeps ? Verdict::kept : Verdict::ignored;
  }
  return Verdict::none;
}

}  // namespace parley::tool
