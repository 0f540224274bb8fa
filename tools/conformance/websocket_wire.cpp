// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <array>
#include <boost/json/serialize.hpp>
#include <deque>

#include "base/core/base64.h"
#include "base/core/hex.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "tools/conformance/bytes.h"
#include "tools/conformance/http_client.h"
#include "tools/conformance/wire.h"

namespace parley::conformance {
namespace json = boost::json;
namespace {

// RFC 6455, section 5.2.
constexpr unsigned kText = 1;
constexpr unsigned kBinary = 2;
constexpr unsigned kClose = 8;
constexpr unsigned kPing = 9;
constexpr unsigned kPong = 10;
constexpr int kNoStatus = 1005;
constexpr int kAbnormal = 1006;
constexpr std::string_view kMagic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kMaxMessage = 512U << 20U;

struct Frame {
  bool fin = true;
  unsigned rsv = 0;
  unsigned opcode = kText;
  std::string payload;
};

std::array<unsigned char, 4> random_mask() {
  std::array<unsigned char, 4> mask{};
  RAND_bytes(mask.data(), static_cast<int>(mask.size()));
  return mask;
}

// The bytes of a frame from a client. `length` may differ from the payload's size.
std::string encode_frame(const Frame& frame, bool masked, std::uint64_t length) {
  std::string out;
  const unsigned first = (frame.fin ? 0x80U : 0U) | (frame.rsv << 4U) | frame.opcode;
  out.push_back(static_cast<char>(first));
  const unsigned mask_bit = masked ? 0x80U : 0U;
  int bytes = 0;
  if (length < 126) {
    out.push_back(static_cast<char>(mask_bit | length));
  } else {
    bytes = length <= 0xffff ? 2 : 8;
    out.push_back(static_cast<char>(mask_bit | (bytes == 2 ? 126U : 127U)));
  }
  for (int i = bytes - 1; i >= 0; --i) {
    out.push_back(static_cast<char>((length >> (8U * static_cast<unsigned>(i))) & 0xffU));
  }
  if (!masked) return out + frame.payload;
  const auto mask = random_mask();
  for (const unsigned char byte : mask) out.push_back(static_cast<char>(byte));
  const std::size_t start = out.size();
  out += frame.payload;
  for (std::size_t i = start; i < out.size(); ++i) {
    out[i] = static_cast<char>(static_cast<unsigned char>(out[i]) ^ mask[(i - start) % 4]);
  }
  return out;
}

std::string encode_frame(const Frame& frame) {
  return encode_frame(frame, true, frame.payload.size());
}

std::string close_payload(int code, const std::string& reason) {
  if (code == 0 || code == kNoStatus) return "";
  std::string out;
  out.push_back(static_cast<char>((static_cast<unsigned>(code) >> 8U) & 0xffU));
  out.push_back(static_cast<char>(static_cast<unsigned>(code) & 0xffU));
  return out + reason;
}

// A strict client: a violation of RFC 6455 by the server ends the connection as 1002.
class WebSocketWire final : public Wire {
 public:
  WebSocketWire(std::unique_ptr<Channel> channel, std::string early, WebSocketSettings settings,
                bool deflate)
      : channel_(std::move(channel)),
        buffer_(std::move(early)),
        settings_(std::move(settings)),
        deflate_(deflate) {}

  core::Result<void> send(const Outgoing& what, Deadline deadline) override {
    if (what.frame) return send_frame(*what.frame, deadline);
    Frame frame;
    if (what.bytes) {
      frame.opcode = kBinary;
      frame.payload = *what.bytes;
    } else if (what.text) {
      frame.payload = *what.text;
    } else if (what.message) {
      PARLEY_TRY(auto encoded, settings_.codec.encode(*what.message));
      frame.opcode = settings_.codec.kind == Codec::Kind::text ? kText : kBinary;
      frame.payload = std::move(encoded);
    }
    if (deflate_) {
      frame.payload = deflate_message(frame.payload);
      frame.rsv = 4;
    }
    return channel_->write_all(in_fragments(frame, what.fragments), deadline);
  }

  core::Result<Received> receive(Deadline deadline) override {
    while (messages_.empty()) {
      if (closed_) return *closed_;
      PARLEY_TRY_VOID(read_frame(deadline));
    }
    Received first = std::move(messages_.front());
    messages_.pop_front();
    return first;
  }

  core::Result<Received> receive_control(Deadline deadline) override {
    while (controls_.empty()) {
      if (closed_) return *closed_;
      PARLEY_TRY_VOID(read_frame(deadline));
    }
    Received first = std::move(controls_.front());
    controls_.pop_front();
    return first;
  }

  core::Result<void> close(int code, const std::string& reason, Deadline deadline) override {
    close_sent_ = true;
    return channel_->write_all(encode_frame({true, 0, kClose, close_payload(code, reason)}),
                               deadline);
  }

