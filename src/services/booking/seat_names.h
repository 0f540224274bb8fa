// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::booking {

// "s12".
std::string showing_id(std::uint32_t number);
// The number in "s12"; accepts only the form that showing_id() writes.
std::optional<std::uint32_t> showing_number(std::string_view id);

// "A1" to "J10". `seat` is below kSeatsPerShowing.
std::string seat_label(std::size_t seat);
std::optional<std::size_t> seat_of_label(std::string_view label);

// "s12-A1".
std::string seat_id(std::uint32_t showing, std::size_t seat);
// The seat that an id names, if it belongs to this showing.
std::optional<std::size_t> seat_of_id(std::uint32_t showing, std::string_view id);

}  // namespace parley::booking
