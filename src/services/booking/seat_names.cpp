// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/seat_names.h"

#include "base/core/number_text.h"
#include "services/booking/model.h"

namespace parley::booking {
namespace {

// Parses a positive number in the form that std::to_string() writes.
std::optional<std::uint32_t> read_ordinal(std::string_view text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  return core::parse_number<std::uint32_t>(text);
}

}  // namespace

std::string showing_id(std::uint32_t number) { return "s" + std::to_string(number); }

std::optional<std::uint32_t> showing_number(std::string_view id) {
  if (!id.starts_with('s')) return std::nullopt;
  return read_ordinal(id.substr(1));
}

std::string seat_label(std::size_t seat) {
  std::string out(1, static_cast<char>('A' + seat / kSeatsPerRow));
  return out += std::to_string(seat % kSeatsPerRow + 1);
}

std::optional<std::size_t> seat_of_label(std::string_view label) {
  if (label.empty() || label.front() < 'A' || label.front() >= static_cast<char>('A' + kRows)) {
    return std::nullopt;
  }
  const auto number = read_ordinal(label.substr(1));
  if (!number || *number > kSeatsPerRow) return std::nullopt;
  return static_cast<std::size_t>(label.front() - 'A') * kSeatsPerRow + *number - 1;
}

std::string seat_id(std::uint32_t showing, std::size_t seat) {
  return showing_id(showing) + "-" + seat_label(seat);
}

std::optional<std::size_t> seat_of_id(std::uint32_t showing, std::string_view id) {
  const std::string prefix = showing_id(showing) + "-";
  if (!id.starts_with(prefix)) return std::nullopt;
  return seat_of_label(id.substr(prefix.size()));
}

}  // namespace parley::booking
