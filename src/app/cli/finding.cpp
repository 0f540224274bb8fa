// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/finding.h"

#include "base/core/json_writer.h"

namespace parley::app {
namespace {

constexpr std::size_t kStateColumn = 9;
constexpr std::size_t kDetailColumn = 26;

std::string_view word_of(Finding::State state, std::string_view fault) {
  if (state == Finding::State::good) return "ok";
  return state == Finding::State::warning ? "warning" : fault;
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    std::string line(word_of(finding.state, "FAULT"));
    line.append(kStateColumn - line.size(), ' ');
    line += finding.check;
    line.append(line.size() < kDetailColumn ? kDetailColumn - line.size() : 1, ' ');
    out += line + finding.detail + "\n";
    if (!finding.next.empty()) {
      out += std::string(kDetailColumn, ' ') + "next: " + finding.next + "\n";
    }
  }
  return out;
}

std::string findings_json(const std::vector<Finding>& findings) {
  std::string out;
  core::JsonWriter json(out);
  json.objects(findings, [](core::JsonWriter& to, const Finding& finding) {
    to.key("check").string(finding.check).key("state").string(word_of(finding.state, "fault"));
    to.key("detail").string(finding.detail).key("next").string(finding.next);
  });
  return out + "\n";
}

}  // namespace parley::app
