// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/shell/explanation.h"

namespace parley::shell {

inline constexpr std::size_t kMaxSubjectBytes = 120;

// Collects notes: each once, shortened, at most kMaxNotes.
class Notes {
 public:
  void add(NoteKind kind, std::string_view subject);
  // Only the first problem is kept, shortened.
  void problem(std::string_view sentence);
  Explanation take();

 private:
  Explanation made_;
  std::set<std::pair<NoteKind, std::string>> known_;
};

}  // namespace parley::shell
