// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/array.h"

#include "base/core/assert.h"
#include "base/sql/postgres_text.h"
#include "base/sql/postgres_types.h"

namespace parley::sql {
namespace {

// One dimension, no NULL, the type, the size, the lowest index.
constexpr std::size_t kHeaderBytes = 20;
constexpr std::size_t kSizeAt = 12;

void put(std::string& out, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    out[at + i] = static_cast<char>(value >> (8 * (bytes - 1 - i)));
  }
}

void append(std::string& out, std::uint64_t value, std::size_t bytes) {
  out.resize(out.size() + bytes);
  put(out, out.size() - bytes, value, bytes);
}

unsigned element_type(Array::Of of) {
  if (of == Array::Of::integers) return oid::kInt8;
  return of == Array::Of::texts ? oid::kText : oid::kBytea;
}

}  // namespace

void Array::clear() {
  size_ = 0;
  bytes_.clear();
  append(bytes_, 1, 4);
  append(bytes_, 0, 4);
  append(bytes_, element_type(of_), 4);
  append(bytes_, 0, 4);
  append(bytes_, 1, 4);
  PARLEY_ASSERT(bytes_.size() == kHeaderBytes,
                "the header of an array has " + std::to_string(bytes_.size()) + " bytes");
}

void Array::add(std::int64_t value) {
  PARLEY_ASSERT(of_ == Of::integers,
                "an integer is added to an array of texts of " + std::to_string(size_) + " values");
  append(bytes_, 8, 4);
  append(bytes_, static_cast<std::uint64_t>(value), 8);
  count_one();
}

void Array::add(std::string_view bytes) {
  PARLEY_ASSERT(of_ != Of::integers, "a text of " + std::to_string(bytes.size()) +
                                         " bytes is added to an array of integers");
  const bool is_escaped = of_ == Of::texts && has_escapes(bytes);
  const std::string stored = is_escaped ? escaped(bytes) : std::string();
  if (is_escaped) bytes = stored;
  append(bytes_, bytes.size(), 4);
  bytes_.append(bytes);
  count_one();
}

void Array::add_null() {
  constexpr std::size_t kHasNullAt = 4;
  put(bytes_, kHasNullAt, 1, 4);
  append(bytes_, ~std::uint64_t{0}, 4);  // length -1
  count_one();
}

void Array::count_one() { put(bytes_, kSizeAt, ++size_, 4); }

std::string_view Array::encoded() const {
  PARLEY_ASSERT(size_ > 0 && bytes_.size() <= 0x7fff'ffffU,
                "an array of " + std::to_string(size_) + " values and " +
                    std::to_string(bytes_.size()) + " bytes is sent");
  return bytes_;
}

}  // namespace parley::sql
