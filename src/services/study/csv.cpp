// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/csv.h"

namespace parley::study {

void CsvWriter::begin_field() {
  if (!first_) out_.push_back(',');
  first_ = false;
}

CsvWriter& CsvWriter::text(std::string_view value) {
  begin_field();
  constexpr std::string_view kFormula = "=+-@\t\r\n";
  const bool formula = !value.empty() && kFormula.find(value.front()) != std::string_view::npos;
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    if (formula) out_.push_back('\'');
    out_ += value;
    return *this;
  }
  out_.push_back('"');
  if (formula) out_.push_back('\'');
  for (const char c : value) {
    if (c == '"') out_.push_back('"');
    out_.push_back(c);
  }
  out_.push_back('"');
  return *this;
}

CsvWriter& CsvWriter::number(std::uint64_t value) {
  begin_field();
  out_ += std::to_string(value);
  return *this;
}

CsvWriter& CsvWriter::boolean(bool value) {
  begin_field();
  out_ += value ? "true" : "false";
  return *this;
}

CsvWriter& CsvWriter::empty() {
  begin_field();
  return *this;
}

void CsvWriter::end_row() {
  out_ += "\r\n";
  first_ = true;
}

void CsvWriter::header(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) text(name);
  end_row();
}

}  // namespace parley::study
