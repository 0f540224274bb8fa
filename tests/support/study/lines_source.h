// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/study/log_source.h"

namespace parley::study::testing {

// A log whose lines a test supplies.
class LinesSource final : public LogSource {
 public:
  explicit LinesSource(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  core::Result<bool> next(std::string_view& line) override {
    if (at_ == lines_.size()) return false;
    line = lines_[at_++];
    return true;
  }
  bool complete() const override { return !torn || at_ < lines_.size(); }

  bool torn = false;  // the last line has no line feed

 private:
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

}  // namespace parley::study::testing
