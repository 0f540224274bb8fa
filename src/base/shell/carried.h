// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/shell/call.h"

// Commands in the arguments of programs that are no shells: "find -exec", "su -c", "git bisect
// run".
namespace parley::shell {

struct Carried {
  std::span<const Word> words;  // a program and its arguments; empty: the text is one
  Word text;                    // a script
  bool takes_more = false;      // arguments are added when it runs
};

std::vector<Carried> carried_by(const Call& call);

}  // namespace parley::shell
