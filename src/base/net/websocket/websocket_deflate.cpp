// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_deflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/core/assert.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

constexpr std::string_view kExtension = "permessage-deflate";
constexpr std::string_view kServerNoTakeover = "server_no_context_takeover";
constexpr std::string_view kClientNoTakeover = "client_no_context_takeover";
constexpr std::string_view kServerBits = "server_max_window_bits";
constexpr std::string_view kClientBits = "client_max_window_bits";
// The bytes that a flush leaves behind each message and the receiver puts back (RFC 7692 section
// 7.2).
constexpr std::array<unsigned char, 4> kTail = {0x00, 0x00, 0xff, 0xff};
// Favours speed: there are many small chat and event messages.
constexpr int kLevel = 3;
constexpr int kMemLevel = 8;
constexpr std::size_t kStep = 16U << 10U;

struct Parameter {
  std::string_view name;
  std::string_view value;
  bool has_value = false;
};

// Splits at `separator` outside quoted strings.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] != separator || quoted) continue;
    parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

Parameter parse_parameter(std::string_view text) {
  Parameter parameter;
  const std::size_t equals = text.find('=');
  parameter.name = trim(text.substr(0, equals));
  if (equals == std::string_view::npos) return parameter;
  parameter.has_value = true;
  parameter.value = trim(text.substr(equals + 1));
  if (parameter.value.size() >= 2 && parameter.value.front() == '"' &&
      parameter.value.back() == '"') {
    parameter.value = parameter.value.substr(1, parameter.value.size() - 2);
  }
  return parameter;
}

// 8 to 15 without leading zeros.
std::optional<std::uint8_t> window_bits(std::string_view value) {
  if (value.empty() || value.size() > 2 || value.front() == '0') return std::nullopt;
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bits);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  if (bits < 8 || bits > 15) return std::nullopt;
  return static_cast<std::uint8_t>(bits);
}

struct Offer {
  bool server_no_takeover = false;
  bool client_no_takeover = false;
  std::optional<std::uint8_t> server_bits;
  bool client_bits = false;
};

bool take_parameter(const Parameter& parameter, bool from_client, Offer& offer) {
  if (parameter.name == kServerNoTakeover || parameter.name == kClientNoTakeover) {
    bool& flag =
        parameter.name == kServerNoTakeover ? offer.server_no_takeover : offer.client_no_takeover;
    if (flag || parameter.has_value) return false;
    flag = true;
    return true;
  }
  if (parameter.name == kServerBits) {
    if (offer.server_bits || !parameter.has_value) return false;
    offer.server_bits = window_bits(parameter.value);
    return offer.server_bits.has_value();
  }
  if (parameter.name == kClientBits) {
    // A client may send it without a value, which means that it supports the parameter.
    if (offer.client_bits || (!parameter.has_value && !from_client)) return false;
    if (parameter.has_value && !window_bits(parameter.value)) return false;
    offer.client_bits = true;
    return true;
  }
  return false;
}

std::optional<Offer> parse_offer(std::string_view text, bool from_client) {
  const std::vector<std::string_view> parts = split(text, ';');
  if (parts.front() != kExtension) return std::nullopt;
  Offer offer;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!take_parameter(parse_parameter(parts[i]), from_client, offer)) return std::nullopt;
  }
  return offer;
}

}  // namespace

std::optional<DeflateAnswer> negotiate_deflate(std::string_view offers) {
  for (const std::string_view text : split(offers, ',')) {
    const std::optional<Offer> offer = parse_offer(text, true);
    if (!offer) continue;
    DeflateAnswer answer;
    answer.header = kExtension;
    answer.header.append("; ").append(kServerNoTakeover);
    answer.header.append("; ").append(kClientNoTakeover);
    if (offer->server_bits) {
      answer.params.peer_window_bits = *offer->server_bits;
      answer.header.append("; ").append(kServerBits).append("=");
      answer.header.append(std::to_string(*offer->server_bits));
    }
    return answer;
  }
  return std::nullopt;
}

std::string_view deflate_offer() {
  return "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
}

std::optional<std::optional<DeflateParams>> accept_deflate_answer(std::string_view answer) {
  if (trim(answer).empty()) return std::optional<DeflateParams>();
  const std::optional<Offer> parsed = parse_offer(trim(answer), false);
  // The server must have agreed to server_no_context_takeover; a limit of the client's window was
  // not offered.
  if (!parsed || !parsed->server_no_takeover || parsed->client_bits) return std::nullopt;
  return std::optional<DeflateParams>(DeflateParams{});
}

