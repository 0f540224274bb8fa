// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parley::sql {

// A list of values as one parameter of a statement, for unnest(). PostgreSQL alone. Encoded as it
// is sent, so that each value is copied once. Most bytes: 2^31 - 1.
class Array {
 public:
  enum class Of : std::uint8_t { integers, texts, blobs };
  explicit Array(Of of) : of_(of) { clear(); }

  void add(std::int64_t value);      // of integers
  void add(std::string_view bytes);  // of texts or blobs
  void add_null();
  void clear();

  Of of() const { return of_; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // The array in PostgreSQL's binary form; it may not be empty. Valid until the next add() or
  // clear().
  std::string_view encoded() const;

 private:
  void count_one();

  const Of of_;
  std::size_t size_ = 0;
  std::string bytes_;
};

}  // namespace parley::sql
