// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/net/http/http.h"

namespace parley::net {

// Smaller bodies are not compressed: the gain is too small.
// Limit (HTTP): least answer that is compressed. Reached: sent uncompressed.
inline constexpr std::size_t kMinCompressedBytes = 1'024;
// Larger bodies are not compressed: that would block a loop and its other connections.
// Limit (HTTP): largest answer or WebSocket message that is compressed at once. Reached: sent
// uncompressed: compressing more would delay a loop.
inline constexpr std::size_t kMaxCompressedBytes = 256U << 10U;

// True if compression reduces bytes of this media type: text, JSON, protobuf, SVG; not images and
// video.
bool is_compressible(std::string_view content_type);

// True if a client accepts this coding: Accept-Encoding gives it, or "*" if it is not named, a
// weight above 0.
bool accepts_coding(const Headers& headers, std::string_view coding);

// `bytes` in gzip format (RFC 1952), without name and time, so that equal bytes give equal results.
// std::nullopt if zlib has no memory.
std::optional<std::string> gzip(std::string_view bytes);

enum class GzipMembers : std::uint8_t { one, several };  // several: one or more

// Undoes gzip(). Errors: `invalid_argument` (no complete gzip members, or more of them than
// `members` allows), `resource_exhausted` (more than `limit` bytes, or zlib has no memory).
core::Result<std::string> gunzip(std::string_view bytes, std::size_t limit,
                                 GzipMembers members = GzipMembers::one);

}  // namespace parley::net