struct DeflateCodec::Impl {
  Impl() {
    if (deflateInit2(&deflater, kLevel, Z_DEFLATED, -MAX_WBITS, kMemLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::runtime_error("zlib: no memory for a compressor");
    }
    if (inflateInit2(&inflater, -MAX_WBITS) != Z_OK) {
      deflateEnd(&deflater);
      throw std::runtime_error("zlib: no memory for a decompressor");
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    deflateEnd(&deflater);
    inflateEnd(&inflater);
  }

  Inflated inflate_part(const unsigned char* data, std::size_t size, std::size_t limit,
                        std::string& out);

  z_stream deflater{};
  z_stream inflater{};
  bool at_stream_end = false;  // the input ended with a final block
};

DeflateCodec::DeflateCodec() : impl_(std::make_unique<Impl>()) {}

DeflateCodec::~DeflateCodec() = default;

bool DeflateCodec::compress(std::string_view payload, std::string& out) {
  PARLEY_ASSERT(payload.size() <= std::numeric_limits<uInt>::max(),
                "WebSocket compression: a message of " + std::to_string(payload.size()) +
                    " bytes is more than zlib takes at a time");
  z_stream& z = impl_->deflater;
  deflateReset(&z);
  const std::size_t before = out.size();
  out.resize(before + deflateBound(&z, static_cast<uLong>(payload.size())) + kTail.size() + 8);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(payload.data()));
  z.avail_in = static_cast<uInt>(payload.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data() + before);
  z.avail_out = static_cast<uInt>(out.size() - before);
  const int status = deflate(&z, Z_SYNC_FLUSH);
  const std::size_t created = out.size() - before - z.avail_out;
  const bool shorter = status == Z_OK && z.avail_in == 0 && z.avail_out > 0 &&
                       created >= kTail.size() && created - kTail.size() < payload.size();
  out.resize(shorter ? before + created - kTail.size() : before);
  return shorter;
}

DeflateCodec::Inflated DeflateCodec::decompress(std::string_view compressed, std::size_t limit,
                                                std::string& out) {
  inflateReset(&impl_->inflater);
  const std::size_t end = out.size() + limit;
  const Inflated body = impl_->inflate_part(
      reinterpret_cast<const unsigned char*>(compressed.data()), compressed.size(), end, out);
  if (body != Inflated::ok || compressed.empty() || impl_->at_stream_end) return body;
  const Inflated tail = impl_->inflate_part(kTail.data(), kTail.size(), end, out);
  // Truncated data consumes the tail, or a part of it, and expects more.
  constexpr int kAfterBlock = 128;  // inflate(): behind a block; the low bits count unused bits
  return tail == Inflated::ok && impl_->inflater.data_type != kAfterBlock ? Inflated::corrupt
                                                                          : tail;
}

// Inflates into `out`, up to `end` bytes, and one more to detect a longer message.
DeflateCodec::Inflated DeflateCodec::Impl::inflate_part(const unsigned char* data, std::size_t size,
                                                        std::size_t end, std::string& out) {
  at_stream_end = false;
  inflater.next_in = const_cast<unsigned char*>(data);
  inflater.avail_in = static_cast<uInt>(size);
  while (true) {
    const std::size_t used = out.size();
    PARLEY_ASSERT(used <= end, "WebSocket compression: a message has grown to " +
                                   std::to_string(used) + " bytes, past its limit at " +
                                   std::to_string(end));
    const std::size_t step = std::min(std::max(kStep, used), end + 1 - used);
    out.resize(used + step);
    inflater.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    inflater.avail_out = static_cast<uInt>(step);
    const int status = inflate(&inflater, Z_SYNC_FLUSH);
    out.resize(used + step - inflater.avail_out);
    if (out.size() > end) return Inflated::too_big;
    if (status == Z_STREAM_END) {
      // A final block may end before the message does; another stream may follow.
      inflateReset(&inflater);
      at_stream_end = inflater.avail_in == 0;
      if (at_stream_end) return Inflated::ok;
      continue;
    }
    if (status != Z_OK && status != Z_BUF_ERROR) return Inflated::corrupt;
    if (inflater.avail_out > 0) {
      return inflater.avail_in == 0 ? Inflated::ok : Inflated::corrupt;
    }
  }
}

}  // namespace parley::net
