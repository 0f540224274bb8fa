// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/expression.h"

#include <re2/re2.h>

#include <vector>

#include "core/assert.h"

namespace parley::demo_model {
namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Expression::Expression(std::string_view pattern)
    : compiled_(std::make_unique<re2::RE2>("(?is)" + std::string(pattern))) {
  PARLEY_ASSERT(compiled_->ok(), compiled_->error() + ": " + std::string(pattern));
}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;

std::optional<Expression::Match> Expression::find(std::string_view text, std::size_t from) const {
  const auto count = static_cast<std::size_t>(compiled_->NumberOfCapturingGroups()) + 1;
  std::vector<re2::StringPiece> groups(count);
  if (!compiled_->Match(piece(text), from, text.size(), re2::RE2::UNANCHORED, groups.data(),
                        static_cast<int>(count))) {
    return std::nullopt;
  }
  Match match;
  match.begin = static_cast<std::size_t>(groups[0].data() - text.data());
  match.end = match.begin + groups[0].size();
  for (const auto& [name, at] : compiled_->NamedCapturingGroups()) {
    const re2::StringPiece& group = groups[static_cast<std::size_t>(at)];
    const std::string slot = name.substr(0, name.find_first_of("0123456789"));
    if (group.data() != nullptr) match.slots[slot] = {group.data(), group.size()};
  }
  return match;
}

bool Expression::in(std::string_view text) const {
  return re2::RE2::PartialMatch(piece(text), *compiled_);
}

bool Expression::is(std::string_view text) const {
  return re2::RE2::FullMatch(piece(text), *compiled_);
}

std::string Expression::removed_from(std::string_view text) const {
  std::string out(text);
  re2::RE2::GlobalReplace(&out, *compiled_, "");
  return out;
}

}  // namespace parley::demo_model
