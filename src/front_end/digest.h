// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::front_end {

// SHA-256 in lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);

// A positive number of 63 bits in decimal digits that a name always has: the id of a thing that
// Parley knows by name, for front ends that want numbers.
std::string number_of_name(std::string_view name);

}  // namespace parley::front_end
