// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>

#include "base/core/assert.h"
#include "base/core/base64.h"
#include "base/core/utf8.h"
#include "base/net/http/http_text.h"
#include "base/net/websocket/websocket_handshake.h"

namespace parley::net {
namespace {

constexpr std::size_t kMaxHead = 64U << 10U;
constexpr std::size_t kMaxRefusalBody = 1U << 20U;

std::string new_key(core::Entropy& entropy) {
  std::array<std::byte, 16> random{};
  entropy.fill(random);
  return core::base64_encode({reinterpret_cast<const char*>(random.data()), random.size()});
}

std::size_t content_length(const Headers& headers) {
  const std::string_view text = headers.get("Content-Length");
  std::size_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return std::min(length, kMaxRefusalBody);
}

}  // namespace

WebSocketClient::WebSocketClient(core::Entropy& entropy, WebSocketClientHandler& handler,
                                 WebSocketClientOptions options)
    : entropy_(entropy),
      handler_(handler),
      options_(std::move(options)),
      self_(std::make_shared<WebSocketClient*>(this)) {}

WebSocketClient::~WebSocketClient() {
  *self_ = nullptr;
  cancel_timer();
}

void WebSocketClient::connect(Network& network, core::Scheduler& scheduler, const Endpoint& to) {
  PARLEY_ASSERT(state_ == State::idle, "WebSocket client of " + options_.host + ": connects twice");
  scheduler_ = &scheduler;
  state_ = State::handshake;
  network.connect(scheduler, to,
                  [self = self_](core::Result<std::unique_ptr<Stream>> stream) mutable {
                    if (*self == nullptr || (*self)->state_ != State::handshake) return;
                    if (!stream) {
                      (*self)->refuse(stream.error().code, stream.error().message);
                      return;
                    }
                    (*self)->start(std::move(stream.value()));
                  });
}

void WebSocketClient::start(std::unique_ptr<Stream> stream) {
  PARLEY_ASSERT(!stream_ && (state_ == State::idle || state_ == State::handshake),
                "WebSocket client of " + options_.host + ": started twice, state " +
                    std::to_string(static_cast<int>(state_)));
  state_ = State::handshake;
  stream_ = std::move(stream);
  scheduler_ = &stream_->scheduler();
  stream_->set_handler(this);
  send_handshake();
  set_timer(options_.handshake_timeout);
}

void WebSocketClient::send_handshake() {
  key_ = new_key(entropy_);
  std::string request = "GET " + options_.target + " HTTP/1.1\r\nHost: " + options_.host +
                        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " +
                        key_ + "\r\n";
  std::string protocols;
  for (const std::string& protocol : options_.subprotocols) {
    protocols.append(protocols.empty() ? "" : ", ").append(protocol);
  }
  if (!protocols.empty()) request.append("Sec-WebSocket-Protocol: " + protocols + "\r\n");
  if (options_.offer_deflate) {
    request.append("Sec-WebSocket-Extensions: ").append(deflate_offer()).append("\r\n");
  }
  for (const auto& [name, value] : options_.headers) {
    request.append(name).append(": ").append(value).append("\r\n");
  }
  request.append("\r\n");
  stream_->write(request);
}

void WebSocketClient::on_data(Stream& /*stream*/, char* data, std::size_t size) {
  if (state_ == State::ended) return;
  if (state_ != State::handshake) {
    process(data, size);
    return;
  }
  head_.append(data, size);
  take_head();
}

void WebSocketClient::take_head() {
  const std::size_t end = head_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (head_.size() > kMaxHead) refuse(core::Code::internal, "The answer's head is too long.");
    return;
  }
  if (!parse_head(std::string_view(head_).substr(0, end))) {
    refuse(core::Code::internal, "The answer is not HTTP/1.1.");
    return;
  }
  std::string rest = head_.substr(end + 4);
  if (response_.status != 101) {
    if (rest.size() < content_length(response_.headers)) return;
    response_.body = std::move(rest);
    refuse(core::Code::unavailable,
           "The server answered " + std::to_string(response_.status) + ".");
    return;
  }
  if (auto fault = check_answer()) {
    refuse(core::Code::internal, std::move(*fault));
    return;
  }
  PARLEY_ASSERT(state_ == State::handshake && !reader_,
                "WebSocket client of " + options_.host + ": opens twice, state " +
                    std::to_string(static_cast<int>(state_)));
  cancel_timer();
  head_ = std::string();
  state_ = State::open;
  reader_ = std::make_unique<WebSocketReader>(WebSocketSide::client, options_.max_message_bytes,
                                              deflate_.has_value());
  handler_.on_open(*this);
  rest.reserve(rest.size() + Stream::kReadPadding);
  process(rest.data(), rest.size());
}

