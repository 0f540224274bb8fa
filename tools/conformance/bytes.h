// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::conformance {

// Reads hexadecimal; spaces are allowed between bytes. Errors: `invalid_argument`.
core::Result<std::string> from_hex(std::string_view text);

std::string gzip(std::string_view bytes);
// Decompresses gzip and zlib. Errors: `invalid_argument`.
core::Result<std::string> gunzip(std::string_view bytes);

// permessage-deflate (RFC 7692) without context takeover: one message.
std::string deflate_message(std::string_view bytes);
core::Result<std::string> inflate_message(std::string_view bytes);

}  // namespace parley::conformance
