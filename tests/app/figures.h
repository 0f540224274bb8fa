// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

// For tests of docs/metrics.md.
namespace parley::tests {

// For each figure served, the row that docs/metrics.md must have: "| `name` | kind | meaning |".
inline std::set<std::string> figures_served(const std::string& metrics) {
  std::istringstream lines(metrics);
  std::map<std::string, std::string> meanings;
  std::set<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash;
    std::string what;
    std::string name;
    std::string rest;
    words >> hash >> what >> name >> std::ws;
    std::getline(words, rest);
    if (hash != "#") continue;
    if (what == "HELP") meanings[name] = rest;
    if (what != "TYPE") continue;
    std::string row = "| `";
    row.append(name).append("` | ").append(rest).append(" | ").append(meanings[name]).append(" |");
    out.insert(std::move(row));
  }
  return out;
}

// The tables of docs/metrics.md.
enum class Figures { of_a_server, in_a_cluster };

inline std::set<std::string> documented_figures(Figures which) {
  std::set<std::string> documented;
  std::ifstream document(PARLEY_SOURCE_DIR "/docs/metrics.md");
  Figures section = Figures::of_a_server;
  for (std::string line; std::getline(document, line);) {
    if (line == "## In a cluster") section = Figures::in_a_cluster;
    if (line.starts_with("| `") && section == which) documented.insert(line);
  }
  return documented;
}

}  // namespace parley::tests
