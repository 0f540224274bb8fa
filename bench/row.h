// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parley::core {
class JsonWriter;
}

namespace parley::bench {

double median(std::vector<double> values);
// The value below which the fraction `q` of the values lies.
double quantile(std::vector<double> values, double q);

// One figure of Parley beside a peer's, measured in turns: the n-th of `ours` with the n-th of
// `theirs`.
struct Row {
  std::string name;
  std::string unit;
  std::string peer;
  std::vector<double> ours = {};
  std::vector<double> theirs = {};
};

// Writes the row as one object of the result file, and prints it.
void write_row(core::JsonWriter& json, const Row& row);
// Writes all measured rows to a file. False: it could not be written.
bool write_rows(const std::string& path, const std::vector<const Row*>& rows);

}  // namespace parley::bench
