// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "row.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/core/json_writer.h"

namespace parley::bench {
namespace {

std::vector<double> ratios(const Row& row) {
  std::vector<double> all;
  for (std::size_t i = 0; i < row.ours.size(); ++i) all.push_back(row.ours[i] / row.theirs[i]);
  return all;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

void write_row(core::JsonWriter& json, const Row& row) {
  const std::vector<double> all = ratios(row);
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  json.begin_object();
  json.key("name").string(row.name);
  json.key("value").number(median(row.ours));
  json.key("unit").string(row.unit);
  json.key("peer").string(row.peer);
  json.key("peer_value").number(median(row.theirs));
  json.key("ratio").number(median(all));
  json.key("ratio_min").number(*least);
  json.key("ratio_max").number(*most);
  json.end_object();
  std::printf("%-44s %12.3f %-14s %12.3f  ratio %.3f [%.3f..%.3f]\n", row.name.c_str(),
              median(row.ours), row.unit.c_str(), median(row.theirs), median(all), *least, *most);
}

bool write_rows(const std::string& path, const std::vector<const Row*>& rows) {
  std::string text;
  core::JsonWriter json(text);
  json.begin_array();
  for (const Row* row : rows) {
    if (!row->ours.empty()) write_row(json, *row);
  }
  json.end_array();
  std::ofstream file(path);
  file << text << '\n';
  return file.good();
}

}  // namespace parley::bench