 private:
  static std::string in_fragments(const Frame& frame, int fragments) {
    if (fragments <= 1) return encode_frame(frame);
    const std::size_t count = static_cast<std::size_t>(fragments);
    const std::size_t size = frame.payload.size() / count + 1;
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
      Frame part;
      part.fin = i + 1 == count;
      part.rsv = i == 0 ? frame.rsv : 0;
      part.opcode = i == 0 ? frame.opcode : 0;
      const std::size_t from = std::min(i * size, frame.payload.size());
      part.payload = frame.payload.substr(from, size);
      out += encode_frame(part);
    }
    return out;
  }

  core::Result<void> send_frame(const json::object& spec, Deadline deadline);
  core::Result<void> need(std::size_t bytes, Deadline deadline);
  core::Result<void> read_frame(Deadline deadline);
  core::Result<void> take(Frame frame, Deadline deadline);
  core::Result<void> take_control(const Frame& frame, Deadline deadline);
  core::Result<void> take_data(Frame frame);
  core::Result<void> end(int code, std::string reason) {
    Received out;
    out.kind = Received::Kind::closed;
    out.code = code;
    out.reason = std::move(reason);
    closed_ = std::move(out);
    return {};
  }

  std::unique_ptr<Channel> channel_;
  std::string buffer_;
  WebSocketSettings settings_;
  bool deflate_;
  bool close_sent_ = false;
  std::deque<Received> messages_;
  std::deque<Received> controls_;
  std::optional<Received> closed_;
  std::optional<Frame> partial_;
};

core::Result<void> WebSocketWire::send_frame(const json::object& spec, Deadline deadline) {
  Frame frame;
  bool masked = true;
  std::optional<std::uint64_t> length;
  for (const auto& member : spec) {
    const json::value& value = member.value();
    if (member.key() == "fin" && value.is_bool()) {
      frame.fin = value.get_bool();
    } else if (member.key() == "masked" && value.is_bool()) {
      masked = value.get_bool();
    } else if (member.key() == "opcode" && value.is_int64()) {
      frame.opcode = static_cast<unsigned>(value.get_int64()) & 0xfU;
    } else if (member.key() == "rsv" && value.is_int64()) {
      frame.rsv = static_cast<unsigned>(value.get_int64()) & 7U;
    } else if (member.key() == "length" && value.is_int64()) {
      length = static_cast<std::uint64_t>(value.get_int64());
    } else if (member.key() == "text" && value.is_string()) {
      frame.payload = value.get_string();
    } else if (member.key() == "hex" && value.is_string()) {
      PARLEY_TRY(frame.payload, from_hex(value.get_string()));
    } else {
      return core::fail(core::Code::invalid_argument,
                        "a frame has no '" + std::string(member.key()) + "' like this");
    }
  }
  const std::uint64_t said = length.value_or(frame.payload.size());
  return channel_->write_all(encode_frame(frame, masked, said), deadline);
}

core::Result<void> WebSocketWire::need(std::size_t bytes, Deadline deadline) {
  while (buffer_.size() < bytes) {
    PARLEY_TRY(const auto more, channel_->read_some(buffer_, deadline));
    if (!more) return core::fail(core::Code::unavailable, "the connection ended");
  }
  return {};
}

// Reads one frame. The buffer is not consumed before the whole frame is there, so that a deadline
// in the middle loses nothing.
core::Result<void> WebSocketWire::read_frame(Deadline deadline) {
  std::size_t head = 2;
  auto got = need(head, deadline);
  if (got) {
    const unsigned kind = static_cast<unsigned char>(buffer_[1]) & 0x7fU;
    head += kind == 126 ? 2 : (kind == 127 ? 8 : 0);
    got = need(head, deadline);
  }
  std::uint64_t size = 0;
  if (got) {
    size = static_cast<unsigned char>(buffer_[1]) & 0x7fU;
    if (size >= 126) {
      size = 0;
      for (std::size_t i = 2; i < head; ++i) {
        size = (size << 8U) | static_cast<unsigned char>(buffer_[i]);
      }
    }
    if (size > kMaxMessage) return end(1009, "the server sent a frame of over 512 MiB");
    got = need(head + size, deadline);
  }
  if (!got && got.error().code == core::Code::deadline_exceeded) return got;
  if (!got) return end(kAbnormal, got.error().message);
  Frame frame;
  const auto first = static_cast<unsigned char>(buffer_[0]);
  const bool masked = (static_cast<unsigned char>(buffer_[1]) & 0x80U) != 0;
  frame.fin = (first & 0x80U) != 0;
  frame.rsv = (first >> 4U) & 7U;
  frame.opcode = first & 0xfU;
  frame.payload = buffer_.substr(head, size);
  buffer_.erase(0, head + size);
  if (masked) return end(1002, "the server masked a frame");
  return take(std::move(frame), deadline);
}

core::Result<void> WebSocketWire::take(Frame frame, Deadline deadline) {
  const unsigned allowed_rsv =
      deflate_ && (frame.opcode == kText || frame.opcode == kBinary) ? 4 : 0;
  if ((frame.rsv & ~allowed_rsv) != 0) return end(1002, "the server set a reserved bit");
  if (frame.opcode >= kClose) {
    if (!frame.fin || frame.payload.size() > 125) return end(1002, "a bad control frame");
    return take_control(frame, deadline);
  }
  if (frame.opcode > kBinary) return end(1002, "an unknown opcode");
  return take_data(std::move(frame));
}

core::Result<void> WebSocketWire::take_control(const Frame& frame, Deadline deadline) {
  if (frame.opcode == kClose) {
    int code = kNoStatus;
    std::string reason;
    if (frame.payload.size() >= 2) {
      code = static_cast<unsigned char>(frame.payload[0]) * 256 +
             static_cast<unsigned char>(frame.payload[1]);
      reason = frame.payload.substr(2);
    }
    if (!close_sent_) {
      close_sent_ = true;
      auto answered = channel_->write_all(
          encode_frame({true, 0, kClose, frame.payload.substr(0, 2)}), deadline);
      if (!answered && answered.error().code == core::Code::deadline_exceeded) return answered;
    }
    return end(code, reason);
  }
  Received out;
  out.kind = Received::Kind::control;
  const json::value text =
      core::is_utf8(frame.payload) ? json::value(frame.payload) : json::value();
  out.value = json::object{
      {"opcode", frame.opcode}, {"text", text}, {"hex", core::hex_text(frame.payload)}};
  out.bytes = frame.payload;
  controls_.push_back(std::move(out));
  if (frame.opcode != kPing) return {};
  return channel_->write_all(encode_frame({true, 0, kPong, frame.payload}), deadline);
}

core::Result<void> WebSocketWire::take_data(Frame frame) {
  const bool continues = frame.opcode == 0;
  if (continues != partial_.has_value()) return end(1002, "fragments out of order");
  if (continues) {
    partial_->payload += frame.payload;
    partial_->fin = frame.fin;
  } else {
    partial_ = std::move(frame);
  }
  if (!partial_->fin) return {};
  Frame whole = std::move(*partial_);
  partial_.reset();
  if (whole.rsv != 0) {
    auto plain = inflate_message(whole.payload);
    if (!plain) return end(1007, "a compressed message that cannot be read");
    whole.payload = std::move(*plain);
  }
  Received out;
  out.bytes = whole.payload;
  if (whole.opcode == kText && settings_.codec.kind != Codec::Kind::text) {
    if (!core::is_utf8(whole.payload)) return end(1007, "text that is not UTF-8");
    out.value = json::object{{"text", whole.payload}};
  } else {
    PARLEY_TRY(out.value, settings_.codec.decode(whole.payload));
  }
  messages_.push_back(std::move(out));
  return {};
}

std::string accept_for(const std::string& key) {
  const std::string text = key + std::string(kMagic);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return core::base64_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string_view field(const HttpHead& head, std::string_view name) {
  const json::value* found = head.headers.if_contains(name);
  return found == nullptr ? std::string_view() : std::string_view(found->get_string());
}

}  // namespace

core::Result<std::unique_ptr<Wire>> open_websocket(const Target& target,
                                                   const WebSocketSettings& settings,
                                                   Deadline deadline) {
  std::string raw_key(16, '\0');
  RAND_bytes(reinterpret_cast<unsigned char*>(raw_key.data()), 16);
  const std::string key = core::base64_encode(raw_key);
  HttpRequest request;
  request.path = settings.path;
  request.headers = settings.headers;
  request.headers.insert(request.headers.end(), {{"Upgrade", "websocket"},
                                                 {"Connection", "Upgrade"},
                                                 {"Sec-WebSocket-Version", "13"},
                                                 {"Sec-WebSocket-Key", key}});
  std::string protocols;
  for (const std::string& name : settings.subprotocols) {
    protocols += (protocols.empty() ? "" : ", ") + name;
  }
  if (!protocols.empty()) request.headers.emplace_back("Sec-WebSocket-Protocol", protocols);
  if (settings.deflate) {
    request.headers.emplace_back(
        "Sec-WebSocket-Extensions",
        "permessage-deflate; client_no_context_takeover; server_no_context_takeover");
  }
  PARLEY_TRY(auto exchange, HttpExchange::start(target, request, deadline));
  PARLEY_TRY(const auto head, exchange->head(deadline));
  if (head.status != 101) {
    return core::fail(core::Code::failed_precondition,
                      "the upgrade was answered " + std::to_string(head.status));
  }
  if (field(head, "sec-websocket-accept") != accept_for(key)) {
    return core::fail(core::Code::failed_precondition, "Sec-WebSocket-Accept is wrong");
  }
  const bool deflate =
      field(head, "sec-websocket-extensions").find("permessage-deflate") != std::string_view::npos;
  if (deflate && !settings.deflate) {
    return core::fail(core::Code::failed_precondition, "compression that nobody asked for");
  }
  auto [channel, early] = exchange->release();
  return std::unique_ptr<Wire>(
      std::make_unique<WebSocketWire>(std::move(channel), std::move(early), settings, deflate));
}

}  // namespace parley::conformance
