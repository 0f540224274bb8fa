// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parley::typing {

// Switches the input method (fcitx5, fcitx or ibus) to plain keys while it exists, and back on
// destruction: otherwise the input method would compose the typed characters into others. Does
// nothing if none of them runs.
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
