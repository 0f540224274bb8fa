// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/compression.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

constexpr int kGzipWindow = MAX_WBITS + 16;  // 16: with gzip's head and tail
constexpr int kMemoryLevel = 8;
// Bodies of this size or more use the fastest level: about 10 ms a MiB.
constexpr std::size_t kFastFromBytes = 256U << 10U;
constexpr std::size_t kPiece = 64U << 10U;

// zlib takes its input as non-const, but does not change it.
Bytef* input_of(std::string_view bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

}  // namespace

bool is_compressible(std::string_view content_type) {
  static constexpr std::array<std::string_view, 10> kTypes = {
      "application/json",          "application/x-ndjson", "application/javascript",
      "application/xml",           "application/proto",    "application/x-protobuf",
      "application/manifest+json", "application/wasm",     "image/svg+xml",
      "application/openapi+yaml"};
  const std::string type = lower_case(
      trim(content_type.substr(0, std::min(content_type.find(';'), content_type.size()))));
  if (type == "text/event-stream") return false;
  return type.starts_with("text/") || std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

bool accepts_coding(const Headers& headers, std::string_view coding) {
  std::optional<bool> named;
  std::optional<bool> any;
  for (const auto& [name, value] : headers.all()) {
    if (!equals_ignoring_case(name, "Accept-Encoding")) continue;
    each_list_item(value, [&](const ListItem& item) {
      if (equals_ignoring_case(item.token, coding)) named = item.quality > 0;
      if (item.token == "*") any = item.quality > 0;
    });
  }
  return named.value_or(any.value_or(false));
}

std::optional<std::string> gzip(std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  const int level = bytes.size() >= kFastFromBytes ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION;
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

core::Result<std::string> gunzip(std::string_view bytes, std::size_t limit, GzipMembers members) {
  using core::Code;
  z_stream stream{};
  if (bytes.size() > std::numeric_limits<uInt>::max()) {
    return core::fail(Code::resource_exhausted, "The body is too large.");
  }
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
    return core::fail(Code::resource_exhausted,
                      "The server has not enough memory to decompress the body.");
  }
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK && out.size() <= limit) {
    const std::size_t before = out.size();
    out.resize(before + std::min(kPiece, limit + 1 - before));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(out.size() - before);
    result = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    const bool ended = result == Z_STREAM_END;
    if (ended && stream.avail_in > 0 && members == GzipMembers::several) {
      result = inflateReset(&stream);
    }
  }
  const bool complete = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (out.size() > limit) {
    return core::fail(Code::resource_exhausted,
                      "The message is larger than " + std::to_string(limit) + " bytes.");
  }
  if (!complete) {
    return core::fail(Code::invalid_argument, "The body is not complete, valid gzip data.");
  }
  return out;
}

}  // namespace parley::net
