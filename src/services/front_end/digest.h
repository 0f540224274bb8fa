// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::front_end {

// SHA-256 in lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);
std::string sha256_base64(std::string_view bytes);

// A positive 63-bit number in decimal digits, always the same for one name. Front ends that require
// numbers use it as the id of an object that Parley identifies by its name.
std::string number_of_name(std::string_view name);

}  // namespace parley::front_end
