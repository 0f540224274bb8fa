// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_message.h"

#include <memory>
#include <string>
#include <utility>

#include "base/net/http/compression.h"
#include "base/net/websocket/websocket_codec.h"

namespace parley::net {

EncodedMessage::EncodedMessage(MessageType type, std::string_view payload) : type_(type) {
  std::string frame;
  frame.reserve(kMaxFrameHeader + payload.size());
  append_frame(frame, {.opcode = type == MessageType::text ? Opcode::text : Opcode::binary},
               payload);
  header_size_ = frame.size() - payload.size();
  frame_ = std::make_shared<const std::string>(std::move(frame));
}

const SharedBytes& EncodedMessage::compressed(DeflateCodec& codec, const DeflateParams& peer) {
  const std::string_view payload = frame_.view().substr(header_size_);
  if (!pays_to_compress(payload.size(), peer)) return frame_;
  if (!tried_) {
    tried_ = true;
    std::string body;
    if (codec.compress(payload, body)) {
      std::string frame;
      append_frame(frame,
                   {.opcode = type_ == MessageType::text ? Opcode::text : Opcode::binary,
                    .compressed = true},
                   body);
      compressed_ = std::make_shared<const std::string>(std::move(frame));
    }
  }
  return compressed_.empty() ? frame_ : compressed_;
}

bool pays_to_compress(std::size_t size, const DeflateParams& peer) {
  if (size < kCompressFrom || size > kMaxCompressedBytes) return false;
  return peer.peer_window_bits >= 15 || size <= (std::size_t{1} << peer.peer_window_bits);
}

OutgoingMessagePtr OutgoingMessage::make(MessageType type, std::string_view payload) {
  return std::make_shared<EncodedMessage>(type, payload);
}

}  // namespace parley::net