bool WebSocketClient::parse_head(std::string_view head) {
  response_ = Response{};
  response_.headers = Headers{};
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  if (!head.starts_with(kVersion)) return false;
  const std::string_view status = head.substr(kVersion.size(), 3);
  std::from_chars(status.data(), status.data() + status.size(), response_.status);
  std::size_t at = head.find("\r\n");
  while (at != std::string_view::npos) {
    head.remove_prefix(at + 2);
    at = head.find("\r\n");
    const std::string_view line = head.substr(0, at);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    response_.headers.add(std::string(line.substr(0, colon)),
                          std::string(trim(line.substr(colon + 1))));
  }
  return true;
}

// The fault of a 101 answer; std::nullopt if it has none.
std::optional<std::string> WebSocketClient::check_answer() {
  const Headers& headers = response_.headers;
  if (!headers.lists("Upgrade", "websocket") || !headers.lists("Connection", "upgrade")) {
    return "The server did not upgrade to WebSocket.";
  }
  if (headers.get("Sec-WebSocket-Accept") != websocket_accept(key_)) {
    return "The server's Sec-WebSocket-Accept does not match the key of the request.";
  }
  subprotocol_ = headers.get("Sec-WebSocket-Protocol");
  const auto& offered = options_.subprotocols;
  if (!subprotocol_.empty() &&
      std::find(offered.begin(), offered.end(), subprotocol_) == offered.end()) {
    return "The server chose a subprotocol that was not offered.";
  }
  const std::string_view extensions = headers.get("Sec-WebSocket-Extensions");
  if (!extensions.empty() && !options_.offer_deflate) {
    return "The server chose an extension that was not offered.";
  }
  const auto deflate = accept_deflate_answer(extensions);
  if (!deflate) return "The server chose compression parameters that were not offered.";
  deflate_ = *deflate;
  if (deflate_) codec_ = std::make_unique<DeflateCodec>();
  return std::nullopt;
}

void WebSocketClient::refuse(core::Code code, std::string message) {
  if (state_ == State::ended) return;
  state_ = State::ended;
  cancel_timer();
  if (stream_) stream_->finish();
  handler_.on_refused(*this, core::Error{code, std::move(message)}, response_);
}

void WebSocketClient::process(char* data, std::size_t size) {
  // The handler may destroy the client in on_close().
  const std::shared_ptr<WebSocketClient*> self = self_;
  while (*self != nullptr && state_ != State::ended) {
    const WebSocketReader::Event event = reader_->next(data, size);
    if (event.kind == WebSocketReader::Kind::need_more) return;
    handle(event);
  }
}

void WebSocketClient::handle(const WebSocketReader::Event& event) {
  switch (event.kind) {
    case WebSocketReader::Kind::message:
      deliver(event);
      return;
    case WebSocketReader::Kind::ping:
      if (options_.answer_pings) write_frame({.opcode = Opcode::pong}, event.payload);
      handler_.on_ping(*this, event.payload);
      return;
    case WebSocketReader::Kind::pong:
      handler_.on_pong(*this, event.payload);
      return;
    case WebSocketReader::Kind::close:
      on_close_frame(event.payload);
      return;
    case WebSocketReader::Kind::violation:
      fail(event.code, event.reason);
      return;
    case WebSocketReader::Kind::need_more:
      return;
  }
}

