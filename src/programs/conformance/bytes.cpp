// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/conformance/bytes.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <array>
#include <utility>

namespace parley::conformance {
namespace {

constexpr int kGzipWindow = 15 + 16;
constexpr int kAnyWindow = 15 + 32;
constexpr int kRawWindow = -15;
constexpr std::size_t kMaxInflated = 256U << 20U;
constexpr std::string_view kHexDigits = "0123456789abcdef";
// What permessage-deflate leaves out at the end of every message.
constexpr std::string_view kSyncTail("\x00\x00\xff\xff", 4);

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

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
  const bool whole = state == Z_STREAM_END || (window == kRawWindow && state == Z_OK);
  if (whole) return out;
  return core::fail(core::Code::invalid_argument, "these bytes are not compressed as they say");
}

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto value = static_cast<unsigned char>(c);
    out.push_back(kHexDigits[value >> 4U]);
    out.push_back(kHexDigits[value & 0xfU]);
  }
  return out;
}

core::Result<std::string> from_hex(std::string_view text) {
  std::string out;
  int high = -1;
  for (const char c : text) {
    if (c == ' ') continue;
    const int value = hex_value(c);
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

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

}  // namespace parley::conformance
