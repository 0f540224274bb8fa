// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace parley::demo_model {

// A regular expression of the tables (RE2: linear in the text), without regard to case; "." takes
// line breaks too. Named groups are slots: of "path" and "path2" the one that took part is "path".
class Expression {
 public:
  explicit Expression(std::string_view pattern);
  ~Expression();
  Expression(Expression&&) noexcept;

  struct Match {
    std::size_t begin = 0;  // in the text
    std::size_t end = 0;
    std::map<std::string, std::string_view, std::less<>> slots;  // those that took part
  };
  // The first match at or after `from`. The text outlives it.
  std::optional<Match> find(std::string_view text, std::size_t from = 0) const;
  bool in(std::string_view text) const;
  bool is(std::string_view text) const;  // all of it
  std::string removed_from(std::string_view text) const;

 private:
  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace parley::demo_model