void WebSocketClient::deliver(const WebSocketReader::Event& event) {
  const MessageType type = event.opcode == Opcode::text ? MessageType::text : MessageType::binary;
  if (!event.compressed) {
    handler_.on_message(*this, type, event.payload);
    return;
  }
  std::string message;
  if (codec_->decompress(event.payload, options_.max_message_bytes, message) !=
      DeflateCodec::Inflated::ok) {
    fail(close_code::kInvalidPayload, "compressed data is corrupt");
    return;
  }
  if (type == MessageType::text && !core::is_utf8(message)) {
    fail(close_code::kInvalidPayload, "text is not UTF-8");
    return;
  }
  message.reserve(message.size() + Stream::kReadPadding);
  handler_.on_message(*this, type, message);
}

void WebSocketClient::on_close_frame(std::string_view payload) {
  const CloseInfo info = parse_close_payload(payload);
  if (info.violation != 0) {
    fail(info.violation, "malformed close frame");
    return;
  }
  if (state_ == State::open) {
    write_frame({.opcode = Opcode::close}, close_payload(info.code, {}));
  }
  end(info.code, info.reason);
}

void WebSocketClient::send(Opcode opcode, std::string_view payload) {
  if (state_ != State::open) return;
  std::string compressed;
  if (deflate_ && payload.size() >= kCompressFrom && codec_->compress(payload, compressed)) {
    write_frame({.opcode = opcode, .compressed = true}, compressed);
    return;
  }
  write_frame({.opcode = opcode}, payload);
}

void WebSocketClient::send_frame(Opcode opcode, bool fin, std::string_view payload) {
  write_frame({.opcode = opcode, .fin = fin}, payload);
}

void WebSocketClient::write_frame(FrameHead head, std::string_view payload) {
  if (!stream_ || state_ == State::ended) return;
  MaskKey mask;
  entropy_.fill(std::as_writable_bytes(std::span(mask)));
  head.mask = mask;
  std::string frame;
  append_frame(frame, head, payload);
  stream_->write(frame);
}

void WebSocketClient::send_raw(std::string_view bytes) {
  if (stream_) stream_->write(bytes);
}

void WebSocketClient::close(std::uint16_t code, std::string_view reason) {
  if (state_ != State::open) return;
  write_frame({.opcode = Opcode::close}, close_payload(code, reason));
  state_ = State::closing;
  set_timer(options_.close_timeout);
}

void WebSocketClient::pause_reading(bool pause) {
  if (stream_) stream_->pause_reading(pause);
}

void WebSocketClient::cut() {
  state_ = State::ended;
  cancel_timer();
  stream_.reset();
}

void WebSocketClient::fail(std::uint16_t code, const char* reason) {
  if (state_ == State::open) write_frame({.opcode = Opcode::close}, close_payload(code, reason));
  end(close_code::kAbnormal, reason);
}

void WebSocketClient::end(std::uint16_t code, std::string_view reason) {
  if (state_ == State::ended) return;
  PARLEY_ASSERT(state_ == State::open || state_ == State::closing,
                "WebSocket client of " + options_.host + ": closed with " + std::to_string(code) +
                    " before it was open");
  state_ = State::ended;
  cancel_timer();
  stream_->finish();
  handler_.on_close(*this, code, reason);
}

void WebSocketClient::on_end(Stream& stream) { on_closed(stream); }

void WebSocketClient::on_closed(Stream& /*stream*/) {
  if (state_ == State::ended) return;
  if (state_ == State::handshake) {
    const bool answered = response_.status != 200 && response_.status != 101;
    refuse(core::Code::unavailable,
           answered ? "The server answered " + std::to_string(response_.status) + "."
                    : "The connection ended before the server answered.");
    return;
  }
  end(close_code::kAbnormal, "connection lost");
}

void WebSocketClient::set_timer(core::Millis delay) {
  cancel_timer();
  timer_ = scheduler_->after(delay, [this] {
    timer_ = 0;
    if (state_ == State::handshake) {
      refuse(core::Code::deadline_exceeded, "The server did not answer in time.");
    } else {
      end(close_code::kAbnormal, "no close frame in time");
    }
  });
}

void WebSocketClient::cancel_timer() {
  if (timer_ != 0) scheduler_->cancel(std::exchange(timer_, 0));
}

}  // namespace parley::net
