// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::net {

// One part of a form. Escapes of quotes and line ends in names (%22, %0D, %0A), which browsers
// write, are kept.
struct FormPart {
  std::string name;
  std::string filename;  // empty: the part is a field, not a file
  std::string type;      // Content-Type of the part; empty: none
  std::string_view bytes;
};

// Limit (Chats): parts of a form. Reached: error with a sentence.
inline constexpr std::size_t kMaxFormParts = 32;
// Limit (Chats): characters of a form's boundary. Reached: error with a sentence.
inline constexpr std::size_t kMaxFormBoundary = 70;  // RFC 2046 section 5.1.1
// Limit (Chats, bytes): head of a part of a form. Reached: error with a sentence.
inline constexpr std::size_t kMaxFormPartHead = 8U << 10U;  // bytes

// Parses a body of multipart/form-data (RFC 7578); the parts refer into `body`. Text before the
// first part and after the last one is ignored. Errors: `invalid_argument` (field "body").
core::Result<std::vector<FormPart>> read_form(std::string_view content_type, std::string_view body);

}  // namespace parley::net
