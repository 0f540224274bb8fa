// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "net/http/http.h"

namespace parley::net {

// Bodies below this gain nothing from being compressed.
inline constexpr std::size_t kMinCompressedBytes = 1'024;
// Larger bodies are sent as they are: compressing them would block a loop and its other
// connections.
inline constexpr std::size_t kMaxCompressedBytes = 256U << 10U;

// True if bytes of this media type get smaller: text, JSON, protobuf, SVG; not images and video.
bool is_compressible(std::string_view content_type);

// True if a client takes answers in this coding: Accept-Encoding names it, or "*" and not it, with
// a weight above 0.
bool accepts_coding(const Headers& headers, std::string_view coding);

// `bytes` in the gzip form (RFC 1952), without name and time, so that the same bytes give the same
// result. std::nullopt if zlib has no memory.
std::optional<std::string> gzip(std::string_view bytes);

enum class GzipMembers : std::uint8_t { one, several };  // several: at least one

// Undoes gzip(). Errors: `invalid_argument` (not whole gzip members, or more of them than
// `members` says), `resource_exhausted` (more than `limit` bytes, or zlib has no memory).
core::Result<std::string> gunzip(std::string_view bytes, std::size_t limit,
                                 GzipMembers members = GzipMembers::one);

}  // namespace parley::net
