// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_socket.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <ratio>
#include <string>
#include <utility>

#include "base/core/assert.h"
#include "base/core/contain.h"
#include "base/core/utf8.h"
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

namespace {

// Frames up to this size are assembled on the stack and written with one call.
constexpr std::size_t kStackFrame = 2U << 10U;

MessageType message_type(Opcode opcode) {
  return opcode == Opcode::text ? MessageType::text : MessageType::binary;
}

}  // namespace

ServerSocket::ServerSocket(std::unique_ptr<Stream> stream,
                           std::unique_ptr<WebSocketHandler> handler, const WebSocketParams& params,
                           const std::string& subprotocol)
    : stream_(std::move(stream)),
      handler_(std::move(handler)),
      subprotocol_(&subprotocol),
      reader_(WebSocketSide::server, params.max_message_bytes, params.deflate.has_value()),
      max_message_bytes_(params.max_message_bytes),
      message_limit_(params.max_message_bytes),
      deflate_(params.deflate) {
  PARLEY_ASSERT(handler_ != nullptr, label() + ": it has no handler");
  stream_->set_handler(this);
}

ServerSocket::~ServerSocket() = default;

std::string ServerSocket::label() const {
  return "WebSocket of " + stream_->peer() + ", state " + std::to_string(static_cast<int>(state_));
}

void ServerSocket::settle(WebSocketShard& shard, WebSocketShard::List::iterator self) {
  PARLEY_ASSERT(&stream_->scheduler() == &shard.scheduler(),
                label() + ": its stream is on another thread than its shard");
  PARLEY_ASSERT(!move_ && state_ != State::ended,
                label() + ": arrives on a thread with another move to make, or after its end");
  shard_ = &shard;
  self_ = self;
  active_tick_ = shard.tick();
  rate_tick_ = shard.tick();
  ping_tick_ = shard.tick();
  close_tick_ = shard.tick();
}

void ServerSocket::begin(const WebSocketParams& params) {
  if (params.account) return admit(*params.account);
  admit({});
  message_limit_ = std::min(max_message_bytes_, params.max_open_message_bytes);
  reader_.set_max_message_bytes(message_limit_);
}

void ServerSocket::start(std::string_view already_read) {
  dispatching_ = true;
  const auto done = core::contain("WebSocket", [&] { handler_->on_open(*this); });
  if (!done) fail(close_code::kInternalError, "the server failed");
  process_copy(already_read);
}

// Copies bytes that are not in a read buffer, to add the padding.
void ServerSocket::process_copy(std::string_view bytes) {
  const auto buffer = std::make_unique<char[]>(bytes.size() + Stream::kReadPadding);
  if (!bytes.empty()) std::memcpy(buffer.get(), bytes.data(), bytes.size());
  process(buffer.get(), bytes.size());
}

void ServerSocket::on_data(Stream& /*stream*/, char* data, std::size_t size) {
  PARLEY_ASSERT(!dispatching_ && !move_,
                label() + ": read while a message is handled, or on its way to another thread");
  active_tick_ = shard_->tick();
  shard_->sums().bytes_in += size;
  process(data, size);
}

// May end by moving this connection to another thread: no member is used after leave().
void ServerSocket::process(char* data, std::size_t size) {
  dispatching_ = true;
  if (reader_.idle()) begin_message();
  while (state_ != State::ended && !move_) {
    const WebSocketReader::Event event = reader_.next(data, size);
    if (event.kind == WebSocketReader::Kind::need_more) break;
    handle(event);
  }
  dispatching_ = false;
  if (state_ != State::ended) hold_budget();
  if (move_) leave({data, size});
}

void ServerSocket::begin_message() {
  rate_tick_ = shard_->tick();
  rate_mark_ = 0;
}

// True if the rest of a message arrives too slowly.
bool ServerSocket::message_stalls() {
  if (reader_.idle() || paused_) begin_message();
  const WebSocketLimits& limits = shard_->limits();
  const std::uint32_t window = shard_->ticks(limits.pong_timeout);
  if (shard_->tick() - rate_tick_ <= window) return false;
  const std::size_t held = reader_.held();
  const std::size_t least = kMinMessageBytesPerSecond *
                            static_cast<std::size_t>(limits.pong_timeout.count()) /
                            static_cast<std::size_t>(std::milli::den);
  if (held < rate_mark_ + least) return true;
  rate_tick_ = shard_->tick();
  rate_mark_ = held;
  return false;
}

