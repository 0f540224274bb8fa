// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace parley::net {

// One part of a form. Escapes of quotes and line ends in names (%22, %0D, %0A), which browsers
// write, are kept.
struct FormPart {
  std::string name;
  std::string filename;  // empty: a field
  std::string type;      // Content-Type of the part; empty: it says none
  std::string_view bytes;
};

inline constexpr std::size_t kMaxFormParts = 32;
inline constexpr std::size_t kMaxFormBoundary = 70;         // RFC 2046 section 5.1.1
inline constexpr std::size_t kMaxFormPartHead = 8U << 10U;  // bytes

// Reads a body of multipart/form-data (RFC 7578); the parts refer into it. Nothing in front of the
// first part and behind the last one counts. Errors: `invalid_argument` (field "body"), in words.
core::Result<std::vector<FormPart>> read_form(std::string_view content_type, std::string_view body);

}  // namespace parley::net
