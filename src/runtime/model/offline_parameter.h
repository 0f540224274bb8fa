// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/offline_request.h"
#include "runtime/model/offline_tool.h"

// What a step has for a parameter, by the parameter's name.
namespace parley::model::offline {

// The name of a parameter, as its words.
class ParameterName {
 public:
  using Words = std::initializer_list<std::string_view>;

  explicit ParameterName(std::string_view name) : name_(name), words_(words_of(name)) {}
  bool has(Words words) const;
  bool is_path() const;
  bool is_url() const;
  const std::string& text() const { return name_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::string name_;
  std::vector<std::string> words_;
};

// Which of a step's items a call, or an object of a list within it, stands for.
struct Position {
  std::size_t item = 0;  // of a todo list, of the choices of a question
  std::size_t path = 0;  // of the paths of a step with several
};

// What the step's intent has for a text parameter of this name. Nothing: it has none.
std::optional<std::string> slot_for(const Step& step, const ParameterName& parameter,
                                    const Position& position, bool required, const Before& before);

}  // namespace parley::model::offline