// Counts the bytes held of a message; ends the connection if the budget is exhausted.
void ServerSocket::hold_budget() {
  if (share_.hold(reader_.room())) return;
  ++shard_->sums().no_room;
  fail(close_code::kTryAgainLater, "no room for unfinished messages");
}

void ServerSocket::admit(std::string_view account) {
  message_limit_ = max_message_bytes_;
  reader_.set_max_message_bytes(message_limit_);
  if (const auto& budget = shard_->shared().budget) {
    share_.use(*budget, account, stream_->peer());
    stream_->count_to(*budget, account);
  }
}

void ServerSocket::handle(const WebSocketReader::Event& event) {
  switch (event.kind) {
    case WebSocketReader::Kind::message:
      begin_message();
      if (state_ == State::open) deliver(event);
      return;
    case WebSocketReader::Kind::ping:
      if (state_ == State::open) pong(event.payload);
      return;
    case WebSocketReader::Kind::close:
      on_close_frame(event.payload);
      return;
    case WebSocketReader::Kind::violation:
      fail(event.code, event.reason);
      return;
    case WebSocketReader::Kind::pong:
    case WebSocketReader::Kind::need_more:
      return;
  }
}

// If many bytes are queued, only the latest ping is answered, once they are taken (RFC 6455 section
// 5.5.3): pings alone can neither fill the queue nor make the peer a slow consumer.
void ServerSocket::pong(std::string_view payload) {
  if (stream_->queued() <= Stream::kHighWatermark) {
    write_frame({.opcode = Opcode::pong}, payload);
  } else {
    late_pong_ = std::make_unique<std::string>(payload);
  }
}

void ServerSocket::on_drained(Stream& /*stream*/) {
  const std::unique_ptr<std::string> payload = std::exchange(late_pong_, nullptr);
  if (payload && state_ == State::open) write_frame({.opcode = Opcode::pong}, *payload);
}

void ServerSocket::deliver(const WebSocketReader::Event& event) {
  PARLEY_ASSERT(state_ == State::open && handler_ != nullptr,
                label() + ": a message is delivered behind its end");
  ++shard_->sums().messages_in;
  if (!event.compressed) return hand_over(event.opcode, event.payload);
  std::string& message = shard_->scratch();
  switch (shard_->codec().decompress(event.payload, message_limit_, message)) {
    case DeflateCodec::Inflated::too_big:
      fail(close_code::kMessageTooBig, "message too big");
      return;
    case DeflateCodec::Inflated::corrupt:
      fail(close_code::kInvalidPayload, "compressed data is corrupt");
      return;
    case DeflateCodec::Inflated::ok:
      break;
  }
  if (event.opcode == Opcode::text && !core::is_utf8(message)) {
    fail(close_code::kInvalidPayload, "text is not UTF-8");
    return;
  }
  message.reserve(message.size() + Stream::kReadPadding);
  hand_over(event.opcode, message);
}

// An exception of the handler closes its own connection only.
void ServerSocket::hand_over(Opcode opcode, std::string_view message) {
  const auto done = core::contain(
      "WebSocket", [&] { handler_->on_message(*this, message_type(opcode), message); });
  if (!done) fail(close_code::kInternalError, "the server failed");
}

void ServerSocket::on_close_frame(std::string_view payload) {
  const CloseInfo info = parse_close_payload(payload);
  if (info.violation != 0) {
    fail(info.violation, "malformed close frame");
    return;
  }
  if (state_ == State::open) send_close(info.code, {});
  end(info.code, info.reason);
}

void ServerSocket::send(const OutgoingMessagePtr& message) {
  if (state_ != State::open) return;
  auto& encoded = static_cast<EncodedMessage&>(*message);
  const SharedBytes& frame =
      deflate_ ? encoded.compressed(shard_->codec(), *deflate_) : encoded.frame();
  if (!may_queue(frame.size())) return;
  ++shard_->sums().messages_out;
  count_out(frame.size());
  stream_->write_shared(frame);
}

