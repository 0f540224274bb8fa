// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/bytes.h"

#include <zlib.h>

#include <array>
#include <utility>

#include "base/core/hex.h"

namespace parley::conformance {
namespace {

constexpr int kGzipWindow = 15 + 16;
constexpr int kAnyWindow = 15 + 32;
constexpr int kRawWindow = -15;
constexpr std::size_t kMaxInflated = 256U << 20U;
// Bytes that permessage-deflate omits at the end of every message.
constexpr std::string_view kSyncTail("\x00\x00\xff\xff", 4);

Bytef* input_of(std::string& bytes) { return reinterpret_cast<Bytef*>(bytes.data()); }

std::string compress(std::string_view bytes, int window, int flush) {
  z_stream stream{};
  std::string input(bytes);
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, input.size()) + 64, '\0');
  stream.next_in = input_of(input);
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = input_of(out);
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, flush);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

core::Result<std::string> decompress(std::string_view bytes, int window) {
  z_stream stream{};
  std::string input(bytes);
  std::string out;
  std::array<char, 64U << 10U> buffer{};
  inflateInit2(&stream, window);
  stream.next_in = input_of(input);
  stream.avail_in = static_cast<uInt>(input.size());
  int state = Z_OK;
  while (state == Z_OK && out.size() < kMaxInflated) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = inflate(&stream, Z_SYNC_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (stream.avail_in == 0 && stream.avail_out > 0) break;
  }
  inflateEnd(&stream);
  const bool complete = state == Z_STREAM_END || (window == kRawWindow && state == Z_OK);
  if (complete) return out;
  return core::fail(core::Code::invalid_argument, "these bytes are not compressed as they say");
}

}  // namespace

core::Result<std::string> from_hex(std::string_view text) {
  std::string out;
  int high = -1;
  for (const char c : text) {
    if (c == ' ') continue;
    const int value = core::hex_value(c);
    if (value < 0) return core::fail(core::Code::invalid_argument, "hexadecimal digits, please");
    if (high < 0) {
      high = value;
    } else {
      out.push_back(static_cast<char>(high * 16 + value));
      high = -1;
    }
  }
  if (high >= 0) return core::fail(core::Code::invalid_argument, "half a byte is left over");
  return out;
}

std::string gzip(std::string_view bytes) { return compress(bytes, kGzipWindow, Z_FINISH); }

core::Result<std::string> gunzip(std::string_view bytes) { return decompress(bytes, kAnyWindow); }

std::string deflate_message(std::string_view bytes) {
  std::string out = compress(bytes, kRawWindow, Z_SYNC_FLUSH);
  if (out.ends_with(kSyncTail)) out.resize(out.size() - kSyncTail.size());
  return out;
}

core::Result<std::string> inflate_message(std::string_view bytes) {
  return decompress(std::string(bytes) + std::string(kSyncTail), kRawWindow);
}

}  // namespace parley::conformance
