// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parley::typing {

// An input method would compose what is typed into something else: fcitx5, fcitx or ibus is set to
// plain keys while this lives, and back afterwards. Nothing happens where none of them runs.
class PlainInput {
 public:
  PlainInput();
  PlainInput(const PlainInput&) = delete;
  PlainInput& operator=(const PlainInput&) = delete;
  ~PlainInput();

 private:
  std::vector<std::string> back_;  // the command that restores it; empty: nothing to restore
};

}  // namespace parley::typing