void ServerSocket::send_now(Opcode opcode, std::string_view payload) {
  if (state_ != State::open) return;
  FrameHead head{.opcode = opcode};
  std::string compressed;
  if (deflate_ && pays_to_compress(payload.size(), *deflate_) &&
      shard_->codec().compress(payload, compressed)) {
    head.compressed = true;
    payload = compressed;
  }
  if (!may_queue(payload.size())) return;
  ++shard_->sums().messages_out;
  write_frame(head, payload);
}

void ServerSocket::write_frame(const FrameHead& head, std::string_view payload) {
  PARLEY_ASSERT(state_ == State::open, label() + ": frame " +
                                           std::to_string(static_cast<int>(head.opcode)) +
                                           " is sent behind a close frame");
  std::array<char, kMaxFrameHeader + kStackFrame> frame;
  const std::size_t size = write_frame_header(frame.data(), head, payload.size());
  count_out(size + payload.size());
  if (payload.size() <= kStackFrame) {
    if (!payload.empty()) std::memcpy(frame.data() + size, payload.data(), payload.size());
    stream_->write({frame.data(), size + payload.size()});
    return;
  }
  stream_->write({frame.data(), size});
  stream_->write(payload);
}

void ServerSocket::count_out(std::size_t bytes) {
  written_ += bytes;
  shard_->sums().bytes_out += bytes;
}

// True if `bytes` more may be queued; else the consumer is too slow, and is closed with 1013.
bool ServerSocket::may_queue(std::size_t bytes) {
  const std::size_t queued = stream_->queued();
  if (queued == 0) {
    queued_messages_ = 0;
  } else if (queued < last_queued_) {
    const std::uint64_t share = static_cast<std::uint64_t>(queued_messages_) * queued;
    queued_messages_ = static_cast<std::uint32_t>((share + last_queued_ - 1) / last_queued_);
  }
  const WebSocketLimits& limits = shard_->limits();
  const bool too_many = queued > 0 && queued_messages_ + 1U > limits.max_queue_messages;
  if (too_many || !send_limit_.admit(written_, queued, bytes, limits.max_queue_bytes)) {
    ++shard_->sums().slow_consumers;
    close(close_code::kTryAgainLater, resume_reason());
    return false;
  }
  ++queued_messages_;
  last_queued_ = queued + bytes;
  return true;
}

// The number is first, because a long reason is truncated.
std::string ServerSocket::resume_reason() const {
  if (!resume_seq_) return resume_hint_;
  const std::string number = "resume after seq " + std::to_string(*resume_seq_);
  return resume_hint_.empty() ? number : number + "; " + resume_hint_;
}

void ServerSocket::close(std::uint16_t code, std::string_view reason) {
  if (state_ != State::open) return;
  if (code != close_code::kNoStatus && !is_sendable_close_code(code)) {
    code = close_code::kInternalError;
  }
  send_close(code, reason);
  resume_for_end();
  state_ = State::closing;
  close_tick_ = shard_->tick();
}

// Back-pressure ends with the delivery of messages: the peer's close frame and end must be read.
void ServerSocket::resume_for_end() {
  if (std::exchange(paused_, false)) stream_->pause_reading(false);
}

void ServerSocket::send_close(std::uint16_t code, std::string_view reason) {
  PARLEY_ASSERT(sent_code_ == 0, label() + ": closed with " + std::to_string(code) + " after " +
                                     std::to_string(sent_code_));
  PARLEY_ASSERT(code == close_code::kNoStatus || is_sendable_close_code(code),
                label() + ": a close frame cannot carry " + std::to_string(code));
  sent_code_ = code;
  write_frame({.opcode = Opcode::close}, close_payload(code, reason));
}

// The peer broke a rule: sends a close frame and does not wait for the peer's.
void ServerSocket::fail(std::uint16_t code, const char* reason) {
  if (state_ == State::ended) return;
  if (state_ == State::open) send_close(code, reason);
  end(close_code::kAbnormal, reason);
}

void ServerSocket::end(std::uint16_t code, std::string_view reason) {
  PARLEY_ASSERT(state_ != State::ended && handler_ != nullptr,
                label() + ": ends twice, with " + std::to_string(code));
  state_ = State::ended;
  shard_->count_close(sent_code_ != 0 ? sent_code_ : code);
  // After finish() writes are dropped: a message sent in on_close() must not follow the close
  // frame.
  stream_->finish();
  resume_for_end();
  static_cast<void>(core::contain("WebSocket", [&] { handler_->on_close(*this, code, reason); }));
  handler_.reset();
  move_.reset();
  // The stream may stay open until the peer has closed it: frees the memory now.
  reader_.drop();
  share_.hold(0);
}

