// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_deflate.h"

namespace parley::net {

// The only production implementation of OutgoingMessage: a server's frame, and the compressed one
// once requested.
class EncodedMessage final : public OutgoingMessage {
 public:
  EncodedMessage(MessageType type, std::string_view payload);

  const SharedBytes& frame() const { return frame_; }
  // The compressed frame for a peer with these parameters; the plain one if compression is not
  // worthwhile or the peer's window is too small.
  const SharedBytes& compressed(DeflateCodec& codec, const DeflateParams& peer);

 private:
  MessageType type_;
  bool tried_ = false;
  std::size_t header_size_ = 0;
  SharedBytes frame_;
  SharedBytes compressed_;
};

// True if a message of `size` bytes is worth compressing for this peer. A message that fits into
// the peer's window can be inflated with any window used for compression.
bool pays_to_compress(std::size_t size, const DeflateParams& peer);

}  // namespace parley::net
