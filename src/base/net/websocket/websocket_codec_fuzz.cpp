// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Reads arbitrary bytes as frames, at once and in pieces: the messages must be the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/utf8.h"
#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket_codec.h"
#include "base/net/websocket/websocket_deflate.h"
#include "base/net/websocket/websocket_reader.h"

namespace {

using parley::net::DeflateCodec;
using parley::net::Opcode;
using parley::net::Stream;
using parley::net::WebSocketReader;
using parley::net::WebSocketSide;

constexpr std::size_t kLimit = 5'000;

void require(bool condition) {
  if (!condition) std::abort();
}

// Appends the event as one line; false when no more may be read.
bool note(const WebSocketReader::Event& event, std::string& log) {
  using Kind = WebSocketReader::Kind;
  log.push_back(static_cast<char>('0' + static_cast<int>(event.kind)));
  log.push_back(static_cast<char>('0' + static_cast<int>(event.opcode)));
  log.append(std::to_string(event.code)).append(event.compressed ? "z" : "");
  log.append(event.payload).push_back('\n');
  if (event.kind == Kind::message) {
    require(event.payload.size() <= kLimit);
    if (event.compressed) {
      DeflateCodec codec;
      std::string out;
      codec.decompress(event.payload, kLimit, out);
    } else if (event.opcode == Opcode::text) {
      require(parley::core::is_utf8(event.payload));
    }
  }
  if (event.kind == Kind::close) parley::net::parse_close_payload(event.payload);
  return event.kind != Kind::violation && event.kind != Kind::close;
}

bool feed(WebSocketReader& reader, std::string_view bytes, std::string& log) {
  const auto buffer = std::make_unique<char[]>(bytes.size() + Stream::kReadPadding);
  std::memcpy(buffer.get(), bytes.data(), bytes.size());
  char* data = buffer.get();
  std::size_t size = bytes.size();
  while (true) {
    const WebSocketReader::Event event = reader.next(data, size);
    if (event.kind == WebSocketReader::Kind::need_more) break;
    if (!note(event, log)) return false;
  }
  require(size == 0);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t input_size) {
  if (input_size < 2) return 0;
  const WebSocketSide side = (input[0] & 1U) != 0 ? WebSocketSide::server : WebSocketSide::client;
  const bool deflate = (input[0] & 2U) != 0;
  std::uint32_t random = input[1] + 1U;
  const std::string_view bytes(reinterpret_cast<const char*>(input) + 2, input_size - 2);

  std::string at_once;
  WebSocketReader whole(side, kLimit, deflate);
  feed(whole, bytes, at_once);

  std::string in_pieces;
  WebSocketReader pieces(side, kLimit, deflate);
  for (std::size_t at = 0; at < bytes.size();) {
    random = random * 1'664'525U + 1'013'904'223U;
    const std::size_t count = std::min<std::size_t>(1 + (random >> 24U) % 40, bytes.size() - at);
    if (!feed(pieces, bytes.substr(at, count), in_pieces)) break;
    at += count;
  }
  // A violation inside a message may be seen before the frame is whole, never with other events
  // before it.
  require(at_once == in_pieces);

  parley::net::negotiate_deflate(bytes);
  parley::net::accept_deflate_answer(bytes);
  return 0;
}