void ServerSocket::on_end(Stream& /*stream*/) {
  if (state_ == State::ended) return;
  end(close_code::kAbnormal, "the peer closed the connection");
}

void ServerSocket::on_closed(Stream& /*stream*/) {
  if (state_ != State::ended) end(close_code::kAbnormal, "connection lost");
  shard_->destroy(self_);
}

ServerSocket::Sweep ServerSocket::sweep() {
  const std::uint32_t now = shard_->tick();
  const WebSocketLimits& limits = shard_->limits();
  if (paused_) active_tick_ = now;
  if (state_ == State::closing && now - close_tick_ > shard_->ticks(limits.close_timeout)) {
    end(close_code::kAbnormal, "no close frame in time");
    return Sweep::cut;
  }
  if (state_ == State::ended) return Sweep::keep;
  const bool own = silence_ticks_ != 0;
  if (now - active_tick_ > (own ? silence_ticks_ : shard_->ticks(limits.pong_timeout))) {
    end(close_code::kAbnormal, "no answer to a ping");
    return Sweep::cut;
  }
  if (message_stalls()) {
    ++shard_->sums().slow_messages;
    fail(close_code::kPolicyViolation, "the rest of a message did not arrive in time");
    return Sweep::keep;
  }
  const std::uint32_t interval = own ? ping_ticks_ : shard_->ticks(limits.ping_interval);
  // A ping behind bytes that the peer does not take proves nothing.
  if (state_ == State::open && interval > 0 && now - ping_tick_ >= interval &&
      stream_->queued() == 0) {
    ping_tick_ = now;
    write_frame({.opcode = Opcode::ping}, {});
  }
  return Sweep::keep;
}

void ServerSocket::pause_reading(bool pause) {
  if (state_ != State::open) return;
  paused_ = pause;
  stream_->pause_reading(pause);
}

void ServerSocket::set_heartbeat(core::Millis interval, core::Millis timeout) {
  ping_ticks_ = shard_->ticks(interval);
  silence_ticks_ = shard_->ticks(timeout);
  active_tick_ = shard_->tick();
}

void ServerSocket::move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) {
  begin_move({&target, std::move(arrived), {}});
}

void ServerSocket::give_away(TakeOver take) {
  if (state_ == State::open) begin_move({nullptr, {}, std::move(take)});
}

void ServerSocket::begin_move(Move move) {
  if (state_ == State::ended) return;
  PARLEY_ASSERT(shard_->scheduler().in_thread(), label() + ": moved by another thread");
  PARLEY_ASSERT(!move_, label() + ": moved twice by one call of its handler");
  move_ = std::make_unique<Move>(std::move(move));
  if (!dispatching_) leave({});
}

// The task for the target thread owns the connection: if that thread has stopped, both are
// destroyed together.
void ServerSocket::leave(std::string_view carried) {
  PARLEY_ASSERT(move_ != nullptr && state_ != State::ended,
                label() + ": leaves its thread without a target, or after its end");
  const std::unique_ptr<Move> move = std::move(move_);
  if (move->take) {
    std::unique_ptr<Stream> stream = std::move(stream_);
    const std::string unread(carried);
    stream->set_handler(nullptr);
    stream->pause_reading(true);
    shard_->destroy(self_);
    return move->take(std::move(stream), unread);
  }
  WebSocketShard& target = shard_->shared().shard_of(*move->target);
  WebSocketShard::List list = shard_->release(self_);
  Stream& stream = *stream_;
  stream.move_to(*move->target, [list = std::move(list), arrived = std::move(move->arrived),
                                 bytes = std::string(carried), &target]() mutable {
    target.take(std::move(list)).land(std::move(arrived), bytes);
  });
}

void ServerSocket::land(absl::AnyInvocable<void()> arrived, std::string_view carried) {
  dispatching_ = true;
  if (arrived) {
    const auto done = core::contain("WebSocket", [&] { arrived(); });
    if (!done) fail(close_code::kInternalError, "the server failed");
  }
  process_copy(carried);
}

}  // namespace parley::net
