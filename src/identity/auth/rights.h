// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::auth {

// A kind of action that a token permits, in its own workspace. docs/rights.md lists the routes.
enum class Right : std::uint8_t {
  ask,       // ask people, and wait for their answers
  answer,    // answer questions, reports and approvals as a person
  read,      // see sessions, events, questions and runs
  study,     // the relay of outside agents, the booking backend, studies and their logs
  run,       // start, resume, fork, cancel and delete runs of agents
  run_auto,  // start runs whose tools do not ask first
  admin,     // make, list and revoke tokens; let runs work in any folder
};

inline constexpr std::array<Right, 7> kAllRights = {Right::ask,   Right::answer, Right::read,
                                                    Right::study, Right::run,    Right::run_auto,
                                                    Right::admin};

// The name in settings, files and answers: "run-auto".
std::string_view right_name(Right right);

// A set of rights.
class Rights {
 public:
  constexpr Rights() = default;  // none
  constexpr Rights(std::initializer_list<Right> rights) {
    for (const Right right : rights) bits_ |= bit(right);
  }

  static constexpr Rights all() {
    Rights rights;
    for (const Right right : kAllRights) rights.bits_ |= bit(right);
    return rights;
  }
  // The rights of a new token if none are named.
  static constexpr Rights usual() { return {Right::ask, Right::answer, Right::read}; }

  // Parses "ask,answer,read", in any order, with spaces; "all" stands for every right. Errors:
  // `invalid_argument` (an unknown name or no name; field "rights").
  static core::Result<Rights> parse(std::string_view text);
  // The same from a list of names.
  static core::Result<Rights> from_names(const std::vector<std::string>& names);

  constexpr bool has(Right right) const { return (bits_ & bit(right)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr Rights without(Right right) const {
    Rights rest = *this;
    rest.bits_ = static_cast<std::uint8_t>(rest.bits_ & ~bit(right));
    return rest;
  }
  // "ask,answer,read", in the order of kAllRights.
  std::string text() const;

  friend constexpr bool operator==(Rights, Rights) = default;

 private:
  static constexpr std::uint8_t bit(Right right) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(right));
  }

  std::uint8_t bits_ = 0;
};

// `permission_denied` with a message that names the missing right; the field is "rights".
core::Error missing_right(Right right);

}  // namespace parley::auth
