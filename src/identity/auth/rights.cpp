// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/rights.h"

#include <algorithm>

#include "base/core/ascii.h"
#include "base/core/result.h"

namespace parley::auth {
namespace {

core::Result<Right> right_from(std::string_view name) {
  const auto* const found = std::find_if(kAllRights.begin(), kAllRights.end(),
                                         [&](Right right) { return right_name(right) == name; });
  if (found != kAllRights.end()) return *found;
  return core::fail(core::Code::invalid_argument,
                    "There is no right \"" + std::string(name.substr(0, 40)) +
                        "\". The rights are ask, answer, read, study, run, run-auto and admin; "
                        "\"all\" means all of them.",
                    "rights");
}

}  // namespace

std::string_view right_name(Right right) {
  switch (right) {
    case Right::ask:
      return "ask";
    case Right::answer:
      return "answer";
    case Right::read:
      return "read";
    case Right::study:
      return "study";
    case Right::run:
      return "run";
    case Right::run_auto:
      return "run-auto";
    case Right::admin:
      return "admin";
  }
  return {};
}

core::Result<Rights> Rights::from_names(const std::vector<std::string>& names) {
  Rights rights;
  for (const std::string& name : names) {
    if (name == "all") {
      rights = all();
      continue;
    }
    PARLEY_TRY(const Right right, right_from(name));
    rights.bits_ |= bit(right);
  }
  if (!rights.empty()) return rights;
  return core::fail(core::Code::invalid_argument,
                    "A token needs at least one right: ask, answer, read, study, run, run-auto, "
                    "admin.",
                    "rights");
}

core::Result<Rights> Rights::parse(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    names.emplace_back(core::trimmed(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return from_names(names);
}

std::string Rights::text() const {
  std::string out;
  for (const Right right : kAllRights) {
    if (!has(right)) continue;
    if (!out.empty()) out.push_back(',');
    out += right_name(right);
  }
  return out;
}

core::Error missing_right(Right right) {
  const std::string name(right_name(right));
  return {core::Code::permission_denied,
          "This token lacks the right \"" + name +
              "\". Make one that has it with `parley token create --rights`.",
          "rights"};
}

}  // namespace parley::auth
