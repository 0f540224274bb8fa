// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/notes.h"

#include <algorithm>

#include "base/core/utf8.h"

namespace parley::shell {

namespace {

std::string shortened(std::string_view text) {
  std::string cut(core::utf8_truncate(text, kMaxSubjectBytes));
  if (cut.size() < text.size()) cut += "…";
  return cut;
}

}  // namespace

void Notes::add(NoteKind kind, std::string_view subject) {
  std::string cut = shortened(subject);
  if (!known_.emplace(kind, cut).second) return;
  // A danger is never left out for want of place: it replaces the last note that is none.
  if (made_.notes.size() == kMaxNotes) {
    made_.has_more = true;
    known_.erase({kind, cut});
    const auto last = std::find_if(made_.notes.rbegin(), made_.notes.rend(),
                                   [](const Note& note) { return !is_danger(note.kind); });
    if (!is_danger(kind) || last == made_.notes.rend()) return;
    made_.notes.erase(std::next(last).base());
  }
  made_.notes.push_back({kind, std::move(cut)});
}

void Notes::problem(std::string_view sentence) {
  if (made_.problem.empty()) made_.problem = shortened(sentence);
}

Explanation Notes::take() {
  std::stable_sort(made_.notes.begin(), made_.notes.end(), [](const Note& a, const Note& b) {
    const auto rank = [](const Note& note) {
      return is_danger(note.kind) ? static_cast<int>(note.kind)
                                  : static_cast<int>(NoteKind::last_danger) + 1;
    };
    return rank(a) < rank(b);
  });
  return std::move(made_);
}

}  // namespace parley::shell
