// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace parley::net {

// The negotiated parameters of permessage-deflate (RFC 7692). Neither side keeps its window between
// messages, so a connection owns no compression state.
struct DeflateParams {
  // The largest window that the peer can inflate, as a power of two: 8 to 15.
  std::uint8_t peer_window_bits = 15;
};

// Shorter messages are not compressed: the gain is too small.
// Limit (WebSocket, bytes): least message that is compressed. Reached: sent uncompressed.
inline constexpr std::size_t kCompressFrom = 860;

struct DeflateAnswer {
  DeflateParams params;
  std::string header;  // the value of Sec-WebSocket-Extensions in the answer
};

// Chooses among the offers in Sec-WebSocket-Extensions as a server. std::nullopt: none of them is
// acceptable (another extension, an unknown or repeated parameter, a bad value).
std::optional<DeflateAnswer> negotiate_deflate(std::string_view offers);

// A client's offer, and its reading of the answer: an empty answer means "no compression".
// std::nullopt: the server answered with something that was not offered.
std::string_view deflate_offer();
std::optional<std::optional<DeflateParams>> accept_deflate_answer(std::string_view answer);

// The compressor and decompressor of one thread, for all its connections; messages are independent.
class DeflateCodec {
 public:
  DeflateCodec();
  ~DeflateCodec();
  DeflateCodec(const DeflateCodec&) = delete;
  DeflateCodec& operator=(const DeflateCodec&) = delete;

  // Appends the compressed payload of one message, without the final 00 00 ff ff. False if it would
  // not be shorter; then `out` is unchanged.
  bool compress(std::string_view payload, std::string& out);

  enum class Inflated : std::uint8_t { ok, too_big, corrupt };
  // Appends the payload of one message. Stops as soon as it would exceed `limit` bytes.
  Inflated decompress(std::string_view compressed, std::size_t limit, std::string& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::net
